"""The adaptive search: where it starts, what it finds and when, what it refuses."""

from dataclasses import replace

import pytest
from tests.unit.engines.adaptive.represented_states import represented, show_node

from quorbit.detection.commands.partition import infer_partitions
from quorbit.engines.adaptive.applicable import choose_classes, is_applicable, kinds
from quorbit.engines.adaptive.explore import explore, run
from quorbit.engines.adaptive.search import open_search
from quorbit.engines.reference.explore import explore as explore_reference
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.system.command import Command, Require, assign
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Assertions, Atom, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import AtomOf, Number, SetOf, TupleOf
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def system_of(text: str) -> System:
    return load_source(Source("model.edges", text), LoadOptions())


def check(system: System, options: SearchOptions | None = None) -> Outcome:
    return explore(system, system.properties, infer_partitions(system, system.properties), options)


def reach(system: System, options: SearchOptions | None = None):
    search = open_search(system, (), infer_partitions(system, ()), options or SearchOptions())
    run(search, None)
    return search


LATE = """
processes 2
states A, B, C, E
A -> B when #A = 2
A -> C when i = 1 and #A = 2
B -> C
C -> E
error e: #E > 0
no deadlock check
"""


def test_errors_are_found_at_minimum_distance() -> None:
    """As printed, Algorithm 2 finds this error at distance 3: CA|| is dropped for the later C A."""
    system = system_of(LATE)
    outcome = check(system)
    assert outcome.trace is not None
    assert len(outcome.trace.steps) == 2
    printed = open_search(system, system.properties, infer_partitions(system, system.properties), SearchOptions())
    printed.store.level_safe = False
    run(printed, None)
    assert printed.failure is not None
    assert printed.failure.node.depth == 3


def test_an_asymmetric_start_is_not_permuted() -> None:
    system = system_of("processes 3\nstates A, B, C\ninit 1: B\nB -> C when #C = 0\nno deadlock check")
    search = reach(system)
    assert [show_node(search.context, node) for node in search.store.nodes()] == ["B|AA", "C|AA"]
    assert len(represented(search.context, search.store.nodes())) == 2


def test_all_permutations_of_a_start_are_one_abstract_state() -> None:
    vectors = "init (A, A, B), (A, B, A), (B, A, A)"
    search = reach(system_of(f"processes 3\nstates A, B\n{vectors}\nno deadlock check"))
    assert len(search.store.nodes()) == 1
    assert search.store.nodes()[0].partition == search.context.cells.coarsest


def test_asymmetric_errors() -> None:
    """[W07, section 7]: process 3 never enters X; the orbit of a state decides, not its representative."""
    text = "processes 4\nstates N, X\nN -> X when #X = 0\nerror e: s[{}] = X\nno deadlock check"
    for k in range(1, 5):
        outcome = check(system_of(text.format(k)))
        assert outcome.trace is not None
        assert outcome.trace.steps[-1].state == tuple(int(j == k) for j in range(1, 5))


def test_asymmetric_error_that_the_annotation_rules_out() -> None:
    text = "processes 3\nstates N, X\nN -> X when i < 3 and #X = 0\nerror e: s[3] = X\nno deadlock check"
    assert check(system_of(text)).verdict is Verdict.HOLDS


def test_deadlock_of_some_members_of_an_orbit() -> None:
    """BA is stuck, AB is not: only process 1 may leave B."""
    system = system_of("processes 2\nstates A, B\nA -> B when #B = 0\nB -> A when i = 1")
    outcome = check(system)
    assert (outcome.verdict, outcome.property) == (Verdict.FAILS, "deadlock")
    assert outcome.trace is not None
    assert outcome.trace.steps[-1].state == (0, 1)


def test_welcome_deadlocks() -> None:
    text = "processes 2\nstates A, B\nA -> B when #B = 0\nB -> A when i = 1\ndeadlock ok when s[{}] = B"
    assert check(system_of(text.format(2))).verdict is Verdict.HOLDS
    assert check(system_of(text.format(1))).verdict is Verdict.FAILS


def test_references_move_with_the_processes() -> None:
    text = """
    processes 4
    states N, C
    shared owner: process or none = none
    N -> C when owner = none do owner := i
    C -> N when owner = i and i != 2 do owner := none
    error e: s[3] = C and owner = 3
    no deadlock check
    """
    system = system_of(text)
    search = reach(system)
    assert len(search.store.nodes()) == 2
    assert len(represented(search.context, search.store.nodes())) == 5
    outcome = check(system)
    assert outcome.trace is not None
    assert outcome.trace.steps[0].state == (0, 0, 1, 0, 2)


def test_classes_of_processes_are_not_mixed() -> None:
    text = "processes a: 1..2, b: 3..4\nstates N, T\na: N -> T\nb: T -> N\nno deadlock check"
    search = reach(system_of(text))
    assert represented(search.context, search.store.nodes()).keys() == {(x, y, 0, 0) for x in (0, 1) for y in (0, 1)}


def test_no_trace_keeps_fewer_states() -> None:
    text = "processes 3\nstates A, B, C\nA -> B when i = 1\nA -> B when i = 2\nA -> B\nB -> C\nno deadlock check"
    system = system_of(text)
    kept, dropped = reach(system), reach(system, SearchOptions(trace=False))
    assert len(dropped.store.nodes()) < len(kept.store.nodes())
    states = represented(kept.context, kept.store.nodes()).keys()
    assert represented(dropped.context, dropped.store.nodes()).keys() == states


def test_no_trace_when_none_is_wanted() -> None:
    outcome = check(system_of(LATE), SearchOptions(trace=False))
    assert (outcome.verdict, outcome.trace) == (Verdict.FAILS, None)


def test_depth_first_traces_replay() -> None:
    outcome = check(system_of(LATE), SearchOptions(search="dfs"))
    assert outcome.trace is not None
    assert len(outcome.trace.steps) >= 2


def test_all_errors_are_counted() -> None:
    text = "processes 3\nstates A, B\nA -> B\nerror e: #B >= 2\nno deadlock check"
    assert check(system_of(text), SearchOptions(all_errors=True)).statistics.errors == 2


def test_temporal_properties_are_refused() -> None:
    system = system_of("processes 2\nstates A, B\nA -> B\nproperty p: AG EF #B = 2\nno deadlock check")
    with pytest.raises(UserError, match="cannot check p"):
        check(system)


def test_threads_are_refused() -> None:
    with pytest.raises(UserError, match="one thread"):
        check(system_of(LATE), SearchOptions(threads=2))


def test_limits() -> None:
    system = system_of("processes 4\nstates A, B, C\nA -> B\nB -> C\nC -> A")
    for options, message in (
        (SearchOptions(max_states=3), "limit of 3 states"),
        (SearchOptions(max_depth=2), "depth limit of 2"),
        (SearchOptions(memory=1000), "memory limit"),
    ):
        outcome = check(system, options)
        assert outcome.verdict is Verdict.UNKNOWN
        assert message in outcome.message


def test_an_orbit_that_falls_into_very_many_pieces_can_be_left() -> None:
    """A guard that tells all of 24 processes apart, in states with up to 12 of each letter."""
    different = " + ".join(f"{k} * #A[c{k}]" for k in range(1, 25))
    classes = ", ".join(f"c{k}: {k}" for k in range(1, 25))
    text = f"processes {classes}\nstates A, B, C\nA -> B when #B < 12\nA -> C when {different} = 7\nno deadlock check"
    outcome = check(system_of(text), SearchOptions(timeout=0.3))
    assert (outcome.verdict, outcome.message) == (Verdict.UNKNOWN, "the time limit of 0.3 s was reached")


def test_progress_may_interrupt() -> None:
    system = system_of("processes 60\nstates A, B, C, D, E\nA -> B\nB -> C\nC -> D\nD -> E\nE -> A when i != 3")
    partitions = infer_partitions(system, ())
    outcome = explore(system, (), partitions, None, lambda statistics: statistics.states > 20)
    assert (outcome.verdict, outcome.message) == (Verdict.UNKNOWN, "interrupted")


# Systems that no diagram says.

STATE = Number(0, 2)


def processes(n: int) -> tuple[Atom, ...]:
    return tuple(Atom(str(k), "process") for k in range(n))


def local(name: str = "i") -> Read:
    return Read("s", (Bound(name),))


def step(n: int, source: int, target: int, *more, rank: int = 0) -> Command:
    parameter = Parameter("i", Atoms(tuple(range(n))))
    effect = (*more, assign((local(), number(target))))
    guard = equal(local(), number(source))
    return Command(f"{source}->{target}", guard, effect, (parameter,), (Bound("i"),), rank)


def test_assertions_and_their_traces() -> None:
    n = 3
    holds = Apply(Operator.NOT, (equal(Read("s", (Bound("i"),)), number(1)),))
    commands = (step(n, 0, 1), step(n, 1, 2, Require(holds, "not from 1")))
    system = System("m", processes(n), (Variable("s", STATE, (tuple(range(n)),)),), commands)
    asked = (Assertions(),)
    outcome = explore(system, asked, infer_partitions(system, asked))
    assert (outcome.verdict, outcome.property) == (Verdict.FAILS, "assertions")
    assert outcome.trace is not None
    assert len(outcome.trace.steps) == 2
    assert explore(system, (), infer_partitions(system, ())).verdict is Verdict.HOLDS


def test_run_time_errors() -> None:
    n = 2
    ratio = Apply(Operator.DIVIDE, (number(1), Apply(Operator.SUBTRACT, (local(), number(1)))))
    divide = Command("divide", equal(ratio, number(5)), (), (Parameter("i", Atoms((0, 1))),), (Bound("i"),))
    system = System("m", processes(n), (Variable("s", STATE, ((0, 1),)),), (step(n, 0, 1), divide))
    outcome = explore(system, (), infer_partitions(system, ()))
    assert outcome.property == "run-time errors"
    assert outcome.trace is not None
    assert len(outcome.trace.steps) == 2  # one move, and the guard that cannot be evaluated


def test_ranks() -> None:
    """Of two commands the one of higher rank runs only where the other cannot, whoever could run it."""
    n = 3
    commands = (step(n, 0, 1), step(n, 1, 2, rank=1))
    system = System("m", processes(n), (Variable("s", STATE, (tuple(range(n)),)),), commands)
    search = reach(system)
    expected = explore_reference(system, ())
    assert len(represented(search.context, search.store.nodes())) == expected.statistics.states


def test_transient_states_are_passed_through() -> None:
    """A process that has left 0 goes on to 2, or back, before anyone else moves; process 0 cannot go back."""
    n = 3
    busy = Quantify(Quantifier.SOME, Parameter("j", Atoms(tuple(range(n)))), equal(local("j"), number(1)))
    calm = Apply(Operator.NOT, (busy,))
    rest = replace(step(n, 2, 0), guard=conjunction([equal(local(), number(2)), calm]))
    leave = replace(step(n, 0, 1), guard=conjunction([equal(local(), number(0)), calm]))
    first = Apply(Operator.NOT, (equal(Bound("i"), atom(0)),))
    back = replace(step(n, 1, 0), guard=conjunction([equal(local(), number(1)), first]))
    commands = (leave, step(n, 1, 2), rest, back)
    system = System("m", processes(n), (Variable("s", STATE, (tuple(range(n)),)),), commands, transient=busy)
    search = reach(system)
    expected = explore_reference(system, ())
    assert len(represented(search.context, search.store.nodes())) == expected.statistics.states
    assert all(1 not in s for s in represented(search.context, search.store.nodes()))
    asked = (NoDeadlock(), Invariant("two", negation(equal(Read("s", (atom(1),)), number(2)))))
    found = explore(system, asked, infer_partitions(system, asked))
    assert found.verdict is explore_reference(system, asked).verdict is Verdict.FAILS
    assert found.trace is not None
    assert len(found.trace.steps[0].firings) == 2


def test_synchronous_steps() -> None:
    """All processes move at once: a command without parameters that writes every local state."""
    n = 3
    places = [Read("s", (atom(k),)) for k in range(n)]
    plus = [Apply(Operator.MODULO, (Apply(Operator.ADD, (p, number(1))), number(3))) for p in places]
    together = Command("tick", effect=(assign(*zip(places, plus, strict=True)),))
    system = System("m", processes(n), (Variable("s", STATE, (tuple(range(n)),)),), (together, step(n, 0, 1)))
    partitions = infer_partitions(system, ())
    assert [edge.partition for edge in partitions.edges] == [((0, 1, 2),), ((0, 1, 2),)]
    search = reach(system)
    assert len(search.store.nodes()) == 10
    assert len(represented(search.context, search.store.nodes())) == explore_reference(system, ()).statistics.states


# Which Systems qualify.


def with_variable(variable: Variable, n: int = 3) -> System:
    return System("m", processes(n), (Variable("s", STATE, (tuple(range(n)),)), variable), (step(n, 0, 1),))


def test_local_references_are_refused() -> None:
    system = with_variable(Variable("next", AtomOf((0, 1, 2), True), ((0, 1, 2),)))
    assert is_applicable(system) == "next of 0 refers to processes in its local state"
    with pytest.raises(UserError, match="refers to processes"):
        explore(system, (), infer_partitions(system, ()))


def test_relations_between_processes_are_refused() -> None:
    pair = TupleOf((AtomOf((0, 1, 2)), AtomOf((0, 1, 2))))
    assert "relates processes" in (is_applicable(with_variable(Variable("r", SetOf(pair)))) or "")
    assert "two processes" in (is_applicable(with_variable(Variable("m", STATE, ((0, 1, 2), (0, 1, 2))))) or "")


def test_shared_references_are_welcome() -> None:
    assert is_applicable(with_variable(Variable("owner", AtomOf((0, 1, 2), True)))) is None
    assert is_applicable(with_variable(Variable("group", SetOf(AtomOf((0, 1, 2)))))) is None


def test_one_process_is_not_enough() -> None:
    system = System("m", processes(1), (Variable("s", STATE, ((0,),)),), (step(1, 0, 1),))
    assert is_applicable(system) == "the model has no two processes of one kind"


def test_the_class_in_the_way_is_not_permuted() -> None:
    """Processes hold references to channels: the channels stay where they are."""
    atoms = (*processes(2), Atom("c", "channel"), Atom("d", "channel"))
    variables = (Variable("s", STATE, ((0, 1),)), Variable("uses", AtomOf((2, 3), True), ((0, 1),)))
    system = System("m", atoms, variables, (step(2, 0, 1),))
    assert choose_classes(system, kinds(system)).permuted == ((0, 1),)
