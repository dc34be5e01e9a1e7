"""Program -> System.

A model is lowered twice.  The first reading stores everything as numbers; it finds out which ranges are names, runs the
start states and sees which parts of variables may be undefined.  The second one makes the System.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.murphi.facts import Facts
from quorbit.languages.murphi.lower.covers import covers_in, evaluated, reached_by, watched
from quorbit.languages.murphi.lower.frame import Context
from quorbit.languages.murphi.lower.properties import lower_properties
from quorbit.languages.murphi.lower.rules import Rules, for_all, lower_rules
from quorbit.languages.murphi.lower.start import Started, as_rules, carry_over, run_starts
from quorbit.languages.murphi.lower.statements import inline
from quorbit.languages.murphi.lower.store import Store
from quorbit.languages.murphi.lower.typed import Values
from quorbit.languages.murphi.remarks import remarks_about
from quorbit.languages.murphi.resolve import Scope, declare, resolve_type
from quorbit.languages.murphi.syntax.program import Program, VariableDeclaration
from quorbit.model.system.command import Command, Require
from quorbit.model.system.expression import Expr, conjunction
from quorbit.model.system.system import ASSUMED, Assertions, System
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import NOWHERE, Source, Span

__all__ = ["Lowered", "lower_program"]


@frozen
class Reading:
    """One reading of a model: how it is stored, and what its rules are."""

    context: Context
    rules: Rules


@frozen
class Lowered:
    """The System of a model, with what is needed to read more in its words."""

    system: System
    context: Context
    facts: Facts


def lower_program(name: str, source: Source, program: Program, given: dict[str, int]) -> Lowered:
    scope = Scope()
    declare(scope, tuple(program.declarations), given)
    facts = Facts()
    first = read_model(program, scope, Store(numeric=True), facts)
    check_complete(source, first.rules)
    started = run_starts(name, first.context.store, unmarked(first.rules.starts), conditions(first.rules, "assume"))
    second = read_model(program, scope, informed_store(facts, started), Facts())
    store = second.context.store
    marked = list(assumed(second.rules.commands, conditions(second.rules, "assume")))
    commands, start = unmarked(marked), list(carry_over(first.context.store, store, started))
    properties = lower_properties(second.rules)
    if started.failed:
        commands, start = as_rules(store, unmarked(second.rules.starts))
        properties = (Assertions(),)
    system = System(
        name,
        tuple(store.atoms),
        tuple(store.variables.values()),
        tuple(commands),
        tuple(start),
        properties=properties,
        remarks=tuple(remarks_about(scope, facts)),
    )
    if not started.failed:
        covers = list(covers_in(program))
        known = frozenset(claim.span for claim in covers if is_reached_at_start(first, claim.span))
        system = replace(system, properties=(*properties, *watched(system, marked, covers, known)))
    return Lowered(system, second.context, facts)


def unmarked(commands: list[Command]) -> list[Command]:
    return list(map(evaluated, commands))


def is_reached_at_start(reading: Reading, cover: Span) -> bool:
    starts = [reached_by(start, cover) for start in reading.rules.starts]
    return starts != unmarked(reading.rules.starts) and run_starts("", reading.context.store, starts, []).failed


def read_model(program: Program, scope: Scope, store: Store, facts: Facts) -> Reading:
    context = Context(program, scope, store, Values(store, facts), {}, inline)
    for declaration in program.declarations:
        if isinstance(declaration, VariableDeclaration):
            type = resolve_type(scope, declaration.type)
            for name in declaration.names:
                if name.text in context.globals:
                    raise UserError(name.span, f"there is already a variable {name.text}")
                context.globals[name.text] = store.declare(name.text, type, name.span)
    return Reading(context, lower_rules(context, program.rules))


def informed_store(facts: Facts, started: Started) -> Store:
    store = Store(numeric=False, undefined=facts.may_be_undefined(started.undefined))
    for found in facts.all_classes():
        if found.is_sort():
            store.add_class(found)
    return store


def check_complete(source: Source, rules: Rules) -> None:
    end = Span(source, len(source.text), len(source.text))
    if not rules.starts:
        raise UserError(end, "the model has no start state; write startstate ... end")


def conditions(rules: Rules, kind: str) -> list[Expr]:
    return [for_all(stated) for stated in rules.stated if stated.kind == kind]


def assumed(commands: list[Command], assumptions: list[Expr]) -> Iterator[Command]:
    """The commands, whose moves are dropped where they lead to a state that is assumed not to be."""
    if not assumptions:
        yield from commands
        return
    last = Require(conjunction(assumptions), "assumption", ASSUMED, NOWHERE)
    for command in commands:
        yield replace(command, effect=(*command.effect, last))
