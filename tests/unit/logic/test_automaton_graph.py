"""The symmetries of automata: what they should be for well-known formulas, and that they keep the language."""

from __future__ import annotations

import random

import pytest
from naive_logic import holds_on_word, random_ltl, random_word

from quorbit.groups.chain import build_chain, elements
from quorbit.logic.automata.automaton_graph import automaton_symmetries, prime_implicants
from quorbit.logic.automata.booleans import Booleans
from quorbit.logic.automata.buchi import buchi_automaton, generalised_automaton
from quorbit.logic.formulas.parse import parse_formula


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("<> p && <> q", 2),
        ("<> p && <> q && <> r", 6),
        ("[] p && [] q", 2),
        ("p U q", 1),
        ("[](p || q -> <> r)", 2),
        ("(p U q) || (q U p)", 2),
    ],
)
def test_symmetries_of_automata(text: str, order: int) -> None:
    automaton = buchi_automaton(parse_formula(text))
    k = len(automaton.propositions)
    assert len({g[:k] for g in elements(build_chain(automaton_symmetries(automaton)))}) == order


def test_states_follow_the_propositions() -> None:
    automaton = generalised_automaton(parse_formula("<> p && <> q"))
    (g,) = [g for g in elements(build_chain(automaton_symmetries(automaton))) if g[:2] == (1, 0)]
    assert sorted(g[2:]) == list(range(2, 2 + automaton.states))
    assert g[2:] != tuple(range(2, 2 + automaton.states))


@pytest.mark.parametrize("seed", range(60))
def test_the_language_is_invariant(seed: int) -> None:
    rng = random.Random(seed)
    f = random_ltl(rng, 3)
    automaton = buchi_automaton(f)
    names = [str(p.expression) for p in automaton.propositions]
    for g in automaton_symmetries(automaton).generators:
        renamed = {name: names[g[i]] for i, name in enumerate(names)}
        for _ in range(10):
            letters, back = random_word(rng)
            moved = [{renamed.get(name, name) for name in letter} for letter in letters]
            assert holds_on_word(f, (letters, back)) == holds_on_word(f, (moved, back))


@pytest.mark.parametrize("seed", range(30))
def test_prime_implicants(seed: int) -> None:
    """Each is inside the function and no wider cube is; together they make the function."""
    rng = random.Random(seed)
    n = 4
    truth = [rng.random() < 0.5 for _ in range(1 << n)]
    minterms = [(x, (1 << n) - 1 & ~x) for x, value in enumerate(truth) if value]
    inside = [
        (positive, negative)
        for positive in range(1 << n)
        for negative in range(1 << n)
        if not positive & negative and all(truth[x] for x in range(1 << n) if allowed(x, positive, negative))
    ]
    primes = [c for c in inside if not any(d != c and d[0] & ~c[0] == 0 and d[1] & ~c[1] == 0 for d in inside)]
    assert prime_implicants(minterms) == sorted(primes)


def allowed(x: int, positive: int, negative: int) -> bool:
    return x & positive == positive and not x & negative


@pytest.mark.parametrize("seed", range(30))
def test_booleans_and_their_cubes(seed: int) -> None:
    rng = random.Random(seed)
    booleans, n = Booleans(), 4
    f, truth = 0, [False] * (1 << n)
    for x in rng.sample(range(1 << n), rng.randint(0, 1 << n)):
        term = 1
        for i in range(n):
            literal = booleans.variable(i)
            term = booleans.both(term, literal if x >> i & 1 else booleans.negation(literal))
        f, truth[x] = booleans.either(f, term), True
    cubes = list(booleans.cubes(f))
    for x in range(1 << n):
        assert booleans.holds(f, x) == truth[x] == any(allowed(x, p, m) for p, m in cubes)
    for left_out in range(len(cubes)):
        rest = cubes[:left_out] + cubes[left_out + 1 :]
        assert any(truth[x] and not any(allowed(x, p, m) for p, m in rest) for x in range(1 << n))
