"""The values of constants that the solver finds are those that trying every value finds."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from b_random import Known, expression

from quorbit.languages.b.load import load_typed
from quorbit.languages.b.meaning import solving
from quorbit.languages.b.meaning.evaluator import IllDefined, Unbounded
from quorbit.languages.b.meaning.explore import Animator
from quorbit.languages.options import LoadOptions

TYPINGS = {
    "A": ["{0} : S"],
    "E": ["{0} : T"],
    "N": ["{0} : 0..3", "{0} : NATURAL & {0} < 3", "{0} >= 0 & {0} + 1 <= 3", "{0} * {0} < 10"],
    "a": ["{0} <: S", "{0} : POW(S)"],
    "e": ["{0} <: T"],
    "R": ["{0} : S <-> T", "{0} : S --> T", "{0} : S +-> T", "{0} : S >-> T", "{0} : S -->> T"],
    "F": ["{0} : S +-> 0..2", "{0} : S --> 0..2", "{0} : S >-> 0..2", "{0} : S >+> 0..2"],
    "Q": ["{0} : perm(T)", "{0} : 1..2 --> T", "{0} : iseq(T)"],
}
NAMES = {"x": "A", "w": "E", "n": "N", "m": "N", "s": "a", "t": "e", "r": "R", "f": "F", "q": "Q"}
SUMS = ["m + n = 3", "2 * n - m <= 1", "n /= m", "n * m > 1", "!i.(i : 0..2 => i + n /= m)", "SIGMA(i).(i : s | n) = m"]


def machine(random: Random) -> str:
    chosen = sorted(random.sample(sorted(NAMES), random.choice((1, 2, 2, 3))))
    given = {"c": "A", "k": "N", "g": "R", "h": "e"}
    known = Known(random, {**given, **{name: NAMES[name] for name in chosen}})
    found = [random.choice(TYPINGS[NAMES[name]]).format(name) for name in chosen]
    found += [expression(known, "P") for _ in range(random.choice((1, 2, 3)))]
    found += [text for text in SUMS if random.random() < 0.3 and mentioned(text) <= {*chosen, "i"}]
    random.shuffle(found)
    return (
        "MACHINE m SETS S; T = {e1, e2} DEFINITIONS scope_S == 2\n"
        f"CONSTANTS c, k, g, h, {', '.join(chosen)}\n"
        f"PROPERTIES c : S & k = 1 & g = S * {{e1}} & h = {{e1}} & {' & '.join(found)}\nEND\n"
    )


def mentioned(text: str) -> set[str]:
    return {word for word in text.replace("(", " ").replace(")", " ").split() if word.isidentifier() and len(word) == 1}


def tried(animator: Animator) -> set[tuple[Any, ...]] | None:
    """All valuations, every value of every type tried; None if one is ill-defined."""
    m, reference = animator.machine, animator.reference
    s = sorted(animator.universe.atoms["S"])
    e = sorted(animator.universe.atoms["T"])
    values: dict[str, list[Any]] = {
        "A": s,
        "E": e,
        "N": list(range(-4, 5)),
        "a": subsets(s),
        "e": subsets(e),
        "R": subsets([(x, y) for x in s for y in e]),
        "F": [frozenset(p for p in zip(s, v, strict=True) if p[1] < 3) for v in product(range(4), repeat=2)],
        "Q": [frozenset(enumerate(v, 1)) for n in range(3) for v in product(e, repeat=n)],
    }  # fmt: skip
    fixed: dict[str, list[Any]] = {"k": [1], "g": [frozenset((x, e[0]) for x in s)], "h": [frozenset({e[0]})], "c": s}
    columns = [fixed.get(c.name) or values[NAMES[c.name]] for c in m.constants]
    found = set()
    for row in product(*columns):
        env = {**animator.globals, **dict(zip([c.name for c in m.constants], row, strict=True))}
        try:
            if all(reference.holds(p, env) for p in m.properties):
                found.add(tuple(row))
        except IllDefined:
            return None
    return found


def subsets(elements: list[Any]) -> list[frozenset[Any]]:
    return [
        frozenset(x for x, keep in zip(elements, bits, strict=True) if keep)
        for bits in product((0, 1), repeat=len(elements))
    ]


def compare(random: Random) -> bool:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mch"
        path.write_text(machine(random), encoding="utf-8")
        typed, universe, _ = load_typed(path, LoadOptions())
    animator = Animator(typed, universe)
    wanted = tried(animator)
    if wanted is None:
        return False
    try:
        with patch.object(solving, "MANY_CANDIDATES", 0):
            found = list(animator.setups())
    except (IllDefined, Unbounded):
        return False
    if animator.reference.cuts:
        return False
    assert set(found) == wanted
    assert len(found) == len(wanted)
    return True


@pytest.mark.parametrize("seed", range(20))
def test_constants(seed: int) -> None:
    compare(Random(seed))


@pytest.mark.soak
@pytest.mark.parametrize("block", range(30))
def test_constants_soak(block: int) -> None:
    assert sum(compare(Random(1000 + 100 * block + k)) for k in range(100)) > 40
