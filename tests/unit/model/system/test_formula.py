"""The formula type: what a formula consists of, to which logic it belongs, and how it is shown."""

from __future__ import annotations

import pytest

from quorbit.model.system.formula import (
    FALSE,
    TRUE,
    AllPaths,
    Always,
    And,
    Eventually,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Release,
    SomePath,
    Until,
    WeakUntil,
    children,
    conjoin,
    disjoin,
    expand_quantifiers,
    map_propositions,
    negate,
    propositions,
    walk,
    with_children,
)
from quorbit.model.system.formula_kinds import is_ctl, is_ltl, is_propositional, is_state_formula, maximal_propositional
from quorbit.model.system.formula_text import show

p, q, r = (Proposition(name) for name in "pqr")


def test_walk_is_preorder() -> None:
    f = Until(Not(p), And((q, p)))
    assert list(walk(f)) == [f, Not(p), p, And((q, p)), q, p]
    assert propositions(f) == (p, q)


@pytest.mark.parametrize(
    "f", [p, TRUE, Not(p), And((p, q, r)), Or((p, q)), Implies(p, q), Release(p, q), Next(p), ForAll("i", "S", p)]
)
def test_with_children_rebuilds(f: Formula) -> None:
    assert with_children(f, children(f)) == f


def test_map_propositions_to_names_and_formulas() -> None:
    assert map_propositions(Implies(p, Next(q)), lambda e: {"p": "q"}.get(str(e), e)) == Implies(q, Next(q))
    assert map_propositions(Implies(p, q), lambda e: Not(r)) == Implies(Not(r), Not(r))


def test_join_flattens_and_absorbs() -> None:
    assert conjoin([p, And((q, p)), TRUE]) == And((p, q))
    assert conjoin([p, FALSE, q]) == FALSE
    assert conjoin([]) == TRUE
    assert disjoin([]) == FALSE
    assert disjoin([p, p]) == p
    assert disjoin([p, TRUE]) == TRUE
    assert negate(negate(p)) == p
    assert negate(TRUE) == FALSE


def test_logics() -> None:
    response = Always(Implies(p, Eventually(q)))
    assert is_ltl(response)
    assert not is_ctl(response)
    assert not is_state_formula(response)
    ctl = AllPaths(Always(Implies(p, SomePath(Eventually(q)))))
    assert is_ctl(ctl)
    assert is_state_formula(ctl)
    assert not is_ltl(ctl)
    ctl_star = AllPaths(Always(Eventually(p)))
    assert not is_ctl(ctl_star)
    assert is_state_formula(ctl_star)
    assert is_ctl(AllPaths(p))
    assert is_propositional(Implies(p, q))
    assert not is_propositional(SomePath(p))


def test_maximal_propositional_takes_whole_boolean_parts() -> None:
    f = Until(And((p, q)), Or((Not(r), p)))
    assert maximal_propositional(f) == (And((p, q)), Or((Not(r), p)))
    assert maximal_propositional(Implies(p, q)) == (Implies(p, q),)


def test_maximal_propositional_groups_operands_beside_temporal_ones() -> None:
    assert maximal_propositional(And((p, Next(q), r))) == (And((p, r)), q)
    assert maximal_propositional(And((p, Next(q)))) == (p, q)
    assert maximal_propositional(Until(TRUE, p)) == (p,)


def test_maximal_propositional_refuses_temporal_quantifiers() -> None:
    assert maximal_propositional(Always(ForAll("i", "S", p))) == (ForAll("i", "S", p),)
    with pytest.raises(ValueError, match="expand"):
        maximal_propositional(ForAll("i", "S", Always(p)))


def test_expand_quantifiers_respects_hiding() -> None:
    f = ForAll("i", "S", Or((Proposition(("f", "i")), Exists("i", "S", Proposition(("g", "i"))))))
    expanded = expand_quantifiers(
        f,
        lambda variable, sort, body: [1, 2],
        lambda e, v, a: tuple(a if x == v else x for x in e),  # type: ignore
    )
    f1, f2, g1, g2 = (Proposition((n, k)) for n in "fg" for k in (1, 2))
    assert expanded == And((Or((f1, Or((g1, g2)))), Or((f2, Or((g1, g2))))))


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (Always(Implies(p, Eventually(q))), "[](p -> <>q)"),
        (Until(p, And((q, r))), "p U (q && r)"),
        (And((Until(p, q), r)), "p U q && r"),
        (Until(Until(p, q), r), "(p U q) U r"),
        (Implies(Implies(p, q), Implies(q, r)), "(p -> q) -> (q -> r)"),
        (Not(Iff(p, Not(Next(q)))), "!(p <-> !X q)"),
        (AllPaths(Always(SomePath(Eventually(p)))), "A []E <>p"),
        (Always(Proposition("x > 3")), "[](x > 3)"),
        (WeakUntil(p, Release(q, TRUE)), "p W (q V true)"),
        (ForAll("i", "S", Always(Proposition("c[i]"))), "forall i in S: []c[i]"),
        (Not(Exists("i", "", p)), "!(exists i: p)"),
        (And(()), "true"),
    ],
)
def test_show(f: Formula, text: str) -> None:
    assert show(f) == text
