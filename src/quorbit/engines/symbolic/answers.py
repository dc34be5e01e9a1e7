"""Answers about properties from one encoded model: one Outcome each, with a trace where one path shows it.

A verdict may be known long before the run that shows it.  So answers come twice: at once, and again with the trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from quorbit.engines.symbolic.ctlstar.check import Checker
from quorbit.engines.symbolic.ctlstar.normal import States
from quorbit.engines.symbolic.model import Model
from quorbit.engines.symbolic.quotients.count import count_orbits
from quorbit.engines.symbolic.reach import Clock, OutOfTurn, Reached, reach
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.trace import path_to, trace_of
from quorbit.engines.symbolic.witness import Run, show_path
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.machine.options import SearchOptions
from quorbit.model.diagrams.bits import is_coded, state_cube
from quorbit.model.diagrams.cases import Bdd, Unsupported
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Release,
    SomePath,
    Truth,
    Until,
    WeakUntil,
    children,
    negate,
    walk,
)
from quorbit.model.system.formula_kinds import is_state_formula
from quorbit.model.system.system import Invariant, NoDeadlock, Property, State, Temporal
from quorbit.result.outcome import Outcome, Statistics, Trace, Verdict
from quorbit.source.frozen import frozen, replace

__all__ = ["Tell", "explain_at"]

NAME = "symbolic"
UNSHOWN = "the run that shows it was not found in time"
MOST_AHEAD = 3  # steps that are looked ahead from all states there are, before it is known which are reached
FIRST_SHARE, GROWTH = 0.5, 4  # seconds for one of several properties, and how much more it gets the next time
Tell = Callable[[int, Outcome], None]  # the number of a property, and the answer


@frozen
class SymbolicOptions:
    """library: oxidd, cudd, or auto (oxidd, and cudd with reordering when that runs out of memory)."""

    library: str = "auto"
    reorder: bool = False
    witnesses: bool = False  # a trace also for an E formula that holds
    generators: tuple[Permutation, ...] = ()  # symmetries of the System, for formulas that are images of each other
    isolate: bool = False  # work in processes that can be ended at any moment
    groups: tuple[Group | None, ...] = ()  # for each property the symmetries that keep it, where they are known
    quotient: str = "auto"  # next or relation: on the quotient by these groups [M97, 4.3.2]; off: never on one
    # glance: only what is answered at once; first: in a few seconds; later: all but that; clauses: soon by a SAT
    # solver; glance at clauses: in a moment by that; sets: first, but for a SAT solver
    stage: str = "all"

    @property
    def is_last(self) -> bool:
        """Whether nobody will be asked later, so that a verdict counts without the run that shows it."""
        return self.stage in ("all", "later")


def answer_all(
    model: Model,
    properties: Sequence[Property],
    options: SearchOptions,
    symbolic: SymbolicOptions,
    clock: Clock,
    tell: Tell | None = None,
) -> list[Outcome]:
    """Answers on the reachable states; ``tell`` hears of each as soon as it is known."""
    began = time.process_time()
    watch = None if tell is None else early_errors(model, properties, tell)
    reached = reach(model, clock, max_depth=options.max_depth, watch=watch)
    statistics = Statistics(
        states=model.count(reached.states),
        depth=len(reached.rings) - 1,
        levels=tuple(model.count(r) for r in reached.rings),
    )
    if not properties:
        counted = replace(statistics, explore_seconds=time.process_time() - began)
        if tell is not None:
            tell(0, Outcome(Verdict.HOLDS, statistics=counted, engine=NAME))
        return [Outcome(Verdict.HOLDS, statistics=counted, engine=NAME)]
    turn = clock.sooner(float("inf"))
    checker = Checker(model, reached.states, turn, symbolic.generators)
    known: dict[int, Outcome] = {}
    waiting, share = sorted(enumerate(properties), key=lambda item: fixpoints_in(item[1])), FIRST_SHARE
    while waiting:  # one that takes long must not keep the others from being answered
        left = []
        for k, p in waiting:
            turn.turn = clock.sooner(share if len(waiting) > 1 else float("inf")).turn
            try:
                for outcome in answer(model, reached, checker, p, symbolic):
                    seconds = time.process_time() - began
                    known[k] = replace(outcome, statistics=replace(statistics, explore_seconds=seconds))
                    if tell is not None:
                        tell(k, known[k])
                began = time.process_time()
            except OutOfTurn:
                clock.tick()
                left.append((k, p))
        waiting, share = left, share * GROWTH
    found = [known[k] for k in range(len(properties))]
    if tell is not None:
        for k, outcome in with_orbits(model, reached, symbolic.groups, found):
            tell(k, outcome)
    return found


def fixpoints_in(p: Property) -> int:
    """How many fixpoints a formula takes at most."""
    if not isinstance(p, Temporal):
        return 0
    return sum(1 for f in walk(p.formula) if isinstance(f, Always | Eventually | Until | Release | WeakUntil))


def with_orbits(
    model: Model, reached: Reached, groups: Sequence[Group | None], found: Sequence[Outcome]
) -> Iterator[tuple[int, Outcome]]:
    """The answers again, with the number of orbits that the symmetries of their properties leave; groups with the same
    generators are asked once."""
    known: dict[object, int | None] = {}
    for k, (group, outcome) in enumerate(zip(groups, found, strict=False)):
        if group is not None and reached.complete:
            key = tuple(group.moves)
            if key not in known:
                known[key] = count_orbits(model, reached.states, group)
            if known[key] is not None:
                yield k, replace(outcome, statistics=replace(outcome.statistics, orbits=known[key]))


def early_errors(model: Model, properties: Sequence[Property], tell: Tell) -> Callable[[list[Bdd]], None]:
    """Tells of properties that the states found so far break; of AG only where its body looks a few steps ahead.

    A formula that itself looks no further is decided at once."""
    checker = Checker(model, all_states(model), Clock())
    for k, p in enumerate(properties):
        if isinstance(p, Temporal) and is_local(p.formula) and never_stops(model):
            tell(k, last_of(answer_temporal(model, checker, p, SymbolicOptions(), None)))
    bad = {k: wrong for k, p in enumerate(properties) if (wrong := wrong_states(model, checker, p)) is not None}

    def watch(rings: list[Bdd]) -> None:
        for k, wrong in list(bad.items()):
            if rings[-1] & wrong != model.m.false:
                del bad[k]
                tell(k, early_error(model, checker, properties[k], rings, wrong))

    return watch


def wrong_states(model: Model, checker: Checker, p: Property) -> Bdd | None:
    """The states that break an invariant or the body of AG, if that is seen without a fixpoint."""
    match p:
        case Invariant(condition=condition):
            return ~model.truth(condition)
        case Temporal(formula=AllPaths(Always(body))) if is_local(body) and never_stops(model):
            return checker.universe & ~checker.states(body)
    return None


def is_local(f: Formula, ahead: int = MOST_AHEAD) -> bool:
    """Whether a state formula has no temporal operator but a few X, each directly below a path quantifier."""
    match f:
        case AllPaths(Next(body)) | SomePath(Next(body)):
            return ahead > 0 and is_local(body, ahead - 1)
        case Not() | And() | Or() | Implies() | Iff() | Truth() | Proposition():
            return all(is_local(g, ahead) for g in children(f))
    return False


def never_stops(model: Model) -> bool:
    return len(model.relations) == 1 and bool(model.relations[0].guard == model.m.true)


def early_error(model: Model, checker: Checker, p: Property, rings: list[Bdd], wrong: Bdd) -> Outcome:
    reached = Reached(rings[-1], tuple(rings))
    if isinstance(p, Invariant):
        return last_of(answer_safety(model, reached, p, wrong))
    assert isinstance(p, Temporal)
    assert isinstance(p.formula, AllPaths)
    assert isinstance(p.formula.operand, Always)
    return failing_run(model, checker, p, p.formula.operand.operand, path_to(model, reached, wrong))


def answer(
    model: Model, reached: Reached, checker: Checker, p: Property, symbolic: SymbolicOptions
) -> Iterator[Outcome]:
    """The answer as soon as it is known, if nobody is asked later, and the whole of it."""
    match p:
        case Invariant():
            found = answer_safety(model, reached, p, ~model.truth(p.condition))
        case NoDeadlock():
            stuck = ~model.preimage(model.m.true) & ~model.truth(p.allowed)
            found = answer_safety(model, reached, p, stuck)
        case Temporal():
            found = answer_temporal(model, checker, p, symbolic, reached)
        case _:
            raise Unsupported("assertions inside commands")
    yield from found if symbolic.is_last else (last_of(found),)


def last_of(outcomes: Iterator[Outcome]) -> Outcome:
    """The whole answer."""
    *_, last = outcomes
    return last


def unshown(p: Property) -> Outcome:
    return Outcome(Verdict.FAILS, p.name, UNSHOWN, engine=NAME)


def answer_safety(model: Model, reached: Reached, p: Invariant | NoDeadlock, bad: Bdd) -> Iterator[Outcome]:
    """No reachable state is bad."""
    if reached.states & bad == model.m.false:
        yield Outcome(Verdict.HOLDS, p.name, engine=NAME)
        return
    yield unshown(p)
    trace = trace_of(model, path_to(model, reached, bad))
    check_trace(model.system, trace)
    yield Outcome(Verdict.FAILS, p.name, p.message, trace, engine=NAME)


def answer_temporal(
    model: Model, checker: Checker, p: Temporal, symbolic: SymbolicOptions, reached: Reached | None
) -> Iterator[Outcome]:
    """``reached``: the rings of the universe, if that is the set of reachable states."""
    if len(model.system.commands) != 1 and checker.universe & ~model.preimage(checker.universe) != model.m.false:
        # Constraints of a circuit cut paths on purpose; elsewhere it is open what a formula says of a run that stops.
        raise Unsupported("a temporal formula on a model that can stop")
    match p.formula:
        case AllPaths(Always(body)) if is_state_formula(body):
            yield from answer_always(model, checker, p, body, reached)
            return
    states = checker.states(p.formula)
    wrong = model.initial & ~states
    if wrong != model.m.false:
        yield unshown(p)
        trace = explain(model, checker, p.formula, wrong, False)
        yield Outcome(Verdict.FAILS, p.name, " ".join(p.span.text.split())[:200], trace, engine=NAME)
        return
    yield Outcome(Verdict.HOLDS, p.name, engine=NAME)
    if symbolic.witnesses and model.initial != model.m.false:
        witness = explain(model, checker, p.formula, model.initial, True)
        yield Outcome(Verdict.HOLDS, p.name, trace=witness, engine=NAME)


def answer_always(
    model: Model, checker: Checker, p: Temporal, body: Formula, reached: Reached | None
) -> Iterator[Outcome]:
    """AG of a state formula: nothing needs to be known of states from which no wrong one is reached."""
    m = model.m
    wrong = checker.some_path(States(checker.universe & ~checker.states(body)), ())
    if wrong == m.false:
        yield Outcome(Verdict.HOLDS, p.name, engine=NAME)
        return
    if reached is not None:
        yield unshown(p)
        states = path_to(model, reached, wrong)
    else:
        rings = checker.structure.eu_rings(checker.universe, wrong, model.initial)
        if rings[-1] & model.initial == m.false:
            yield Outcome(Verdict.HOLDS, p.name, engine=NAME)
            return
        yield unshown(p)
        states = path_through(model, rings)
    yield failing_run(model, checker, p, body, states)


def failing_run(model: Model, checker: Checker, p: Temporal, body: Formula, states: Sequence[State]) -> Outcome:
    """Where the states lead to the body is wrong."""
    run = Run([state_cube(model.m, model.layout, s) for s in states])
    explain_at(checker, body, run, False)
    trace = trace_of(model, [model.pick(point) for point in run.points], run.loop)
    check_trace(model.system, trace)
    return Outcome(Verdict.FAILS, p.name, " ".join(p.span.text.split())[:200], trace, engine=NAME)


def explain(model: Model, checker: Checker, formula: Formula, starts: Bdd, truth: bool) -> Trace | None:
    """A run from one of the starts that shows why the formula is true (or false) there; None if no single run does."""
    start = model.pick(starts)
    run = Run([state_cube(model.m, model.layout, start)])
    if not explain_at(checker, formula, run, truth):
        return trace_of(model, [start])
    trace = trace_of(model, [model.pick(point) for point in run.points], run.loop)
    check_trace(model.system, trace)
    return trace


def explain_at(checker: Checker, formula: Formula, run: Run, truth: bool) -> bool:
    """Extend the run by what shows the truth value at its last point; whether there is such a thing."""

    def holds(f: Formula) -> bool:
        return bool(run.points[-1] & checker.states(f) != checker.m.false)

    match formula:
        case Not(f):
            return explain_at(checker, f, run, not truth)
        case And(fs) | Or(fs):
            decisive = [f for f in fs if holds(f) == truth]
            return any(explain_at(checker, f, run, truth) for f in decisive[:1] if decisive)
        case Implies(left, right):
            if truth and holds(right):
                return explain_at(checker, right, run, True)
            return explain_at(checker, left, run, False) if truth else explain_at(checker, right, run, False)
        case Iff(left, right):
            return explain_at(checker, right, run, holds(right))
        case SomePath(p) if truth:
            show_path(checker, run, checker.normaliser.path(p))
            return True
        case AllPaths(p) if not truth:
            show_path(checker, run, checker.normaliser.path(negate(p)))
            return True
    return False


def backwards(model: Model, p: Property, universe: Bdd, symbolic: SymbolicOptions, clock: Clock) -> Iterator[Outcome]:
    """On a set that holds all reachable states and is closed under steps, which may need far fewer steps."""
    checker = Checker(model, universe, clock)
    if isinstance(p, Temporal):
        yield from answer_temporal(model, checker, p, symbolic, None)
        return
    if not isinstance(p, Invariant):
        raise MemoryError("a deadlock is looked for among the reachable states")
    bad = universe & ~model.truth(p.condition)
    rings = checker.structure.eu_rings(universe, bad, model.initial)
    if rings[-1] & model.initial == model.m.false:
        yield Outcome(Verdict.HOLDS, p.name, engine=NAME)
        return
    yield unshown(p)
    trace = trace_of(model, path_through(model, rings))
    check_trace(model.system, trace)
    yield Outcome(Verdict.FAILS, p.name, p.message, trace, engine=NAME)


def path_through(model: Model, rings: Sequence[Bdd]) -> list[State]:
    """From an initial state in the last ring to the first ring."""
    s = model.pick(rings[-1] & model.initial)
    path = [s]
    for ring in reversed(rings[:-1]):
        s = model.pick(model.image(state_cube(model.m, model.layout, s)) & ring)
        path.append(s)
    return path


def all_states(model: Model) -> Bdd:
    return model.m.conjunction(is_coded(model.m, coded, coded.bits) for coded in model.layout.places)
