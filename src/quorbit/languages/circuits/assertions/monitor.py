"""A concurrent assertion as a monitor: registers and wires in Verilog, and an immediate assertion about them.

An attempt begins at every tick, so many are under way at once.  Those that are in the same state of the automaton go on
alike: a register for each state tells whether some attempt is there.  What an implication waits for is watched by the
nondeterministic automaton of its sequence, and each match begins an attempt of its right side; what must not fail is
watched by the deterministic automaton of the property.  Where an attempt may wait for ever (``s_eventually``), one
attempt is watched that an input chooses: the model checker tries them all.
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.languages.circuits.assertions.automaton import (
    Automaton,
    Branch,
    TooLarge,
    Tree,
    build,
    grow,
    is_boolean,
    why_not_live,
)
from quorbit.languages.circuits.assertions.properties import (
    FALSE,
    TRUE,
    All,
    Always,
    Any,
    Constant,
    Eventually,
    Implies,
    Later,
    Matches,
    Property,
    ordered,
)
from quorbit.languages.circuits.assertions.sequences import (
    Condition,
    Sequence,
    in_order,
    is_live,
    matches_empty,
    moves,
    reached,
    spelled,
)
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Span

MOST_THREADS = 4000
ON, OFF = "1'b1", "1'b0"
TOO_LARGE = "its monitor would be too large: use smaller ranges, or write it with registers"


@mutable
class Monitor:
    """Names of wires and registers begin with ``prefix``; ``wires`` and ``registers`` are expressions over them."""

    prefix: str
    span: Span
    wires: dict[str, str] = field(default_factory=dict)
    registers: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)  # when the assertion is violated
    waits: list[str] = field(default_factory=list)  # what must not be true infinitely often
    premises: list[str] = field(default_factory=list)  # when the left sides of implications are matched
    on: str = ON  # whether it is not disabled

    def name(self, text: str) -> str:
        return f"\\{self.prefix}{text} "  # an escaped identifier ends with a blank

    def wire(self, value: str) -> str:
        if value in (ON, OFF) or value.startswith("\\"):
            return value
        found = self.name(f"w{len(self.wires)}")
        self.wires[found] = value
        return found

    def register(self) -> str:
        found = self.name(f"r{len(self.registers)}")
        self.registers[found] = OFF
        return found

    def condition(self, literals: Condition) -> str:
        return conjunction(self.name(f"a{k}") if wanted else f"!{self.name(f'a{k}')}" for k, wanted in sorted(literals))


def watch_failures(m: Monitor, p: Property, start: str) -> None:
    """Note when an attempt of a property that begins where ``start`` is true fails."""
    if is_boolean(p):
        m.failures.append(conjunction((start, paths_to(m, grow(p, {}), FALSE))))
        return
    match p:
        case All(parts):
            for part in ordered(parts):
                watch_failures(m, part, start)
        case Always(body):
            begun = m.register()
            m.registers[begun] = since = m.wire(conjunction((m.on, disjunction((start, begun)))))
            watch_failures(m, body, since)
        case Later(ticks, body):
            watch_failures(m, body, delayed(m, start, ticks))
        case Implies(threads, then):
            matched = m.wire(watch_matches(m, threads, start))
            m.premises.append(matched)
            watch_failures(m, then, matched)
        case Any(parts) if sum(not is_boolean(part) for part in parts) == 1:
            tests = [paths_to(m, grow(part, {}), FALSE) for part in ordered(parts) if is_boolean(part)]
            rest = next(part for part in parts if not is_boolean(part))
            watch_failures(m, rest, m.wire(conjunction((start, *tests))))
        case _:
            watch_attempts(m, p, start)


def watch_cover(m: Monitor, p: Property, start: str) -> str:
    """When an attempt succeeds, not by a left side that does not match."""
    match p:
        case Implies(threads, then):
            return watch_cover(m, then, m.wire(watch_matches(m, threads, start)))
        case Matches(threads) if not is_boolean(p):
            return watch_matches(m, threads, start)
    return follow(m, automaton_of(m, p), start)[TRUE]


def delayed(m: Monitor, start: str, ticks: int) -> str:
    for _ in range(ticks):
        later = m.register()
        m.registers[later] = conjunction((m.on, start))
        start = conjunction((m.on, later))
    return m.wire(start)


def watch_matches(m: Monitor, threads: frozenset[Sequence], start: str) -> str:
    """When one of some sequences, begun wherever ``start`` is true, is completed."""
    try:
        states = reached(sorted(threads, key=spelled), MOST_THREADS)
    except RecursionError:
        states = None
    if states is None:
        raise UserError(m.span, TOO_LARGE)
    into: dict[Sequence, list[str]] = {}
    held = {s: m.register() for s in states if moves(s) and is_live(s) and is_entered(s, states)}
    found = []
    for s in states:
        here = [start] if s in threads else []
        active = m.wire(conjunction((m.on, disjunction([*here, *([held[s]] if s in held else [])]))))
        for condition, left in in_order(moves(s)):
            fires = conjunction((active, m.condition(condition)))
            if matches_empty(left):
                found.append(fires)
            into.setdefault(left, []).append(fires)
    for s, register in held.items():
        m.registers[register] = disjunction(into.get(s, ()))
    return disjunction(found)


def is_entered(s: Sequence, states: list[Sequence]) -> bool:
    return any(left == s for t in states for _, left in moves(t))


def watch_attempts(m: Monitor, p: Property, start: str) -> None:
    automaton = automaton_of(m, p)
    waits = automaton.waits
    if not waits:
        m.failures.append(follow(m, automaton, start)[FALSE])
        return
    if reason := why_not_live(p):
        raise UserError(m.span, f"this property cannot be watched: {reason}; write it as LTL or CTL")
    chosen = m.register()
    picked = m.wire("$anyseq")
    first = m.wire(conjunction((start, picked, f"!{chosen}")))
    m.registers[chosen] = disjunction((chosen, first))
    failed = m.register()
    places: dict[Property, str] = {}
    m.registers[failed] = disjunction((failed, follow(m, automaton, first, places)[FALSE]))
    m.waits.append(disjunction([failed, *(places[p] for p in automaton.steps if p in waits)]))


def automaton_of(m: Monitor, p: Property) -> Automaton:
    try:
        return build(p)
    except (TooLarge, RecursionError):
        raise UserError(m.span, TOO_LARGE) from None


def follow(
    m: Monitor, automaton: Automaton, start: str, places: dict[Property, str] | None = None
) -> dict[Property, str]:
    """Registers for the states of an automaton whose attempts begin where ``start`` is true; when they end in TRUE and
    in FALSE.  ``places`` gets when an attempt is in each state."""
    steps = automaton.steps
    into: dict[Property, list[str]] = {TRUE: [], FALSE: []}
    entered = {end for tree in steps.values() for end, _ in paths(m, tree)}
    held = {p: m.register() for p in steps if p in entered}
    for k, (p, tree) in enumerate(steps.items()):
        here = [*([] if k else [start]), *([held[p]] if p in held else [])]
        active = m.wire(conjunction((m.on, disjunction(here))))
        if places is not None:
            places[p] = active
        for end, way in paths(m, tree):
            into.setdefault(end, []).append(conjunction((active, way)))
    for p, register in held.items():
        m.registers[register] = disjunction(into.get(p, ()))
    return {end: disjunction(into[end]) for end in (TRUE, FALSE)}


def paths(m: Monitor, tree: Tree) -> Iterable[tuple[Property, str]]:
    if not isinstance(tree, Branch):
        yield tree, ON
        return
    atom = m.name(f"a{tree.atom}")
    for test, below in ((atom, tree.yes), (f"!{atom}", tree.no)):
        for end, way in paths(m, below):
            yield end, conjunction((test, way))


def paths_to(m: Monitor, tree: Tree, wanted: Constant) -> str:
    return disjunction(way for end, way in paths(m, tree) if end == wanted)


def conjunction(parts: Iterable[str]) -> str:
    kept = [part for part in dict.fromkeys(parts) if part != ON]
    if OFF in kept:
        return OFF
    return kept[0] if len(kept) == 1 else f"({' & '.join(kept)})" if kept else ON


def disjunction(parts: Iterable[str]) -> str:
    kept = [part for part in dict.fromkeys(parts) if part != OFF]
    if ON in kept:
        return ON
    return kept[0] if len(kept) == 1 else f"({' | '.join(kept)})" if kept else OFF


def is_recurrence(p: Property) -> bool:
    """s_eventually of a boolean expression: asked at every tick it is fairness."""
    return isinstance(p, Eventually) and is_boolean(p.body)
