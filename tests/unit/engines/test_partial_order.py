"""Each condition of partial-order reduction has a small model whose error is lost without it, and kept with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.detect import detect
from quorbit.engines.explicit import explore as explicit
from quorbit.engines.partial_order import MANY, PROBED, enough_states
from quorbit.engines.reference.explore import explore
from quorbit.engines.stubborn import LTL, SAFETY, Chooser, Rules
from quorbit.engines.temporal.graph import build
from quorbit.engines.temporal.judge import judge
from quorbit.engines.temporal.space import Question
from quorbit.engines.temporal.stored import StoredSpace
from quorbit.machine.options import SearchOptions
from quorbit.model.dependence.cases import Drop
from quorbit.model.dependence.facts import build_facts
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.ground import ground
from quorbit.model.system.command import Assign, Command, Require, Together
from quorbit.model.system.expression import (
    FALSE,
    Apply,
    Atoms,
    Bound,
    Operator,
    Parameter,
    Read,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.formula import propositions
from quorbit.model.system.system import Assertions, Atom, Invariant, System, Temporal, Variable
from quorbit.model.system.types import AtomOf, Number
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, prepare
from quorbit.report.record import CheckResult
from quorbit.result.outcome import PartialOrder, Verdict
from quorbit.source.errors import UserError


def system_of(text: str, folder: Path) -> System:
    """The System that engines search for the safety of a model."""
    path = folder / "model.pml"
    path.write_text(text, encoding="utf-8")
    system = load(path).system
    asked = tuple(p for p in system.properties if not isinstance(p, Temporal))
    return prepare(system, asked, CheckOptions(symmetry="off")).system


def fails(system: System, rules: Rules = SAFETY, drop: Drop | None = None) -> bool:
    invariants = [p.condition for p in system.properties if isinstance(p, Invariant)]
    facts = build_facts(system, invariants, drop=drop)
    outcome = explore(system, system.properties, choose=Chooser(facts, Meaning(system), rules))
    return outcome.verdict is Verdict.FAILS


DEPENDENCE = """byte n;
active proctype P() { n = 1; assert(n == 1) }
active proctype Q() { n = 2 }
"""
ENABLING = """bool go, bad;
active proctype P() { if :: go -> bad = true :: !bad -> skip fi; assert(!bad) }
active proctype Q() { byte x; x = 1; x = 2; go = true }
"""
LOCAL = """active proctype P() { byte x; x = 1 }
active proctype Q() { byte x; x = 1 }
active proctype R() { byte x; x = 1 }
"""
RANKS = """bool x;
active proctype P() { timeout -> do :: x = !x od }
active proctype Q() { timeout -> assert(false) }
"""
GUARD_FAULT = """byte a[2]; byte i; byte z;
active proctype P() {
  byte x;
  do :: x < 1 -> x++ :: else -> break od;
  if :: (a[i] == 0 && x == 0) -> z = 1 :: x == 1 -> skip fi
}
active proctype Q() { i = 9 }
"""
CHAINS = """bool a, b, c;
active proctype P() { atomic { a = true; if :: b = true :: a = true; b = true fi } }
active proctype Q() { if :: !b -> c = true :: b -> skip fi; assert(!c) }
"""
TURNS = """bool stop, x;
active proctype Q() { stop = true }
active proctype P() { { x = true; assert(false) } unless { stop } }
"""
IGNORING = """bool x;
active proctype P() { do :: x = !x od }
active proctype Q() { assert(false) }
"""
WRITTEN = {
    "dependence": (DEPENDENCE, replace(SAFETY, dependence=False), None),
    "enabling": (ENABLING, replace(SAFETY, enabling=False), None),
    "ranks": (RANKS, SAFETY, Drop(ranks=True)),
    "faults of guards": (GUARD_FAULT, SAFETY, Drop(faults=True)),
    "chains of transient states": (CHAINS, SAFETY, Drop(chains=True)),
    "turns": (TURNS, SAFETY, Drop(turns=True)),
    "proviso": (IGNORING, replace(SAFETY, proviso=False), None),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_condition_that_is_dropped_loses_an_error(name: str, tmp_path: Path) -> None:
    text, rules, drop = WRITTEN[name]
    system = system_of(text, tmp_path)
    assert explore(system, system.properties).verdict is Verdict.FAILS
    assert fails(system)
    assert not fails(system, rules, drop)


def test_where_a_command_has_no_case_all_commands_are_looked_at(tmp_path: Path) -> None:
    """Commands of later ranks have none; a set may never leave out what it knows nothing of."""
    system = system_of(LOCAL, tmp_path)
    meaning, facts = Meaning(system), build_facts(system)
    (start,) = meaning.initial_states()
    enabled = [firing.command for firing in meaning.enabled(start)]
    assert Chooser(facts, meaning, SAFETY).choose(start, enabled) == {enabled[0]}
    states = explicit.explore_with(facts, system, system.properties, None, SearchOptions(), None).statistics.states
    facts.of_command[enabled[1]].clear()
    assert Chooser(facts, meaning, SAFETY).choose(start, enabled) is None
    found = explicit.explore_with(facts, system, system.properties, None, SearchOptions(), None)
    assert found.statistics.states > states


def places(count: int) -> tuple[tuple[Atom, ...], tuple[Variable, ...]]:
    atoms = tuple(range(count))
    variables = (
        Variable("pc", Number(0, 3), (atoms,)),
        Variable("y", Number(0, 1)),
        Variable("z", Number(0, 3)),
        Variable("who", AtomOf(atoms)),
    )
    return tuple(Atom(f"P{a}", "process") for a in atoms), variables


def put(*pairs: tuple[Read, int]) -> tuple[Together, ...]:
    return (Together(tuple(Assign(place, number(value)) for place, value in pairs)),)


def test_a_broken_invariant_is_watched_for() -> None:
    """One process makes it broken and another one whole again; each order has to be tried."""
    atoms, variables = places(2)
    first, second, y = Read("pc", (atom(0),)), Read("pc", (atom(1),)), Read("y")
    commands = (
        Command("repair", equal(second, number(0)), put((y, 1), (second, 1)), actors=(atom(1),)),
        Command("step", equal(first, number(0)), put((first, 1)), actors=(atom(0),)),
        Command("step", equal(first, number(1)), put((first, 2)), actors=(atom(0),)),
    )
    whole = conjunction([equal(first, number(2)), equal(y, number(0))])
    system = System("invariant", atoms, variables, commands, properties=(Invariant("i", negation(whole)),))
    assert explore(system, system.properties).verdict is Verdict.FAILS
    assert fails(system)
    assert not fails(system, drop=Drop(invariants=True))


def test_facts_hold_in_the_images_of_the_start() -> None:
    """The start says that who is 0, its representative that it is 1: what 1 may then do has to be known."""
    atoms, variables = places(2)
    p, y, z = Bound("p"), Read("y"), Read("z")
    parameter = (Parameter("p", Atoms((0, 1))),)
    at = Read("pc", (p,))
    commands = (
        Command("first", conjunction([equal(z, number(0)), equal(y, number(0))]), put((z, 2))),
        Command(
            "late", conjunction([equal(z, number(0)), equal(y, number(1))]), (Require(FALSE, "late"), *put((z, 3)))
        ),
        Command("step", equal(at, number(0)), put((at, 1)), parameter, (p,)),
        Command(
            "tell", conjunction([equal(Read("who"), p), equal(at, number(1))]), put((y, 1), (at, 2)), parameter, (p,)
        ),
    )
    start = Command("start", effect=(Together((Assign(Read("who"), atom(0)),)),))
    system = ground(System("start", atoms, variables, commands, start=(start,), properties=(Assertions(),)))
    group = detect(system, system.properties).group
    assert not group.is_trivial
    reduce = reducer(layout_of(system), classify(layout_of(system), group, "auto"))
    assert reduce(Meaning(system).initial_states()[0])[0] != Meaning(system).initial_states()[0]
    verdicts = []
    for drop in (Drop(), Drop(starts=True)):
        facts = build_facts(system, generators=group.generators, drop=drop)
        chooser = Chooser(facts, Meaning(system), SAFETY)
        verdicts.append(explore(system, system.properties, reduce, choose=chooser).verdict)
    assert verdicts == [Verdict.FAILS, Verdict.HOLDS]


@pytest.mark.parametrize("begins", [0, 1])
def test_what_is_first_in_one_image_of_the_start_may_come_later_in_another(begins: int) -> None:
    """Both processes go once, and who begins goes first; where that is taken for all images, the step between them is
    lost in one of them."""
    p, q, y, who = Bound("p"), Bound("q"), Read("y"), Read("who")
    atoms, variables = places(2)
    at, both = Read("pc", (p,)), Atoms((0, 1))
    effect = Together((Assign(at, number(1)), Assign(who, q), Assign(y, Apply(Operator.ADD, (y, number(1))))))
    guard = conjunction([negation(equal(p, q)), equal(who, p), equal(at, number(0))])
    commands = (
        Command("go", guard, (effect,), (Parameter("p", both), Parameter("q", both)), (p,)),
        Command("between", equal(y, number(1)), (Require(FALSE, "between"), *put((y, 1)))),
    )
    variables = tuple(replace(v, type=Number(0, 2)) if v.name == "y" else v for v in variables)
    start = Command("start", effect=(Together((Assign(who, atom(begins)),)),))
    system = ground(System("start", atoms, variables, commands, start=(start,), properties=(Assertions(),)))
    group = detect(system, system.properties).group
    plan = classify(layout_of(system), group, "auto")
    facts = build_facts(system, generators=group.generators)
    chooser = Chooser(facts, Meaning(system), SAFETY)
    assert not group.is_trivial
    found = explore(system, system.properties, reducer(layout_of(system), plan), choose=chooser)
    assert found.verdict is Verdict.FAILS
    compiled = explicit.explore_with(facts, system, system.properties, plan, SearchOptions(), None)
    assert compiled.verdict is Verdict.FAILS


# Formulas of LTL.

ENDLESS = """bool p, x;
active proctype Q() { p = true }
active proctype L() { do :: x = !x od }
ltl f { <> p }
"""
IGNORED = """bool p, x;
active proctype L() { do :: x = !x od }
active proctype Q() { p = true }
ltl f { [] !p }
"""
VISIBLE = """bool p, q;
active proctype A() { p = true }
active proctype B() { q = true }
ltl f { !(!p U q) || <> (p && !q) }
"""


def formula_fails(text: str, folder: Path, rules: Rules) -> bool:
    path = folder / "model.pml"
    path.write_text(text, encoding="utf-8")
    loaded = load(path).system
    asked = tuple(p for p in loaded.properties if isinstance(p, Temporal))
    system = prepare(loaded, asked, CheckOptions(symmetry="off")).system
    (p,) = (p for p in system.properties if isinstance(p, Temporal))
    named = propositions(p.formula)
    facts = build_facts(system, (), [part.expression for part in named])  # type: ignore[misc]
    choose = Chooser(facts, Meaning(system), rules)
    built = build(system, Question(named, "none"), None, SearchOptions(), None, choose)
    space = StoredSpace(built, "none", len(system.atoms), PartialOrder())
    return not judge(space, p.formula, "none").holds


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (ENDLESS, replace(LTL, invisible=False)),
        (IGNORED, replace(LTL, proviso=False)),
        (VISIBLE, replace(LTL, visible=False)),
    ],
    ids=["an invisible command to begin with", "cycles", "visible commands together"],
)
def test_a_condition_for_formulas_that_is_dropped_changes_the_verdict(text: str, rules: Rules, tmp_path: Path) -> None:
    assert formula_fails(text, tmp_path, LTL)
    assert not formula_fails(text, tmp_path, rules)


# What the pipeline does with it, and what went wrong in other tools.

LOCAL = """byte done;
active proctype P() { byte i; do :: i < 40 -> i++ :: else -> break od; done++ }
active proctype Q() { byte i; do :: i < 40 -> i++ :: else -> break od; done++ }
active proctype R() { byte i; do :: i < 40 -> i++ :: else -> break od; done++; assert(done < 4) }
"""


def answer(text: str, folder: Path, properties: tuple[str, ...] = (), **options: object) -> CheckResult:
    path = folder / "model.pml"
    path.write_text(text, encoding="utf-8")
    search = SearchOptions(**options)  # type: ignore[arg-type]
    return check(path, CheckOptions(properties=properties, symmetry="off", search=search)).worst


def test_auto_reduces_a_large_search_and_leaves_a_small_one(tmp_path: Path) -> None:
    full, auto = answer(LOCAL, tmp_path), answer(LOCAL, tmp_path, por="auto")
    assert auto.outcome.por.used
    assert full.states > 50_000
    assert auto.states < 500
    small = answer(IGNORING, tmp_path, por="auto")
    assert not small.outcome.por.used
    assert "fewer than 2,000" in small.outcome.por.reason


def test_auto_asks_for_more_states_where_many_commands_share_something(tmp_path: Path) -> None:
    steps = "g = 1 - g; " * 28
    text = "byte g;\n" + "".join(f"active proctype P{k}() {{ {steps} }}\n" for k in range(3))
    full, auto = answer(text, tmp_path), answer(text, tmp_path, por="auto")
    assert not auto.outcome.por.used
    assert "the whole search has fewer than 3,000,000" in auto.outcome.por.reason
    assert auto.states == full.states > PROBED


def test_auto_counts_what_addresses_may_name(tmp_path: Path) -> None:
    """A command with ``a[i]`` is looked at once for each place that this may be, unless most commands are alone."""
    step = "a[i] = a[j]; i = (i + 1) % 8; j = (i + 3) % 8"
    text = f"byte a[8], i, j; active proctype P() {{ do :: {step} od }} active proctype Q() {{ do :: {step} od }}"
    system = system_of(text, tmp_path)
    assert len(system.commands) < 12
    assert enough_states(system) == MANY
    assert enough_states(system_of(text.replace("[8]", "[2]").replace("% 8", "% 2"), tmp_path)) == PROBED
    private = text.replace("byte a[8], i, j; ", "").replace("{ do", "{ byte a[8], i, j; do")
    assert enough_states(system_of(private, tmp_path)) == PROBED


STIRRED = "byte a, b, c;\n" + "".join(
    f"active proctype P{k}() {{ do :: a = (a + b) % 13 :: b = (b + c) % 13 :: c = (c + 1) % 13 od }}\n" for k in (1, 2)
)


@pytest.mark.parametrize("search", ["bfs", "dfs", "mixed"])
def test_auto_says_where_nothing_is_saved(search: str, tmp_path: Path) -> None:
    """Whatever the order of the search: what decides is found breadth first."""
    full, auto = answer(STIRRED, tmp_path, search=search), answer(STIRRED, tmp_path, por="auto", search=search)
    assert full.states == auto.states > 2_000
    assert not auto.outcome.por.used
    assert "too few" in auto.outcome.por.reason


COUNTED_THEN_STIRRED = """byte a, b, c, done;
active proctype P() { byte i; do :: i < 12 -> i++ :: else -> break od; done++;
  do :: done == 2 -> a = (a + b) % 13 :: done == 2 -> b = (b + c) % 13 :: done == 2 -> c = (c + 1) % 13 od }
active proctype Q() { byte i; do :: i < 12 -> i++ :: else -> break od; done++;
  do :: done == 2 -> a = (a + b) % 13 :: done == 2 -> b = (b + c) % 13 :: done == 2 -> c = (c + 1) % 13 od }
"""


def test_auto_asks_three_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is saved is saved at the beginning, so the more states there are the less it is worth."""
    monkeypatch.setattr(explicit, "PROBED", 20)
    monkeypatch.setattr(explicit, "enough_states", lambda system: 20)
    stages = ((20, 1.3), (100, 2.0), (1_000, 2.0))
    for count, is_used in ((1, True), (2, True), (3, False)):
        monkeypatch.setattr(explicit, "STAGES", stages[:count])
        assert answer(COUNTED_THEN_STIRRED, tmp_path, por="auto").outcome.por.used is is_used


def test_auto_tells_an_error_that_a_search_in_full_finds_soon(tmp_path: Path) -> None:
    text = LOCAL.replace("assert(done < 4)", "assert(done < 3)").replace("40", "20")
    full, auto = answer(text, tmp_path), answer(text, tmp_path, por="auto")
    assert full.states > PROBED
    assert auto.states == full.states
    assert not auto.outcome.por.used
    assert auto.outcome.message == full.outcome.message
    assert full.outcome.trace is not None
    assert auto.outcome.trace is not None
    assert len(auto.outcome.trace.steps) == len(full.outcome.trace.steps)


@pytest.mark.parametrize("por", ["auto", "on"])
def test_where_a_trace_may_not_be_the_shortest_that_is_said(por: str, tmp_path: Path) -> None:
    found = answer(LOCAL.replace("assert(done < 4)", "assert(done < 3)"), tmp_path, por=por).outcome
    assert found.por.used
    assert found.verdict is Verdict.FAILS
    assert "may not be the shortest" in found.message


def test_auto_looks_for_a_broken_formula_in_full_first(tmp_path: Path) -> None:
    text = LOCAL.replace("assert(done < 4)", "skip")
    soon = answer(f"{text}ltl f {{ [] (done == 0) }}\n", tmp_path, ("f",), por="auto").outcome
    assert soon.verdict is Verdict.FAILS
    late = answer(f"{text}ltl f {{ [] (done < 4) }}\n", tmp_path, ("f",), por="auto").outcome
    assert late.verdict is Verdict.HOLDS
    assert late.por.used
    stirred = answer(f"{STIRRED}ltl f {{ [] (a < 13) }}\n", tmp_path, ("f",), por="auto").outcome
    assert stirred.verdict is Verdict.HOLDS
    assert "too few" in stirred.por.reason


@pytest.mark.parametrize(("threads", "search"), [(1, "bfs"), (2, "bfs"), (1, "dfs"), (1, "mixed")])
def test_every_order_of_search_and_thread_finds_the_error(threads: int, search: str, tmp_path: Path) -> None:
    for text, _, _ in WRITTEN.values():
        assert answer(text, tmp_path, por="on", threads=threads, search=search).outcome.verdict is Verdict.FAILS


def test_a_trace_found_under_reduction_is_shortened(tmp_path: Path) -> None:
    """Breadth first in part, the loop is gone through before the assertion comes up."""
    text = LOCAL.replace("assert(done < 4)", "").replace(
        "byte done;", "byte done; active proctype A() { assert(done > 0) }"
    )
    reduced = answer(text, tmp_path, por="on").outcome
    assert reduced.por.used
    assert reduced.trace is not None
    assert len(reduced.trace.steps) == 1


HANDSHAKE = """chan c = [0] of { byte }; byte n;
active proctype P() { n++; c!1; n++ }
active proctype Q() { byte x; n++; c?x; assert(n < 3) }
"""


def test_breadth_first_with_a_rendezvous(tmp_path: Path) -> None:
    """Spin issue 28: breadth first with reduction lost what follows a handshake."""
    assert answer(HANDSHAKE, tmp_path, por="on").outcome.verdict is Verdict.FAILS


FORMULAS = {
    "LTSmin 222, a verdict that flips": ("bool p, x; active proctype A() { do :: x = !x :: p = !p od }", "<> [] p"),
    "LTSmin 169, what a proposition sees": (
        "byte n; bool d; active proctype A() { n = 1; n = 2 } active proctype B() { d = true }",
        "[] !(n == 1 && d)",
    ),
    "postponed for ever by what changes nothing": (
        "bool p, x; active proctype A() { do :: !x od } active proctype B() { p = true }",
        "[] !p",
    ),
    "postponed for ever": (
        "bool p, x; active proctype A() { do :: x = !x od } active proctype B() { p = true }",
        "[] !p",
    ),
    "an endless run beside a visible step": (
        "bool p, x; active proctype Q() { p = true } active proctype L() { do :: x = !x od }",
        "<> p",
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_verdicts_that_other_tools_changed(name: str, tmp_path: Path) -> None:
    text, formula = FORMULAS[name]
    model = f"{text}\nltl f {{ {formula} }}\n"
    assert answer(model, tmp_path, ("f",)).outcome.verdict is Verdict.FAILS
    assert answer(model, tmp_path, ("f",), por="on").outcome.verdict is Verdict.FAILS


def test_sets_do_not_depend_on_the_automaton(tmp_path: Path) -> None:
    """Siegel 2019: sets that are chosen for product states lose runs, so the system is reduced first, once for all
    formulas with the same propositions, wherever their automata stop looking."""
    text = "bool p, x; active proctype A() { byte y; y = 1; y = 2; p = true } active proctype L() { do :: x = !x od }"
    formulas = ("[] (p -> [] p)", "[] !p || <> p", "[] (p -> <> p)", "<> [] p || <> [] !p")
    found = [answer(f"{text}\nltl f {{ {f} }}\n", tmp_path, ("f",), por="on") for f in formulas]
    assert {one.outcome.verdict for one in found} == {Verdict.HOLDS}
    assert len({(one.states, one.outcome.por.partly) for one in found}) == 1
    in_full = answer(f"{text}\nltl f {{ {formulas[0]} }}\n", tmp_path, ("f",))
    assert found[0].states < in_full.states


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"represented": True}, "represented"),
        ({"hash_compact": True}, "hash compaction"),
        ({"max_depth": 3}, "depth limit"),
    ],
)
def test_what_it_cannot_honour_is_refused(options: dict[str, object], words: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=words):
        answer(LOCAL, tmp_path, por="on", **options)
    assert not answer(LOCAL, tmp_path, por="auto", **options).outcome.por.used


@pytest.mark.parametrize(
    ("property", "fairness", "words"),
    [("<> [] p", "weak", "fairness"), ("X p", "none", "operator X"), ("EF p", "none", "CTL")],
)
def test_formulas_that_would_see_it_are_refused(property: str, fairness: str, words: str, tmp_path: Path) -> None:
    text = "bool p, x; active proctype A() { p = true } active proctype B() { x = true }"
    with pytest.raises(UserError, match=words):
        answer(text, tmp_path, (property,), por="on", fairness=fairness)
    assert not answer(text, tmp_path, (property,), por="auto", fairness=fairness).outcome.por.used


def test_a_checkpoint_goes_on_as_it_began(tmp_path: Path) -> None:
    folder = str(tmp_path / "checkpoint")
    first = answer(LOCAL, tmp_path, por="on", checkpoint=folder, max_states=60)
    second = answer(LOCAL, tmp_path, por="on", resume=folder)
    assert first.outcome.verdict is Verdict.UNKNOWN
    assert second.states == answer(LOCAL, tmp_path, por="on").states


def test_a_loop_that_a_checkpoint_cuts_is_left(tmp_path: Path) -> None:
    """Where the states before it lead is not kept, so a state that leads back to them is expanded in full."""
    folder = str(tmp_path / "checkpoint")
    text = "byte x; active proctype P() { do :: x = (x + 1) % 8 od } active proctype Q() { assert(false) }"
    first = answer(text, tmp_path, por="on", checkpoint=folder, max_states=5)
    assert first.outcome.verdict is Verdict.UNKNOWN
    assert answer(text, tmp_path, por="on", resume=folder).outcome.verdict is Verdict.FAILS


ENDS = """byte n;
proctype W() { n++ }
init { byte i; do :: i < 3 -> run W(); i++ :: i > 0 -> n--; i-- :: else -> break od; atomic { n > 0; n++ } }
"""


def test_nothing_follows_the_end_of_a_process(tmp_path: Path) -> None:
    """A chain begins in a stored state, where nobody is in control: only what is atomic can go on."""
    system = system_of(ENDS, tmp_path)
    facts = build_facts(system)
    ends = [case for case in facts.cases if case.command >= 0 and system.commands[case.command].label == "end"]
    assert ends
    assert all(case.chain == () for case in ends)


LOOPS = """byte n;
active proctype A() { bool x; do :: x = !x :: break od; n = 1 }
active proctype B() { bool y; do :: y = !y :: break od; n = 2 }
active proctype C() { bool z; do :: z = !z :: break od; n = 3 }
"""


@pytest.mark.parametrize(("threads", "search"), [(1, "bfs"), (2, "bfs"), (1, "dfs")])
def test_loops_that_are_left_cost_no_full_expansion(threads: int, search: str, tmp_path: Path) -> None:
    """A state may lead back to one that leads on elsewhere: 53 states if that were not seen."""
    found = answer(LOOPS, tmp_path, por="on", threads=threads, search=search)
    assert found.states == 10
    assert answer(LOOPS, tmp_path, threads=threads, search=search).states == 64


RELAY = """chan root = [0] of { byte };
proctype filter(chan c; byte kept) {
  chan next = [0] of { byte };
  bool has;
  byte n;
end: do
  :: c?n ->
    if
    :: n % kept == 0
    :: else -> if :: !has -> has = true; run filter(next, n) :: else -> next!n fi
    fi
  od
}
init { byte n = 2; run filter(root, 2); do :: n < 24 -> n++; root!n :: n >= 24 -> break od }
"""


def test_processes_that_are_created_one_by_another_are_told_apart(tmp_path: Path) -> None:
    """Of the 16 that there is room for.  SPIN stores 1,265 states in part; 10,557 if instances were not written out."""
    assert answer(RELAY, tmp_path).states == 10_557
    assert answer(RELAY, tmp_path, por="on").states == 178


REPLIES = """chan ask[2] = [2] of { byte };
chan reply[2] = [2] of { bool };
proctype client(byte me) {
  byte n;
  ask[0]!me; ask[1]!me;
  do :: n < 2 -> reply[me]?true; n++ :: else -> break od
}
proctype server(byte me) {
  byte from, seen;
  do :: seen < 2 -> ask[me]?from; seen++; reply[from]!true :: else -> break od
}
init { atomic { run client(0); run client(1); run server(0); run server(1) } }
"""


def test_a_channel_that_belongs_to_a_process_in_a_message_is_told_apart(tmp_path: Path) -> None:
    """Where numbers stand for processes, their channels are looked up by a list: 229 states if any might be meant."""
    path = tmp_path / "model.pml"
    path.write_text(REPLIES, encoding="utf-8")
    found = {por: check(path, CheckOptions(search=SearchOptions(por=por))).worst for por in ("off", "on")}
    assert (found["off"].states, found["on"].states) == (3_221, 79)
    assert found["on"].outcome.verdict is found["off"].outcome.verdict is Verdict.HOLDS
    assert answer(REPLIES, tmp_path, por="on").states == 139
