"""Constants that only a solver finds; how many valuations there are is counted here by brute force in Python."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import pytest

from quorbit.languages.b.load import load_typed
from quorbit.languages.b.meaning.explore import Animator
from quorbit.languages.options import LoadOptions


def latin(n: int) -> int:
    """Squares in which no row and no column has a number twice."""
    rows = list(permutations(range(n)))
    return sum(all(len({row[k] for row in square}) == n for k in range(n)) for square in product(rows, repeat=n))


def falling() -> int:
    return sum(
        s[0] == 3 and all(s[i + 1] < s[i] or s[i + 1] == 0 for i in range(4)) for s in product(range(4), repeat=5)
    )


def orthogonal() -> int:
    """Matrices of 1 and -1 whose rows agree in half of the columns."""
    rows = list(product((1, -1), repeat=4))
    return sum(
        all(sum(x == y for x, y in zip(m[i], m[j], strict=True)) == 2 for i in range(4) for j in range(i))
        for m in product(rows, repeat=4)
    )


def houses() -> int:
    """red, green, blue and cat, dog, fox in three houses."""
    return sum(
        red == dog and abs(green - fox) == 1 and cat != 2
        for red, green, _ in permutations((1, 2, 3))
        for cat, dog, fox in permutations((1, 2, 3))
    )


PUZZLES = {
    "rows of rows": (
        "b : 1..3 --> (1..3 --> 1..3) & !(i, x, y).(i : 1..3 & x : 1..3 & y : 1..3 & x < y => "
        "b(i)(x) /= b(i)(y) & b(x)(i) /= b(y)(i))",
        "b",
        latin(3),
    ),
    "a set of names": (
        "{red, green, blue} = 1..3 & 1..3 = {cat, dog, fox} & red = dog & cat /= 2 & "
        "(green = fox + 1 or green = fox - 1)",
        "red, green, blue, cat, dog, fox",
        houses(),
    ),
    "a sequence of a size": (
        "s : seq(0..3) & size(s) = n & n = 5 & s(1) = 3 & !i.(i : 1..4 => s(i + 1) < s(i) or s(i + 1) = 0)",
        "s, n",
        falling(),
    ),
    "an injective sequence": (
        "s : iseq(1..5) & 3 = size(s) & s(1) + s(2) = s(3)",
        "s",
        sum(a + b == c for a, b, c in permutations(range(1, 6), 3)),
    ),
    "a function among the relations": (
        "h : POW((1..4) * (1..4) * {-1, 1}) & h : (1..4) * (1..4) --> {-1, 1} & "
        "!(i, j).(i : 1..4 & j : 1..4 & i < j => card({k | k : 1..4 & h(i, k) = h(j, k)}) = 2)",
        "h",
        orthogonal(),
    ),
    "a partial function that is applied": (  # 28 sets may go to the element that is left, or none
        "f : POW(S) >+> S & !y.(y : S & y /= a => f({y}) = y)",
        "f",
        2**5 - 4 + 1,
    ),
    "either of two": (
        "x : 1..4 --> 1..6 & !(i, j).(i : 1..4 & j : 1..4 & i < j => not(x(i) + 1 = x(j) & x(j) > i) or x(i) = 6) & "
        "!i.(i : 1..3 => (x(i), x(i + 1)) /= (1, 1))",
        "x",
        sum(
            all(not (x[i] + 1 == x[j] and x[j] > i + 1) or x[i] == 6 for i in range(4) for j in range(i + 1, 4))
            and all((x[i], x[i + 1]) != (1, 1) for i in range(3))
            for x in product(range(1, 7), repeat=4)
        ),
    ),
}


@pytest.mark.parametrize("name", PUZZLES)
def test_puzzles(tmp_path: Path, name: str) -> None:
    properties, constants, expected = PUZZLES[name]
    path = tmp_path / "P.mch"
    path.write_text(f"MACHINE P SETS S = {{a, e1, e2, e3, e4}} CONSTANTS {constants} PROPERTIES {properties} END")
    machine, universe, _ = load_typed(path, LoadOptions())
    found = list(Animator(machine, universe).setups())
    assert len(found) == len(set(found)) == expected > 0
