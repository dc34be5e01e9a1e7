"""Operations with WHILE: a loop is gone through in transient states, which are passed and not stored.

The place STEP tells where in the operation a run is, 0 between operations. Parameters, results and locals of such an
operation are places of their own while it runs; when it ends they are as they were.
"""

from __future__ import annotations

from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.membership import apply
from quorbit.languages.b.lower.scope import Scope, or_none, system_type
from quorbit.languages.b.lower.substitutions import WELL_DEFINED, Lowering, Outcome, guarded, nontrivial, outcomes
from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.substitutions import (
    Assert,
    Call,
    Choice,
    If,
    Pre,
    Select,
    Sequence,
    Skip,
    Substitution,
    Var,
    While,
)
from quorbit.languages.b.syntax.substitutions import Assign as Assigned
from quorbit.languages.b.syntax.walk import children, map_children, old_names, substitute
from quorbit.languages.b.types.typed import TypedOperation
from quorbit.model.system.command import Assign, Command, Require, Step, Together
from quorbit.model.system.expression import (
    TRUE,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Read,
    conjunction,
    negation,
    number,
)
from quorbit.model.system.system import Variable
from quorbit.model.system.types import INTEGER, default
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable, replace
from quorbit.source.span import Span

__all__ = [
    "STEP",
    "Arguments",
    "Body",
    "Loops",
    "has_loop",
    "loop_variables",
    "open_calls",
    "place_names",
    "split_guard",
    "step_command",
    "walk",
]

STEP = "STEP"
O = Operator


@mutable
class Loops:
    """What operations with loops add to a System: places, commands, and numbers for the steps between them."""

    places: dict[str, Variable] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    steps: int = 0

    def new_step(self) -> int:
        self.steps += 1
        return self.steps


@frozen
class Body:
    """The operation being lowered: names of its own places, and the System's variables."""

    loops: Loops
    to: Lowering
    operation: TypedOperation
    ready: Expr
    variables: frozenset[str]


@frozen
class Arguments:
    """Parameters in order, the scope that knows them, the conjuncts that hold by it, and what is still to be tested."""

    parameters: tuple[Parameter, ...]
    scope: Scope
    settled: frozenset[int]
    guard: tuple[Expr, ...]


def has_loop(s: Substitution) -> bool:
    return isinstance(s, While) or any(has_loop(c) for c in children(s) if isinstance(c, Substitution))


def open_calls(operations: dict[str, TypedOperation], s: Substitution, calls: tuple[str, ...] = ()) -> Substitution:
    """The substitution with calls of operations that have loops replaced by what these do.

    Parameters and results of the operation are local names then; a precondition stays one, and is demanded.
    """
    if isinstance(s, Call):
        called = operations[s.operation]
        if s.operation in calls:
            raise UserError(s.span, f"operation {s.operation} calls itself")
        body = open_calls(operations, called.body, (*calls, s.operation))
        return opened(s, called, body) if has_loop(body) else s
    return map_children(s, lambda c: open_calls(operations, c, calls) if isinstance(c, Substitution) else c)


def opened(s: Call, called: TypedOperation, body: Substitution) -> Substitution:
    """VAR p, r IN p := arguments; body; targets := r END, where p and r are names no text contains."""
    own = {n.name: replace(n, name=f"{n.name} of {called.name}") for n in (*called.parameters, *called.results)}
    inside = [substitute(body, own)]
    if called.parameters:
        inside.insert(0, Assigned(s.span, tuple(own[n.name] for n in called.parameters), s.arguments))
    if called.results:
        inside.append(Assigned(s.span, s.targets, tuple(own[n.name] for n in called.results)))
    whole = inside[0] if len(inside) == 1 else Sequence(s.span, tuple(inside))
    return Var(s.span, tuple(own.values()), whole) if own else whole


def refuse_loop(s: Substitution, where: str) -> None:
    if isinstance(s, While):
        raise UserError(s.span, f"WHILE in {where} is not supported")
    for child in children(s):
        if isinstance(child, Substitution):
            refuse_loop(child, where)


def lower_loop_operation(body: Body, scope: Scope, given: Arguments) -> None:
    """Enter with the parameters' values in places, go through the body, leave with the results."""
    o, loops = body.operation, body.loops
    kept = place_names(loops, scope, (*o.parameters, *o.results), f"{o.name}.")
    own = {n: Name(p.span, p.name, type=p.type) for n, p in kept.items()}
    enter, leave = loops.new_step(), loops.new_step()
    guard, rest = split_guard(body, given.scope, o.body)
    copies = {kept[p.name].name: given.scope.names[p.name] for p in o.parameters}
    first = Outcome(guard=(*given.guard, *guard), changes=copies)
    loops.commands.append(step_command(body, 0, enter, first, given.parameters, o.span))
    inner = scope.having({p.name: Read(p.name, span=p.span) for p in kept.values()})
    walk(body, inner, substitute(rest, own), enter, leave)
    loops.commands.append(leave_command(body, scope, leave, kept))


def split_guard(body: Body, scope: Scope, s: Substitution) -> tuple[tuple[Expr, ...], Substitution]:
    """PRE and SELECT in front of the body: they are the operation's guard."""
    match s:
        case Pre(predicate=condition, body=inside) | Select(branches=((condition, inside),), otherwise=None):
            here = [lower(scope, c) for c in conjuncts(condition) if id(c) not in body.to.settled]
            inner, rest = split_guard(body, scope, inside) if isinstance(s, Pre) else ((), inside)
            return (*nontrivial(guarded(here)), *inner), rest
    return (), s


def place_names(loops: Loops, scope: Scope, names: tuple[Name, ...], prefix: str) -> dict[str, Name]:
    """A place for each name, under a name no text contains."""
    found: dict[str, Name] = {}
    for n in names:
        name = scope.new_name(prefix + n.name)
        loops.places[name] = Variable(name, or_none(system_type(scope.universe, n.type)), span=n.span)
        found[n.name] = replace(n, name=name)
    return found


def walk(body: Body, scope: Scope, s: Substitution, enter: int, leave: int) -> None:
    """Commands that lead from step ``enter`` to step ``leave`` through a substitution."""
    loops = body.loops
    match s:
        case _ if not has_loop(s):
            for o in outcomes(body.to, scope, s):
                loops.commands.append(step_command(body, enter, leave, o, (), s.span))
        case Sequence(parts=parts):
            at = enter
            for k, part in enumerate(parts):
                after = leave if k == len(parts) - 1 else loops.new_step()
                walk(body, scope, part, at, after)
                at = after
        case Var(names=names, body=inside):
            kept = place_names(loops, scope, names, f"{body.operation.name}.")
            own: dict[str, Formula] = {n: Name(p.span, p.name, type=p.type) for n, p in kept.items()}
            inner = scope.having({p.name: Read(p.name, span=p.span) for p in kept.values()})
            walk(body, inner, substitute(inside, own), enter, leave)
        case If():
            walk_branches(body, scope, s, enter, leave)
        case Pre(predicate=condition, body=inside) | Assert(predicate=condition, body=inside):
            what = "precondition" if isinstance(s, Pre) else "ASSERT predicate"
            demand = require(lower(scope, condition), f"the {what} does not hold", condition.span)
            begin = loops.new_step()
            loops.commands.append(step_command(body, enter, begin, Outcome(requires=(demand,)), (), s.span))
            walk(body, scope, inside, begin, leave)
        case Choice(options=options):
            for option in options:
                walk(body, scope, option, enter, leave)
        case Select():
            walk_select(body, scope, s, enter, leave)
        case While():
            walk_loop(body, scope, s, enter, leave)
        case _:
            refuse_loop(s, f"this place of operation {body.operation.name}")


def walk_branches(body: Body, scope: Scope, s: If, enter: int, leave: int) -> None:
    failed: list[Expr] = []
    otherwise = s.otherwise or Skip(s.span)
    for condition, branch in (*((lower(scope, p), b) for p, b in s.branches), (TRUE, otherwise)):
        inside = body.loops.new_step()
        guard = nontrivial(conjunction([*failed, condition], s.span))
        body.loops.commands.append(step_command(body, enter, inside, Outcome(guard=guard), (), s.span))
        walk(body, scope, branch, inside, leave)
        failed.append(negation(condition, s.span))


def walk_select(body: Body, scope: Scope, s: Select, enter: int, leave: int) -> None:
    """Every branch whose condition holds; where none does, the one after ELSE or no way at all."""
    conditions = [guarded([lower(scope, c) for c in conjuncts(p)]) for p, _ in s.branches]
    ways = list(zip(conditions, (branch for _, branch in s.branches), strict=True))
    if s.otherwise is not None:
        ways.append((conjunction([negation(c, s.span) for c in conditions]), s.otherwise))
    for condition, branch in ways:
        inside = body.loops.new_step()
        begin = Outcome(guard=nontrivial(condition))
        body.loops.commands.append(step_command(body, enter, inside, begin, (), s.span))
        walk(body, scope, branch, inside, leave)


def walk_loop(body: Body, scope: Scope, s: While, enter: int, leave: int) -> None:
    """Round and round while the condition holds; invariant and variant are demands."""
    loops = body.loops
    if old := old_names(s):
        kept = place_names(loops, scope, old, "before ")
        begin = loops.new_step()
        values = {kept[n.name].name: lower(scope, n) for n in old}
        loops.commands.append(step_command(body, enter, begin, Outcome(changes=values), (), s.span))
        enter, scope = begin, scope.having({f"{n.name}$0": Read(kept[n.name].name) for n in old})
    before = place_names(loops, scope, (Name(s.variant.span, "variant", type=s.variant.type),), "")["variant"].name
    inside, after = loops.new_step(), loops.new_step()
    condition, variant = lower(scope, s.condition), lower(scope, s.variant)
    keeps = require(lower(scope, s.invariant), "the loop invariant does not hold", s.invariant.span)
    span = s.variant.span
    positive = require(apply(O.LESS_EQUAL, number(0), variant, span=span), "the loop variant is negative", span)
    falls = require(apply(O.LESS, variant, Read(before), span=span), "the loop variant does not decrease", span)
    again = Outcome(guard=nontrivial(condition), requires=(keeps, positive), changes={before: variant})
    done = Outcome(guard=nontrivial(negation(condition, s.span)), requires=(keeps,))
    loops.commands.append(step_command(body, enter, inside, again, (), s.span))
    loops.commands.append(step_command(body, enter, leave, done, (), s.span))
    walk(body, scope, s.body, inside, after)
    loops.commands.append(step_command(body, after, enter, Outcome(requires=(falls,)), (), s.span))


def require(condition: Expr, message: str, span: Span) -> Require:
    return Require(condition, message, WELL_DEFINED, span)


def step_command(
    body: Body, enter: int, leave: int, o: Outcome, parameters: tuple[Parameter, ...], span: Span
) -> Command:
    writes = [Assign(Read(STEP), number(leave))]
    places = body.variables | body.loops.places.keys()
    writes += [Assign(Read(name), value) for name, value in o.changes.items() if name in places]
    steps: tuple[Step, ...] = (*o.requires, Together(tuple(writes)))
    here = apply(O.EQUAL, Read(STEP), number(enter), span=span)
    guard = conjunction([body.ready, here, *o.guard], span)
    hidden = tuple(p.name for p in o.parameters)
    return Command(body.operation.name, guard, steps, (*parameters, *o.parameters), hidden=hidden, span=span)


def leave_command(body: Body, scope: Scope, leave: int, kept: dict[str, Name]) -> Command:
    """The results are shown, and the operation's places are blank again."""
    o = body.operation
    results = tuple(
        Parameter(
            r.name,
            Elements(apply(O.SET, Read(kept[r.name].name), span=r.span), system_type(scope.universe, r.type)),
        )
        for r in o.results
    )
    blank: dict[str, Expr] = {p.name: Literal(default(p.type), p.type) for p in body.loops.places.values()}
    found = step_command(body, leave, 0, Outcome(changes=blank), results, o.span)
    here = apply(O.EQUAL, Read(STEP), number(leave), span=o.span)
    return replace(found, guard=conjunction([body.ready, here]))


def loop_variables(loops: Loops) -> tuple[Variable, ...]:
    return (Variable(STEP, INTEGER), *loops.places.values()) if loops.commands else ()
