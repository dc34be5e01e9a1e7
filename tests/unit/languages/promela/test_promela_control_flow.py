"""The control-flow graph: its states, merging, dead variables, escapes, end states."""

from __future__ import annotations

from quorbit.languages.promela.lower.control_flow import Flow, Passes, control_flow
from quorbit.languages.promela.lower.remote import remote_uses
from quorbit.languages.promela.parse.units import parse
from quorbit.source.span import Source

ALL, NONE = Passes(True, True), Passes(False, False)


def flow(text: str, passes: Passes = ALL) -> Flow:
    program = parse(Source("m.pml", text))
    return control_flow(program, program.proctypes[0], passes, remote_uses(program)[0])


def edges(found: Flow) -> list[tuple[int, int, int]]:
    """Source, target and number of statements of every edge."""
    return [(n, e.target, len(e.steps)) for n, out in found.edges.items() for e in out]


def test_a_loop_comes_back_to_its_own_state() -> None:
    found = flow("byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od }", NONE)
    assert found.start == 5
    assert [e.target for e in found.edges[5]] == [2, 8]
    assert found.edges[2][0].target == 5


def test_local_steps_are_merged_and_global_ones_are_not() -> None:
    text = "byte g; active proctype P() { byte a, b; a = 1; b = a; g = b; a = 2; b = a; (a == 2) -> b = 3 }"
    assert len(edges(flow(text, NONE))) == 8
    merged = flow(text)
    assert [len(e.steps) for out in merged.edges.values() for e in out] == [2, 1, 2, 2, 1]


def test_a_label_stops_merging() -> None:
    text = "active proctype P() { byte a; a = 1; l: a = 2; if :: goto l :: skip fi }"
    assert all(len(e.steps) == 1 for e in flow(text).edges[1])


def test_a_label_that_is_seen_from_outside_stops_merging() -> None:
    text = "active proctype P() { byte a; a = 1; a = 2; work: a = 3; a = 4 }\nactive proctype Q() { P@work }"
    merged = [len(e.steps) for out in flow(text).edges.values() for e in out]
    assert max(merged) == 2


def test_dead_variables_are_reset_after_their_last_use() -> None:
    text = "chan q = [1] of { byte }; active proctype P() { byte a, b; do :: q?a; b = a; q!b od }"
    found = flow(text, Passes(False, True))
    dead = {n: [v.name for v in e.steps[0].dead] for n, out in found.edges.items() for e in out}
    assert dead == {4: [], 2: [], 3: []}  # a send reads b last, but SPIN resets only after conditions and receives
    text = "byte g; active proctype P() { byte a; do :: a = g; (a > 1) -> g = 0 od }"
    found = flow(text, Passes(False, True))
    assert [v.name for v in found.edges[2][0].steps[0].dead] == ["a"]


def test_atomic_keeps_control_until_its_last_step() -> None:
    found = flow("byte g; active proctype P() { atomic { g = 1; g = 2; g = 3 } }", NONE)
    assert [e.keeps for out in found.edges.values() for e in out] == [True, False, True, False]


def test_a_goto_out_of_atomic_gives_control_up() -> None:
    found = flow("byte g; active proctype P() { atomic { g = 1; goto out; g = 2 }; g = 3; out: g = 4 }", NONE)
    last = found.edges[found.edges[found.start][0].target][0]
    assert not last.keeps


def test_escapes_come_first() -> None:
    found = flow("byte g; active proctype P() { { g = 1; g = 2 } unless { g == 7 -> g = 8 } }", NONE)
    first = found.edges[found.start]
    assert [bool(e.escape) for e in first] == [True, False]


def test_else_is_last_and_an_option_that_is_false_is_none() -> None:
    found = flow("byte g; active proctype P() { if :: else -> g = 1 :: g > 1 -> g = 2 :: false -> g = 3 fi }", NONE)
    assert [e.is_else for e in found.edges[found.start]] == [False, True]


def test_a_d_step_is_one_edge_with_a_graph_inside() -> None:
    found = flow(
        "byte g; active proctype P() { d_step { g = 0; do :: g < 3 -> g++ :: else -> break od; g = 9 } }", NONE
    )
    (edge,) = found.edges[found.start]
    assert edge.inner is not None
    assert sum(len(out) for out in edge.inner.edges.values()) == 5


def test_end_labels() -> None:
    found = flow("byte g; active proctype P() { end1: do :: g++ od }", NONE)
    assert found.start in found.ends
    assert found.last in found.ends
