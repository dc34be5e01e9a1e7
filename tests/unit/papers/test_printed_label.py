"""[T07, Example 4.5 and Figure 10]: the printed label; and two states the printed graph cannot tell apart."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from printed_label import canon, compute_label, draw_state, refine

from quorbit.canon.label import label_graph
from quorbit.canon.layout import layout_of
from quorbit.model.meaning.permute import permute_state
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import AtomOf, SetOf, TupleOf


def sets(*elements: Any) -> frozenset[Any]:
    return frozenset(elements)


EXAMPLE = {"v1": sets(sets("s0")), "v2": sets(sets(("s1", "s2")))}


def test_refinement_of_the_example() -> None:
    graph = draw_state(EXAMPLE, [["s0", "s1"], ["s2"]])
    assert graph.cells == (("s0", "s1"), ("s2",), ("x0", "x1"), ("root",))
    assert refine(graph, graph.cells) == (("s0",), ("s1",), ("s2",), ("x1",), ("x0",), ("root",))


def test_figure_10() -> None:
    graph = draw_state(EXAMPLE, [["s0", "s1"], ["s2"]])
    label = canon(graph)
    assert label[0] == ("00", "00", "00", "00", "10", "00")
    assert label[1] == ("00", "00", "01", "01", "00", "00")
    assert label == compute_label(graph, ("s0", "s1", "s2", "x1", "x0", "root"))


def test_symmetric_states_have_one_label() -> None:
    value = sets(("a", "b"), ("b", "c"), ("c", "c"))
    labels = set()
    for image in permutations("abc"):
        moved = dict(zip("abc", image, strict=True))
        labels.add(canon(draw_state({"r": frozenset((moved[x], moved[y]) for x, y in value)}, ["abc"])))
    other = canon(draw_state({"r": sets(("a", "b"), ("b", "c"), ("a", "a"))}, ["abc"]))
    assert len(labels) == 1
    assert other not in labels


FIRST = sets(sets((0, 1), (0, 2)), sets((0, 3)))
SECOND = sets(sets((0, 1), (0, 2), (0, 3)), sets((0, 1)))


def test_the_printed_graph_merges_sets_of_relations_that_are_not_symmetric() -> None:
    atoms = [[0, 1, 2, 3]]
    assert canon(draw_state({"v": FIRST}, atoms)) == canon(draw_state({"v": SECOND}, atoms))


def test_the_repaired_graph_tells_them_apart() -> None:
    elements = AtomOf((0, 1, 2, 3))
    system = System(
        "m",
        tuple(Atom(f"a{k}", "S", "S") for k in range(4)),
        (Variable("v", SetOf(SetOf(TupleOf((elements, elements))))),),
        (),
    )
    layout = layout_of(system)
    found = [permute_state(system, label_graph(layout, (), (0, 0, 0, 0), (v,)), (v,)) for v in (FIRST, SECOND)]
    assert found[0] != found[1]
