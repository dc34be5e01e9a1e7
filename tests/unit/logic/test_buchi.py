"""LTL → Büchi automata: the language against the definition on lassos, the size against SPIN's."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from naive_logic import Word, holds_on_word, random_ltl, random_word
from specification_patterns import CASES, PATTERNS, SPIN_STATES

from quorbit.logic.automata.automaton import Automaton, Buchi, allows, outgoing, show_never
from quorbit.logic.automata.buchi import buchi_automaton, generalised_automaton
from quorbit.logic.formulas.normal import normalise, normalise_negation
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.formulas.simplify import simplify
from quorbit.model.system.formula import Always, And, Eventually, Formula, Not, Proposition, propositions
from quorbit.model.system.formula_text import show
from quorbit.source.errors import UserError


def accepts(automaton: Automaton, word: Word) -> bool:
    """By definition, on the finite graph of (position, state): a reachable cycle with all that acceptance asks for."""
    letters, back = word
    names = [str(p.expression) for p in automaton.propositions]
    masks = [sum(1 << i for i, name in enumerate(names) if name in letter) for letter in letters]
    out = outgoing(automaton)
    steps: dict[tuple[int, int], list[tuple[tuple[int, int], int]]] = {}
    for i, mask in enumerate(masks):
        j = i + 1 if i + 1 < len(masks) else back
        for q in range(automaton.states):
            marks = lambda t, q=q: int(automaton.accepting[q]) if isinstance(automaton, Buchi) else t.marks  # noqa: E731
            steps[i, q] = [((j, t.target), marks(t)) for t in out[q] if allows(t, mask)]
    full = 1 if isinstance(automaton, Buchi) else (1 << automaton.sets) - 1

    def reach(start: tuple[int, int]) -> set[tuple[int, int]]:
        found, waiting = set(), [start]
        while waiting:
            for b, _ in steps[waiting.pop()]:
                if b not in found:
                    found.add(b)
                    waiting.append(b)
        return found

    start = (0, automaton.initial)
    reached = {a: reach(a) for a in steps}
    for a in reached[start] | {start}:
        circle = {b for b in reached[a] if a in reached[b]}
        union = 0
        for b in circle:
            for c, m in steps[b]:
                union |= m if c in circle else 0
        if circle and union == full:
            return True
    return False


def check_language(seed: int, words: int = 12) -> None:
    rng = random.Random(seed)
    f = random_ltl(rng, rng.randint(1, 4))
    general, plain = generalised_automaton(f), buchi_automaton(f)
    for _ in range(words):
        word = random_word(rng)
        expected = holds_on_word(f, word)
        assert accepts(general, word) == expected, (show(f), word)
        assert accepts(plain, word) == expected, (show(f), word)


@pytest.mark.parametrize("seed", range(100))
def test_language(seed: int) -> None:
    check_language(seed)


@pytest.mark.soak
def test_language_of_many() -> None:
    for seed in range(1_000, 6_000):
        check_language(seed)


@pytest.mark.parametrize("seed", range(200))
def test_normal_forms_keep_the_meaning(seed: int) -> None:
    rng = random.Random(seed)
    f = random_ltl(rng, 4)
    normal, negated = normalise(f), normalise_negation(f)
    simple = simplify(normal)
    for _ in range(20):
        word = random_word(rng)
        expected = holds_on_word(f, word)
        assert holds_on_word(normal, word) == expected
        assert holds_on_word(negated, word) != expected
        assert holds_on_word(simple, word) == expected, (show(f), show(simple))


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("p U (p U q)", "p U q"),
        ("(p U q) U q", "p U q"),
        ("[]<>[]<> p", "[]<>p"),
        ("X []<> p", "[]<>p"),
        ("q U []<> p", "[]<>p"),
        ("<>(q U p || p)", "<>p"),
        ("!p U p", "<>p"),
        ("p && !p", "false"),
        ("p || (q && p)", "p"),
        ("(p U q) && (r U q)", "(p && r) U q"),
        ("[]<> p || []<> q", "[]<>(p || q)"),
        ("<>[] p && <>[] q", "<>[](p && q)"),
        ("[](p && []<> q)", "[]p && []<>q"),
        ("<> p && <>(p && q)", "<>(p && q)"),
        ("[] p && <> !p", "false"),
        ("<> p || [] !p", "true"),
    ],
)
def test_rules_of_simplification(text: str, simple: str) -> None:
    assert show(simplify(normalise(parse_formula(text)))) == simple


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("true", 1),
        ("false", 1),
        ("[] p", 1),
        ("<> p", 2),
        ("p U q", 2),
        ("[]<> p", 2),
        ("<>[] p", 2),
        ("[](p -> <> q)", 2),
        ("!([]<> p -> []<> q)", 3),
        ("[]<> p && []<> q && []<> r && []<> s", 5),
        ("!(([]<> p && []<> q && []<> r) -> [](s -> <> t))", 6),
        ("p U (q U (r U s))", 4),
        ("!(p U (q U (r U s)))", 4),
        ("[](p -> q U r)", 2),
        ("!([]<> p -> [](q -> <> r))", 4),
    ],
)
def test_sizes_of_well_known_formulas(text: str, states: int) -> None:
    """The sizes published tables of small automata give for these formulas, as upper bounds."""
    assert buchi_automaton(parse_formula(text)).states <= states


@pytest.mark.parametrize("seed", range(20))
def test_many_recurrences(seed: int) -> None:
    """Conjuncts []<> a beyond the number from which they are noted one at a time."""
    rng = random.Random(seed)
    names = "abcdef"
    goals = [Always(Eventually(Proposition(n))) for n in names]
    f = And((*goals, random_ltl(rng, 2, names)))
    general, plain = generalised_automaton(f), buchi_automaton(f)
    for _ in range(20):
        letters, back = random_word(rng, names)
        word = ([*letters, set(names)], back) if rng.random() < 0.5 else (letters, back)
        assert accepts(general, word) == accepts(plain, word) == holds_on_word(f, word)


def test_parities_do_not_explode() -> None:
    parity = " <-> ".join(f"x{i}" for i in range(40))
    assert buchi_automaton(parse_formula(f"[]<>({parity})")).states == 2
    assert buchi_automaton(parse_formula(f"!<>({parity})")).states == 1
    with pytest.raises(UserError, match="equivalences"):
        buchi_automaton(parse_formula(" <-> ".join(f"[] x{i}" for i in range(40))))


def test_too_many_propositions_are_refused() -> None:
    with pytest.raises(UserError, match="300 propositions"):
        buchi_automaton(parse_formula(" U ".join(f"x{i}" for i in range(300))))


def test_propositions_keep_their_order_and_are_all_there() -> None:
    automaton = generalised_automaton(parse_formula("(q || !q) && [] p"))
    assert automaton.propositions == (Proposition("q"), Proposition("p"))


PRINT_CLAIMS = """
import random
from naive_logic import random_ltl
from quorbit.logic.automata.automaton import show_never
from quorbit.logic.automata.buchi import buchi_automaton
for seed in range(40):
    print(show_never(buchi_automaton(random_ltl(random.Random(seed), 4))))
"""


def test_automata_do_not_depend_on_hashing() -> None:
    here = str(Path(__file__).parent)
    claims = [
        subprocess.run(
            [sys.executable, "-c", PRINT_CLAIMS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": here},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert len(claims[0]) > 1000
    assert len(set(claims)) == 1


def test_never_claim() -> None:
    text = show_never(buchi_automaton(parse_formula("<>[] p")))
    assert text.splitlines() == [
        "never {",
        "T0_init:",
        "  do",
        "  :: (true) -> goto T0_init",
        "  :: (p) -> goto accept_S1",
        "  od;",
        "accept_S1:",
        "  do",
        "  :: (p) -> goto accept_S1",
        "  od;",
        "}",
    ]
    assert "false;" in show_never(buchi_automaton(parse_formula("false")))


@pytest.mark.parametrize("pattern", SPIN_STATES)
def test_patterns_are_no_larger_than_in_spin(pattern: str) -> None:
    for text, (positive, negative) in zip(PATTERNS[pattern], SPIN_STATES[pattern], strict=True):
        assert buchi_automaton(parse_formula(text)).states <= (positive or 36)
        assert buchi_automaton(Not(parse_formula(text))).states <= (negative or 36)


@pytest.mark.parametrize(("pattern", "scope", "text"), CASES)
def test_patterns_are_quick_and_right(pattern: str, scope: str, text: str) -> None:
    for formula in (parse_formula(text), Not(parse_formula(text))):
        start = time.process_time()
        automaton = buchi_automaton(formula)
        assert time.process_time() - start < 1.0
        check_pattern(formula, automaton)


def check_pattern(formula: Formula, automaton: Buchi) -> None:
    rng = random.Random(show(formula))
    names = "".join(str(p.expression) for p in propositions(formula))
    for _ in range(15):
        word = random_word(rng, names)
        assert accepts(automaton, word) == holds_on_word(formula, word), word
