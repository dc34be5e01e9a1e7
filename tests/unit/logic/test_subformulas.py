"""Symmetric sub-formulas: classes, pruning, derived formulas, the formula's own symmetries ([M97], chapters 3, 5)."""

from __future__ import annotations

import random
from collections.abc import Hashable
from itertools import permutations

import pytest
from naive_logic import random_ltl, replace_names
from symmetric_systems import Permutation, act, explore, group, random_commands
from test_annotated import holds_about, whole_kripke

from quorbit.groups.chain import build_chain, elements
from quorbit.groups.group import Group
from quorbit.logic.formulas.formula_graph import formula_symmetries, propositional_symmetries
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.formulas.prune import prune_symmetric
from quorbit.logic.formulas.spellings import NUSMV
from quorbit.logic.formulas.subformulas import Structures, classes, derived, named_image, orbit, stabiliser
from quorbit.logic.formulas.subformulas import act as act_on_formula
from quorbit.logic.graphs.evaluate import check, evaluate
from quorbit.model.system.formula import AllPaths, And, Formula, Or, Proposition, SomePath, propositions
from quorbit.model.system.formula_text import show

ROTATION, SWAP = (1, 2, 0), (1, 0, 2)
S3 = [ROTATION, SWAP]
THREE = named_image(["p1", "p2", "p3"])


def shown(formula: Formula, generators: list[Permutation]) -> list[list[str]]:
    return [[show(m.formula) for m in c.members] for c in classes(formula, generators, THREE)]


def test_example_of_manku_3_5_1() -> None:
    """The three untils are one class, the three propositions another, the disjunction is alone."""
    f = parse_formula("(p1 U p2) || (p2 U p3) || (p3 U p1)")
    expected = [[show(f)], ["p1 U p2", "p2 U p3", "p3 U p1"], ["p1", "p2", "p3"]]
    assert shown(f, [ROTATION]) == expected
    assert [sorted(c) for c in shown(f, S3)] == [sorted(c) for c in expected]
    own = stabiliser(f, S3, THREE)
    assert sorted(elements(build_chain(Group(3, own)))) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert [sorted(c) for c in shown(f, list(own))] == [sorted(c) for c in expected]
    assert sorted(elements(build_chain(formula_symmetries(f)))) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


def test_the_group_alone_may_be_coarser() -> None:
    f = parse_formula("[](p1 -> <> p2) && <> p3")
    assert ["p1", "p2", "p3"] in [sorted(c) for c in shown(f, S3)]
    assert ["<>p2", "<>p3"] in [sorted(c) for c in shown(f, S3)]
    assert stabiliser(f, S3, THREE) == ()


def test_witnesses_carry_the_representative_to_the_member() -> None:
    f = parse_formula("(p1 U p2) || (p2 U p3) || X p3")
    structures = Structures()
    for found in classes(f, S3, THREE):
        for member in found.members:
            moved = act_on_formula(member.witness, found.representative, THREE)
            assert structures.number(moved) == structures.number(member.formula)


def test_order_of_operands_is_no_difference() -> None:
    structures = Structures()
    same = ["p && q || r", "r || q && p"]
    assert len({structures.number(parse_formula(t)) for t in same}) == 1
    assert structures.number(parse_formula("p U q")) != structures.number(parse_formula("q U p"))
    assert structures.number(parse_formula("p -> q")) != structures.number(parse_formula("q -> p"))


def test_derived_formulas() -> None:
    found = derived(parse_formula("[](p1 -> <> p2)"), S3, THREE)
    assert found.complete
    assert len(found.members) == 5
    assert "[](p3 -> <>p1)" in [show(m.formula) for m in found.members]
    few = derived(parse_formula("[](p1 -> <> p2)"), S3, THREE, 2)
    assert len(few.members) == 2
    assert not few.complete
    assert derived(parse_formula("p1 && p2 && p3"), S3, THREE).members == ()
    assert orbit(parse_formula("p1 && p2"), S3, THREE).complete


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("p U q || r U s", 2),
        ("p U q && p U r && p U s", 6),
        ("p <-> q", 2),
        ("p -> q", 1),
        ("[] p && [] q && <> r", 2),
    ],
)
def test_symmetries_of_a_formula(text: str, order: int) -> None:
    f = parse_formula(text)
    found = formula_symmetries(f)
    names = [p.expression for p in propositions(f)]
    assert len(list(elements(build_chain(found)))) == order
    image, structures = named_image(names), Structures()
    same = [g for g in permutations(range(len(names))) if is_same(structures, f, g, image)]
    assert sorted(elements(build_chain(found))) == same


def is_same(structures: Structures, f: Formula, g: Permutation, image: object) -> bool:
    return structures.number(act_on_formula(g, f, image)) == structures.number(f)  # type: ignore[arg-type]


def test_symmetries_of_propositional_parts() -> None:
    """Exchanging whole parts is a symmetry of the formula, but leaves no label fixed."""
    assert formula_symmetries(parse_formula("<> p && <> q")).generators
    assert propositional_symmetries(parse_formula("<> p && <> q")).is_trivial
    assert propositional_symmetries(parse_formula("[](p && q -> <> r)")).generators == ((1, 0, 2),)


def about_image(g: Permutation, expression: Hashable) -> Hashable:
    """Propositions (name, process) move with the process; plain names stay."""
    return (expression[0], g[expression[1]]) if isinstance(expression, tuple) else expression


class System:
    """A random system with full symmetry, unreduced."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.n = self.rng.randint(2, 3)
        self.whole = explore(random_commands(self.rng, ring=False), self.n)
        self.kripke = whole_kripke(self.whole)
        self.group = group(self.n, ring=False)
        self.numbers = {s: i for i, s in enumerate(self.whole.states)}

    def move(self, g: Permutation) -> list[int]:
        return [self.numbers[act(g, s)] for s in self.whole.states]

    def process_formula(self, path: Formula) -> Formula:
        names = [Proposition((n, p)) for n in "xy" for p in range(self.n)] + [Proposition("a")]
        return replace_names(path, {n: self.rng.choice(names) for n in "pqr"})


@pytest.mark.parametrize("seed", range(40))
def test_theorem_3_1(seed: int) -> None:
    """f in s exactly if g·f in g·s; in particular derived formulas have the same truth in the fixed initial state."""
    system = System(seed)
    f = AllPaths(system.process_formula(random_ltl(system.rng, 2)))
    flags = evaluate(system.kripke, f)
    for member in derived(f, system.group, about_image).members:
        moved, images = evaluate(system.kripke, member.formula), system.move(member.witness)
        assert all(flags[s] == moved[images[s]] for s in range(len(flags)))


@pytest.mark.parametrize("seed", range(24))
def test_pruning_keeps_the_verdict(seed: int) -> None:
    system = System(seed)
    path = random_ltl(system.rng, 2)
    for wrap in ("{}", "A ({})", "E ({})"):
        parts = []
        for p in range(system.n):
            by = {"p": Proposition(("x", p)), "q": Proposition(("y", p)), "r": Proposition("a")}
            parts.append(replace_names(path, by))
        whole = And(tuple(parts)) if system.rng.random() < 0.5 else Or(tuple(parts))
        f = {"{}": lambda g: g, "A ({})": AllPaths, "E ({})": SomePath}[wrap](whole)
        pruned = prune_symmetric(f, system.group, about_image, initial_states_fixed=True)
        assert check(system.kripke, pruned.formula).holds == check(system.kripke, f).holds, show(f)


def test_pruned_conjuncts() -> None:
    f = parse_formula("[](p1 -> <> q) && [](p2 -> <> q) && [](p3 -> <> q) && [] q")
    image = named_image(["p1", "p2", "p3", "q"])
    pruned = prune_symmetric(f, [(1, 2, 0, 3)], image)
    assert show(pruned.formula) == "[](p1 -> <>q) && []q"
    assert [show(d.formula) for d in pruned.dropped] == ["[](p2 -> <>q)", "[](p3 -> <>q)"]
    assert pruned.dropped[0].witness == (1, 2, 0, 3)
    under = parse_formula("AG (p1 & p2 & p3)", dialect=NUSMV)
    assert show(prune_symmetric(under, [(1, 2, 0, 3)], image).formula) == "A []p1"


def test_disjuncts_are_pruned_in_fixed_states_only() -> None:
    f = parse_formula("EF p1 | EF p2 | EF p3", dialect=NUSMV)
    assert prune_symmetric(f, S3, THREE).formula == f
    assert show(prune_symmetric(f, S3, THREE, initial_states_fixed=True).formula) == "E <>p1"
    path = parse_formula("<>[] p1 || <>[] p2 || <>[] p3")
    assert prune_symmetric(path, S3, THREE, initial_states_fixed=True).formula == path


def test_about_image_matches_the_labels() -> None:
    system = System(3)
    for g in system.group:
        for s in system.whole.states:
            for p in range(system.n):
                assert holds_about("x", s, p) == holds_about("x", act(g, s), g[p])
