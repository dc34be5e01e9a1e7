"""Concrete operations with WHILE in a pair: the body is gone through in transient states, as in a machine alone, and
matched when it ends.

The abstract step looks at the state in which the operation began, so the concrete variables are kept as they were then.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.lower.loops import (
    STEP,
    Arguments,
    Body,
    place_names,
    split_guard,
    step_command,
    walk,
)
from quorbit.languages.b.lower.membership import apply
from quorbit.languages.b.lower.scope import Scope, system_type
from quorbit.languages.b.lower.substitutions import Outcome
from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.walk import substitute
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import (
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Read,
    conjunction,
    number,
)
from quorbit.model.system.types import default
from quorbit.source.frozen import replace

Ending = Callable[[Arguments, Outcome], list[Command]]  # the commands that match what an operation has done


def pair_loop(body: Body, scope: Scope, given: Arguments, own: tuple[Name, ...], ending: Ending) -> None:
    """The commands of an operation with a loop, added to ``body.loops``; ``own``: the concrete variables."""
    o, loops = body.operation, body.loops
    kept = place_names(loops, scope, (*o.parameters, *o.results), f"{o.name}.")
    before = place_names(loops, scope, own, "before ")
    enter, leave = loops.new_step(), loops.new_step()
    guard, rest = split_guard(body, given.scope, o.body)
    copies = {kept[p.name].name: given.scope.names[p.name] for p in o.parameters}
    copies |= {before[v.name].name: Read(v.name) for v in own}
    first = Outcome(guard=(*given.guard, *guard), changes=copies)
    loops.commands.append(step_command(body, 0, enter, first, given.parameters, o.span))
    inner = scope.having({p.name: Read(p.name, span=p.span) for p in kept.values()})
    names: dict[str, Formula] = {n: Name(p.span, p.name, type=p.type) for n, p in kept.items()}
    walk(body, inner, substitute(rest, names), enter, leave)
    loops.commands.extend(at_end(body, leave, c) for c in ending(*ended(body, scope, kept, before)))


def ended(body: Body, scope: Scope, kept: dict[str, Name], before: dict[str, Name]) -> tuple[Arguments, Outcome]:
    """The arguments, in a scope of the state before, and what the operation has done."""
    o = body.operation

    def known(p: Name) -> Parameter:
        value = apply(Operator.SET, Read(kept[p.name].name), span=p.span)
        return Parameter(p.name, Elements(value, system_type(scope.universe, p.type)))

    names: dict[str, Expr] = {p.name: Read(kept[p.name].name, span=p.span) for p in o.parameters}
    old: dict[str, Expr] = {name: Read(place.name, span=place.span) for name, place in before.items()}
    changes: dict[str, Expr] = {name: Read(name) for name in before}
    changes |= {r.name: Read(kept[r.name].name, span=r.span) for r in o.results}
    arguments = Arguments(tuple(map(known, o.parameters)), scope.having({**old, **names}), frozenset(), ())
    return arguments, Outcome(changes=changes)


def at_end(body: Body, leave: int, c: Command) -> Command:
    """The command where the operation ends; its places are blank again."""
    here = apply(Operator.EQUAL, Read(STEP), number(leave), span=c.span)
    blank = tuple(Assign(Read(p.name), Literal(default(p.type), p.type)) for p in body.loops.places.values())
    effect = (*c.effect, Together((Assign(Read(STEP), number(0)), *blank)))
    return replace(c, guard=conjunction([body.ready, here, c.guard], c.span), effect=effect)
