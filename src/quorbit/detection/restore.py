"""The smallest change of a model that makes a permutation a symmetry of it, where up to three of a few kinds do.

Changes are tried on the System as it was loaded, the shortest text first, and each is judged by detecting the symmetry
of the changed System: a condition becomes true or false (all that read alike, if one alone does not do), the values a
variable starts with become the same, a property is left out.  Where no change alone does, one that leaves fewer lines
which break the permutation is taken together with another.

Short names: g a permutation of the atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod

from quorbit.detection.reasons.why import Breach, extended, why
from quorbit.detection.reveal import reveal
from quorbit.detection.steps.counting import counters
from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import Group, restrict
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.operators import LOGICAL
from quorbit.model.meaning.value_names import LOCATION
from quorbit.model.system.command import Assign, Command, Step, Together, assignments_in
from quorbit.model.system.expression import FALSE, TRUE, Apply, Atoms, Expr, Literal, Quantifier, Quantify, Read
from quorbit.model.system.mapping import map_system
from quorbit.model.system.system import Property, System
from quorbit.model.system.types import Number, Truth, Value
from quorbit.model.system.walk import expressions_of, map_parts, parts, walk
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import NOWHERE, Span

__all__ = ["Change", "smallest_change"]

LEAST_TRIED, MOST_TRIED = 2, 24
MOST_TOGETHER = 3  # changes
NOT_THERE = 1_000_000
MOST_INSTANCES = 1_500  # of commands in all that is tried, beyond the least number of trials
Place = tuple[str, int, int]  # of a text: file, start, end


@frozen
class Change:
    """What to change, and where."""

    span: Span
    message: str


def smallest_change(
    loaded: System, properties: tuple[Property, ...], system: System, g: Permutation, breaches: Sequence[Breach]
) -> Change | None:
    """A change after which g is a symmetry, the shortest of those tried; ``system`` is the one that g permutes.

    None after which some statement could never run again: nobody would want it."""
    moves = {system.atoms[a].name: system.atoms[x].name for a, x in enumerate(g) if a != x}
    performed = {place_of(c) for c in system.commands}
    most = max(LEAST_TRIED, min(MOST_TRIED, MOST_INSTANCES // (1 + count_instances(system))))
    begun = Partial((), replace(loaded, properties=properties), tuple(breaches))
    for _ in range(MOST_TOGETHER):
        steps = []
        for change, changed in islice(changes(begun.system, begun.breaches), most):
            candidate, found = reveal(changed, changed.properties)
            keeps = performed <= {place_of(c) for c in candidate.commands}
            if not restores(candidate, found.group, moves):
                steps.append(Partial((*begun.changes, change), changed, left_after(candidate, moves), keeps))
            elif keeps:
                return together((*begun.changes, change))
        best = min((step for step in steps if step.keeps), key=lines_broken, default=begun)
        if lines_broken(best) >= lines_broken(begun):
            return None
        begun = best
    return None


@frozen
class Partial:
    """Some changes, the System after them, what breaks the permutation still, and whether every statement can run."""

    changes: tuple[Change, ...]
    system: System
    breaches: tuple[Breach, ...]
    keeps: bool = True


def lines_broken(partial: Partial) -> int:
    """How many lines break the permutation; very many if it permutes what is not there any more."""
    return len({(b.span.file, b.span.line) for b in partial.breaches}) or NOT_THERE


def left_after(system: System, moves: dict[str, str]) -> tuple[Breach, ...]:
    numbers = {atom.name: a for a, atom in enumerate(system.atoms)}
    if not all(name in numbers for name in moves):
        return ()
    g = list(range(len(system.atoms)))
    for name, image in moves.items():
        g[numbers[name]] = numbers[image]
    return why(system, system.properties, extended(system, tuple(g)))


def together(changes: tuple[Change, ...]) -> Change:
    return Change(changes[0].span, "; and ".join(change.message for change in changes))


def count_instances(system: System) -> int:
    domains = [[p.domain.atoms for p in c.parameters if isinstance(p.domain, Atoms)] for c in system.commands]
    return sum(prod(map(len, ranged)) for ranged in domains)


def restores(system: System, group: Group, moves: dict[str, str]) -> bool:
    """Whether some symmetry moves these atoms as wanted and no others of their sorts."""
    numbers = {atom.name: a for a, atom in enumerate(system.atoms)}
    if not all(name in numbers for name in moves):
        return False
    sorts = {system.atoms[numbers[name]].sort for name in moves}
    points = [a for a, atom in enumerate(system.atoms) if atom.sort in sorts]
    wanted = list(range(len(system.atoms)))
    for name, image in moves.items():
        wanted[numbers[name]] = numbers[image]
    return contains(build_chain(restrict(group, points)), tuple(wanted))


def changes(loaded: System, breaches: Sequence[Breach]) -> Iterator[tuple[Change, System]]:
    for variable in variables_started_differently(loaded):
        yield start_alike(loaded, variable)
    conditions = conditions_near(loaded, breaches)
    for alike in (*([e] for e in conditions), *by_text(conditions)):
        if not alike[0].span.text.isidentifier():  # a flag says what the model is about
            yield from (write_instead(loaded, alike, value) for value in (TRUE, FALSE))
    for p in loaded.properties:
        kept = tuple(other for other in loaded.properties if other is not p)
        yield Change(p.span, f"leave out the property {p.name}"), replace(loaded, properties=kept)


# Conditions.


def conditions_near(system: System, breaches: Sequence[Breach]) -> list[Expr]:
    """The conditions the user wrote on the lines of the breaches, the shortest first, each place of the text once.  Not
    those that say how far a loop goes: without them it would not end."""
    counted = counters(system)
    lines = {(b.span.file, b.span.line) for b in breaches if b.span.source is not NOWHERE.source}
    found: dict[Place, Expr] = {}
    for command in system.commands:
        for e in expressions_of(command):
            for part in walk(e):
                if is_condition(part) and (part.span.file, part.span.line) in lines and not bounds(part, counted):
                    found.setdefault(place_of(part), part)
    return sorted(found.values(), key=lambda e: (e.span.end - e.span.start, place_of(e)))


def bounds(e: Expr, counted: frozenset[str]) -> bool:
    """Whether a condition compares the counter of a loop."""
    return any(isinstance(part, Read) and part.variable in counted for part in parts(e))


def is_condition(e: Expr) -> bool:
    """Whether the user wrote e as a condition; not what asks where a process is, which has the span of a statement."""
    written = e.span.source is not NOWHERE.source and not any(
        isinstance(part, Read) and part.variable.endswith(LOCATION) for part in walk(e)
    )
    logical = isinstance(e, Apply) and e.operator in LOGICAL
    return written and (logical or (isinstance(e, Quantify) and e.quantifier in (Quantifier.ALL, Quantifier.SOME)))


def place_of(e: Expr | Command) -> Place:
    return e.span.file, e.span.start, e.span.end


def by_text(conditions: list[Expr]) -> list[list[Expr]]:
    """Those that read alike, where there are several."""
    found: dict[str, list[Expr]] = {}
    for e in conditions:
        found.setdefault(e.span.text, []).append(e)
    return [alike for alike in found.values() if len(alike) > 1]


def write_instead(system: System, conditions: list[Expr], value: Literal) -> tuple[Change, System]:
    places = {place_of(e) for e in conditions}

    def change(e: Expr) -> Expr:
        return value if is_condition(e) and place_of(e) in places else map_parts(e, change)

    first = conditions[0]
    where = f"line {first.span.line}" if len(conditions) == 1 else f"lines {', '.join(lines_of(conditions))}"
    word = "true" if value == TRUE else "false"
    return Change(first.span, f"{where}: replace `{first.span.text}` by `{word}`"), map_system(system, change)


def lines_of(conditions: list[Expr]) -> list[str]:
    return [str(line) for line in sorted({e.span.line for e in conditions})]


# Values at the start.


def variables_started_differently(system: System) -> list[str]:
    """Variables that get numbers at the start, two of them the same and two of them not: these number nobody."""
    given: dict[str, list[Value]] = {}
    for command in first_commands(system):
        for a in assignments_of(command):
            if is_plain(a):
                given.setdefault(a.target.variable, []).append(a.value.value)  # type: ignore[union-attr]
    return [name for name, values in given.items() if 1 < len(set(values)) < len(values)]


def first_commands(system: System) -> list[Command]:
    """The start, and commands that say nothing but numbers: so a prelude is written down."""
    written = [c for c in system.commands if not c.parameters and len(assignments_of(c)) > 1]
    return [*system.start, *(c for c in written if all(isinstance(a.value, Literal) for a in assignments_of(c)))]


def assignments_of(command: Command) -> list[Assign]:
    return list(assignments_in(command.effect))


def is_plain(a: Assign) -> bool:
    return isinstance(a.value, Literal) and isinstance(a.value.type, Number | Truth)


def start_alike(system: System, variable: str) -> tuple[Change, System]:
    """All places of the variable that get a number at the start get the first one."""
    chosen = first_commands(system)
    values = [a.value for c in chosen for a in assignments_of(c) if a.target.variable == variable and is_plain(a)]
    first = values[0]

    def step(s: Step) -> Step:
        if not isinstance(s, Together):
            return s
        return Together(
            tuple(
                replace(a, value=first) if a.target.variable == variable and is_plain(a) else a for a in s.assignments
            )
        )

    def command(c: Command) -> Command:
        return replace(c, effect=tuple(map(step, c.effect))) if any(c is other for other in chosen) else c

    span = system.variable[variable].span
    shown = first.value if isinstance(first, Literal) else first
    changed = replace(system, start=tuple(map(command, system.start)), commands=tuple(map(command, system.commands)))
    return Change(span, f"let all of {variable} start with {shown}"), changed
