"""Breadth-first search through a System, one state at a time: slow and plainly right.

Every other engine, every plan and every trace is compared with this one.  It checks invariants, deadlocks, assertions
and run-time errors; its traces are shortest.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from quorbit.canon.minimise import Reduce, reducer
from quorbit.engines import partial_order
from quorbit.engines.engine import Progress, Work, moves_left_out
from quorbit.engines.replay import is_way_out, lift
from quorbit.engines.stubborn import SAFETY, Chooser
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import FAULTS, Fault, Meaning, Move, Violation
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock, Property, State, System, Temporal
from quorbit.result.outcome import Outcome, Statistics, Verdict, among_all_errors
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable, replace
from quorbit.source.limits import depth_reached, states_reached, time_reached

BETWEEN_REPORTS = 0.05  # seconds


@mutable
class Search:
    """What the search knows so far."""

    system: System
    meaning: Meaning
    properties: tuple[Property, ...]
    reduce: Reduce | None
    options: SearchOptions
    parents: dict[State, State | None] = field(default_factory=dict)
    levels: list[int] = field(default_factory=list)
    fired: list[int] = field(default_factory=list)
    transitions: int = 0
    errors: int = 0
    failure: tuple[State, Violation, bool] | None = None  # where, what, and whether the last move makes it
    left_out: str = ""  # the label of moves that were not followed, since there are too many from one state
    choose: Chooser | None = None  # partial order: which of the moves from a state are looked at
    open: set[State] = field(default_factory=set)  # those of the next level
    numbers: dict[State, int] = field(default_factory=dict)  # in the order in which they were found
    partly: dict[State, frozenset[int]] = field(default_factory=dict)  # with the commands looked at
    leads: dict[State, State] = field(default_factory=dict)  # of those expanded in part: a successor, never in a cycle


class Stopped(Exception):
    """A limit was hit or the user interrupted; the message says which."""


def explore(
    system: System,
    properties: tuple[Property, ...],
    reduce: Reduce | None = None,
    options: SearchOptions | None = None,
    progress: Progress | None = None,
    choose: Chooser | None = None,
) -> Outcome:
    """Check the safety properties on all reachable states, one per orbit if ``reduce`` is given, and not in every order
    if ``choose`` is."""
    search = Search(system, Meaning(system), properties, reduce, options or SearchOptions(), choose=choose)
    search.fired = [0] * len(system.commands)
    began = time.process_time()
    message, verdict = "", Verdict.HOLDS
    try:
        run(search, progress)
    except Stopped as stopped:
        message, verdict = str(stopped), Verdict.UNKNOWN
    statistics = summarise(search, time.process_time() - began)
    por = partial_order.OFF if choose is None else partial_order.used(statistics.states, len(search.partly))
    if search.left_out and verdict is Verdict.HOLDS:
        message, verdict = moves_left_out(system, search.left_out), Verdict.UNKNOWN
    if search.failure is None:
        return Outcome(verdict, message=message, statistics=statistics, engine="reference", por=por)
    state, violation, by_move = search.failure
    trace = lift(system, path_to(search, state), reduce, violation if by_move else None)
    text = violation.message if choose is None else f"{violation.message}; {partial_order.LONGER}"
    outcome = Outcome(Verdict.FAILS, violation.property, text, trace, statistics, "reference", por)
    return among_all_errors(outcome, message) if search.options.all_errors else outcome


def explore_by_plan(work: Work) -> Outcome:
    """The same for what the pipeline asks; with partial-order reduction if that is asked for by name."""
    system, properties, options = work.system, work.properties, work.options
    reduce = None if work.plan is None or work.layout is None else reducer(work.layout, work.plan)
    if options.por != "on":
        reason = "off" if options.por == "off" else "the reference engine uses it only with --por on"
        outcome = explore(system, properties, reduce, options, work.progress)
        return replace(outcome, por=partial_order.unused(reason))
    if reason := partial_order.refusal(system, properties, work.plan, options):
        raise UserError(None, f"--por on cannot be used here: {reason}")
    facts = partial_order.find_facts(system, properties, work.plan)
    chooser = Chooser(facts, Meaning(system), SAFETY)
    return explore(system, properties, reduce, options, work.progress, chooser)


def refusal(properties: tuple[Property, ...]) -> str:
    """Why this engine cannot serve these, "" if it can."""
    if any(isinstance(p, Temporal) for p in properties):
        return "checks invariants, assertions and deadlocks, not temporal formulas"
    return ""


def run(search: Search, progress: Progress | None) -> None:
    """Level by level, until nothing new is found, an error ends the search or a limit is hit."""
    frontier = list(start(search))
    search.open.clear()
    clock = Clock(search.options.timeout)
    while frontier:
        search.levels.append(len(frontier))
        if search.options.max_depth is not None and len(search.levels) > search.options.max_depth:
            raise Stopped(depth_reached(search.options.max_depth))
        following: list[State] = []
        postponed: list[State] = []
        for s in frontier:
            if search.failure and not search.options.all_errors:
                return
            following.extend(expand(search, s, postponed))
            clock.tick(search, progress)
        for s in postponed:
            following.extend(lead_or_expand(search, s))
        search.open.clear()
        frontier = following


def start(search: Search) -> Iterator[State]:
    """The initial states; with ``count_once`` those of one orbit are one move from nothing."""
    for s in search.meaning.initial_states():
        new = list(visit(search, s, None))
        search.transitions += len(new) if search.system.count_once else 1
        yield from new


def expand(search: Search, s: State, postponed: list[State]) -> Iterator[State]:
    """The new states one move from s; of some moves only, if these lead to a state of the next level, else s is
    postponed to the end of this level [condition 5, docs/partial-order.md]."""
    moves: Iterable[Move] = search.meaning.moves(s)
    if search.choose is not None:
        every, chosen = list(moves), chosen_moves(search, s)
        moves = every if chosen is None else [move for move in every if move.firings[0].command in chosen]
        if chosen is not None:
            search.partly[s] = chosen
            yield from follow(search, s, moves, is_alive=has_way_out(search, s, every))
            targets = open_targets(search, s)
            if targets:
                search.leads[s] = targets[-1]  # loops are mostly left last
            elif search.choose.rules.proviso:
                postponed.append(s)
            return
        moves = every
    yield from follow(search, s, moves)


def chosen_moves(search: Search, s: State) -> frozenset[int] | None:
    assert search.choose is not None
    try:
        return search.choose.choose(s, (firing.command for firing in search.meaning.enabled(s)))
    except Fault:
        return None


def targets_of(search: Search, s: State) -> list[State]:
    """Where the moves that were looked at lead, in the order in which these states were found."""
    moves = [m for m in search.meaning.moves(s) if m.firings[0].command in search.partly[s] and m.violation is None]
    return sorted({reduced(search, m.target) for m in moves}, key=search.numbers.__getitem__)


def open_targets(search: Search, s: State) -> list[State]:
    return [t for t in targets_of(search, s) if t in search.open]


def lead_or_expand(search: Search, s: State) -> Iterator[State]:
    """A state of which no move looked at leads to the next level: it follows the first of its successors if the leads
    of that do not come back to it; else its other moves are looked at as well."""
    at = next(iter(targets_of(search, s)), s)
    first = at
    while at in search.leads:
        at = search.leads[at]
    if at == s:
        yield from expand_rest(search, s)
    else:
        search.leads[s] = first


def expand_rest(search: Search, s: State) -> Iterator[State]:
    """What was left out of a state."""
    chosen = search.partly.pop(s)
    rest = [m for m in search.meaning.moves(s) if m.firings[0].command not in chosen]
    yield from follow(search, s, rest, is_alive=True)  # else that was said before


def reduced(search: Search, s: State) -> State:
    return search.reduce(s)[0] if search.reduce else s


def follow(search: Search, s: State, moves: Iterable[Move], is_alive: bool = False) -> Iterator[State]:
    """``is_alive``: s is not a deadlock, whatever these moves are."""
    seen = set()
    taken: dict[str, int] = {}
    for move in moves:
        is_alive = is_alive or has_way_out(search, s, [move])
        for firing in move.firings:
            search.fired[firing.command] += 1
        if move.violation is not None:
            if is_asked(search.properties, move.violation):
                note_failure(search, s, move.violation, by_move=True)
            continue
        t = search.reduce(move.target)[0] if search.reduce else move.target
        if search.system.count_once:
            call = visible_call(search.system, move, t)
            if call in seen:
                continue
            seen.add(call)
        if search.system.most_moves is not None:
            label = search.system.commands[move.firings[0].command].label
            taken[label] = taken.get(label, 0) + 1
            if taken[label] > search.system.most_moves:
                search.left_out = label
                continue
        search.transitions += 1
        yield from visit(search, t, s, reduced=True)
    if not is_alive:
        check_deadlock(search, s)


def has_way_out(search: Search, s: State, moves: list[Move]) -> bool:
    return any(is_way_out(search.properties, s, move) for move in moves)


def visit(search: Search, s: State, parent: State | None, reduced: bool = False) -> Iterator[State]:
    if search.reduce and not reduced:
        s = search.reduce(s)[0]
    if s not in search.parents:
        search.parents[s] = parent
        search.numbers[s] = len(search.numbers)
        search.open.add(s)
        check_invariants(search, s)
        yield s


def check_invariants(search: Search, s: State) -> None:
    for p in search.properties:
        if isinstance(p, Invariant):
            try:
                if not search.meaning.holds(p.condition, s):
                    note_failure(search, s, Violation(p.name, p.message or f"{p.name} does not hold", p.span))
            except Fault as fault:
                note_failure(search, s, Violation(FAULTS, fault.message, fault.span))


def check_deadlock(search: Search, s: State) -> None:
    for p in search.properties:
        if isinstance(p, NoDeadlock):
            try:
                if not search.meaning.holds(p.allowed, s):
                    note_failure(search, s, Violation(p.name, p.message, p.span))
            except Fault as fault:
                note_failure(search, s, Violation(FAULTS, fault.message, fault.span))


def note_failure(search: Search, s: State, violation: Violation, by_move: bool = False) -> None:
    search.errors += 1
    if search.failure is None:
        search.failure = s, violation, by_move


def is_asked(properties: tuple[Property, ...], violation: Violation) -> bool:
    """Run-time errors always count; assertions only if they were asked for."""
    return violation.property == FAULTS or any(
        isinstance(p, Assertions) and p.name == violation.property for p in properties
    )


def visible_call(system: System, move: Move, t: State) -> tuple[object, ...]:
    """What the user calls this move: the commands with their visible arguments, and the state reached."""
    calls: list[object] = [t]
    for firing in move.firings:
        command = system.commands[firing.command]
        shown = [v for p, v in zip(command.parameters, firing.binding, strict=True) if p.name not in command.hidden]
        calls.append((command.label, tuple(shown)))
    return tuple(calls)


def path_to(search: Search, s: State) -> list[State]:
    path: list[State] = []
    at: State | None = s
    while at is not None:
        path.append(at)
        at = search.parents[at]
    return path[::-1]


def summarise(search: Search, seconds: float) -> Statistics:
    return Statistics(
        states=len(search.parents),
        transitions=search.transitions,
        depth=max(0, len(search.levels) - 1),
        explore_seconds=seconds,
        levels=tuple(search.levels),
        fired=tuple(search.fired),
        errors=search.errors,
    )


class Clock:
    """Looks at the time now and then: limits, and reports of progress."""

    def __init__(self, timeout: float | None) -> None:
        self.began = self.reported = time.monotonic()
        self.timeout = timeout

    def tick(self, search: Search, progress: Progress | None) -> None:
        limit = search.options.max_states
        if limit is not None and len(search.parents) > limit:
            raise Stopped(states_reached(limit))
        now = time.monotonic()
        if now - self.reported < BETWEEN_REPORTS:
            return
        self.reported = now
        if self.timeout is not None and now - self.began > self.timeout:
            raise Stopped(time_reached(self.timeout))
        if progress is not None and progress(summarise(search, now - self.began)):
            raise Stopped("interrupted")
