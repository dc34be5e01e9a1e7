"""Guards that need solving: every step the tool finds is one that trying all values finds, and the other way round.

The oracle shares nothing with the tool: a condition is made as a text of B together with a function in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.result.outcome import Verdict

Env = dict[str, Any]
KEYS, VALUES = (1, 2, 3), (0, 1, 2)


@dataclass(frozen=True)
class Twin:
    """A formula of B and what it means."""

    text: str
    value: Callable[[Env], Any]


def functions() -> list[frozenset[tuple[int, int]]]:
    return [frozenset(zip(KEYS, row, strict=True)) for row in product(VALUES, repeat=3)]


def subsets() -> list[frozenset[int]]:
    return [frozenset(c) for n in range(4) for c in combinations(KEYS, n)]


KINDS: dict[str, tuple[list[str], Callable[[], list[Any]]]] = {  # how a parameter is typed, and all its values
    "number": (
        ["{0} : 0..4", "{0} : NATURAL & {0} < 5", "{0} + 1 : 1..5", "0 <= {0} & {0} <= 4"],
        lambda: list(range(5)),
    ),
    "set": (["{0} <: 1..3", "{0} : POW(1..3)", "{0} \\/ 1..3 = 1..3"], subsets),
    "function": (["{0} : 1..3 --> 0..2", "{0} : 1..3 <-> 0..2 & {0} : 1..3 --> 0..2"], functions),
    "permutation": (
        ["{0} : perm(1..3)", "{0} : 1..3 >->> 1..3"],
        lambda: [frozenset(zip(KEYS, row, strict=True)) for row in permutations(KEYS)],
    ),
}


class Maker:
    """Random formulas over the state n, s, f and the parameters, by kind."""

    def __init__(self, random: Random, names: dict[str, str]) -> None:
        self.random = random
        self.names = names

    def named(self, *kinds: str) -> Twin | None:
        fitting = [name for name, kind in self.names.items() if kind in kinds]
        if not fitting:
            return None
        name = self.random.choice(fitting)
        return Twin(name, lambda env: env[name])

    def number(self, depth: int = 2) -> Twin:
        way = self.random.randrange(7) if depth else self.random.randrange(2)
        known = self.named("number")
        if way == 0 or known is None:
            n = self.random.randrange(4)
            return Twin(str(n), lambda env: n)
        if way <= 1:
            return known
        if way == 2:
            a, b = self.number(depth - 1), self.number(depth - 1)
            op = self.random.choice("+-")
            sign = 1 if op == "+" else -1
            return Twin(f"({a.text} {op} {b.text})", lambda env: a.value(env) + sign * b.value(env))
        if way == 3:
            s = self.set()
            return Twin(f"card({s.text})", lambda env: len(s.value(env)))
        if way == 4:
            f = self.function()
            k = self.random.choice(KEYS)
            return Twin(f"{f.text}({k})", lambda env: dict(f.value(env))[k])
        if way == 5:
            f, s = self.function(), self.set()
            return Twin(
                f"SIGMA(i).(i : {s.text} | {f.text}(i))",
                lambda env: sum(v for k, v in f.value(env) if k in s.value(env)),
            )
        a, c = self.number(depth - 1), self.random.choice((2, 3))
        return Twin(f"{c} * {a.text}", lambda env: c * a.value(env))

    def set(self, depth: int = 1) -> Twin:
        known = self.named("set")
        way = self.random.randrange(5) if depth else 0
        if way <= 1 and known is not None:
            return known
        if way == 2:
            f = self.function()
            v = self.random.choice(VALUES)
            return Twin(f"{f.text}~[{{{v}}}]", lambda env: frozenset(k for k, value in f.value(env) if value == v))
        if way == 3:
            a, b = self.set(0), self.set(0)
            op, meaning = self.random.choice(
                [("\\/", frozenset.union), ("/\\", frozenset.intersection), ("-", frozenset.difference)]
            )
            return Twin(f"({a.text} {op} {b.text})", lambda env: meaning(a.value(env), b.value(env)))
        n = self.random.randrange(1, 4)
        return Twin(f"1..{n}", lambda env: frozenset(range(1, n + 1)))

    def function(self) -> Twin:
        found = self.named("function", "permutation")
        return found or Twin("f", lambda env: env["f"])

    def condition(self) -> Twin:
        way = self.random.randrange(8)
        if way <= 2:
            a, b = self.number(), self.number()
            op, meaning = self.random.choice(
                [("=", int.__eq__), ("/=", int.__ne__), ("<", int.__lt__), ("<=", int.__le__), (">", int.__gt__)]
            )
            return Twin(f"{a.text} {op} {b.text}", lambda env: meaning(a.value(env), b.value(env)))
        if way == 3:
            x, s = self.number(1), self.set()
            return Twin(f"{x.text} : {s.text}", lambda env: x.value(env) in s.value(env))
        if way == 4:
            a, b = self.set(), self.set()
            return Twin(f"{a.text} <: {b.text}", lambda env: a.value(env) <= b.value(env))
        if way == 5:
            f, x = self.function(), self.number(1)
            return Twin(
                f"!(i, j).(i : 1..3 & j : 1..3 & i < j => {f.text}(i) + {f.text}(j) /= {x.text})",
                lambda env: all(
                    dict(f.value(env))[i] + dict(f.value(env))[j] != x.value(env) for i, j in combinations(KEYS, 2)
                ),
            )
        if way == 6:
            f, s, x = self.function(), self.set(), self.number(1)
            return Twin(
                f"#i.(i : {s.text} & {f.text}(i) >= {x.text})",
                lambda env: any(v >= x.value(env) for k, v in f.value(env) if k in s.value(env)),
            )
        a, b = self.condition(), self.condition()
        op = self.random.choice(["or", "=>"])
        if op == "or":
            return Twin(f"({a.text} or {b.text})", lambda env: a.value(env) or b.value(env))
        return Twin(f"({a.text} => {b.text})", lambda env: not a.value(env) or b.value(env))


@dataclass(frozen=True)
class Operation:
    """Parameters (hidden ones are chosen by ANY), conditions and the new values of n, s and f."""

    name: str
    shown: dict[str, str]
    hidden: dict[str, str]
    typings: list[str]
    conditions: list[Twin]
    changes: dict[str, Twin]

    @property
    def text(self) -> str:
        guard = " & ".join([*self.typings, *(c.text for c in self.conditions)])
        body = " || ".join(f"{name} := {value.text}" for name, value in self.changes.items())
        if self.hidden:
            return f"{self.name} = ANY {', '.join(self.hidden)} WHERE {guard} THEN {body} END"
        return f"{self.name}({', '.join(self.shown)}) = PRE {guard} THEN {body} END"

    def steps(self, state: Env) -> Iterator[tuple[Any, ...]]:
        names = {**self.shown, **self.hidden}
        for row in product(*(KINDS[kind][1]() for kind in names.values())):
            env = {**state, **dict(zip(names, row, strict=True))}
            if all(c.value(env) for c in self.conditions):
                after = {**state, **{name: value.value(env) for name, value in self.changes.items()}}
                yield self.name, tuple(env[name] for name in self.shown), tuple(after[name] for name in "nsf")


def operation(random: Random, name: str) -> Operation:
    kinds = random.sample(sorted(KINDS), random.choice((1, 2, 2)))
    names = {f"p{k}": kind for k, kind in enumerate(kinds)}
    maker = Maker(random, {**names, "n": "number", "s": "set", "f": "function"})
    typings = [random.choice(KINDS[kind][0]).format(p) for p, kind in names.items()]
    conditions = [maker.condition() for _ in range(random.choice((1, 2, 3)))]
    value = maker.number(1)
    changes = {"n": Twin(f"({value.text} + 40) mod 5", lambda env: (value.value(env) + 40) % 5)}
    if random.random() < 0.5:
        changes["s"] = maker.set()
    found = maker.named("function")
    if random.random() < 0.3 and found is not None:
        changes["f"] = found
    hides = random.random() < 0.3
    shown, hidden = ({}, names) if hides else (names, {})
    return Operation(name, shown, hidden, typings, conditions, changes)


def explored(operations: list[Operation]) -> tuple[int, int]:
    start = (0, frozenset({1}), frozenset({(1, 0), (2, 1), (3, 2)}))
    seen, waiting, moves = {start}, [start], 1
    while waiting:
        state = waiting.pop()
        steps = {step for o in operations for step in o.steps(dict(zip("nsf", state, strict=True)))}
        moves += len(steps)
        for _, _, after in steps:
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return len(seen), moves


def compare(seed: int) -> None:
    random = Random(seed)
    operations = [operation(random, f"op{k}") for k in range(random.choice((1, 2)))]
    text = "MACHINE m VARIABLES n, s, f INVARIANT n : 0..4 & s <: 1..3 & f : 1..3 --> 0..2\n"
    text += "INITIALISATION n := 0 || s := {1} || f := {1 |-> 0, 2 |-> 1, 3 |-> 2}\nOPERATIONS\n"
    text += ";\n".join(o.text for o in operations) + "\nEND\n"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mch"
        path.write_text(text, encoding="utf-8")
        options = CheckOptions(symmetry="off", search=SearchOptions(all_errors=True))
        (result,) = check(load(path), options).results
    assert result.outcome.verdict is not Verdict.UNKNOWN, text
    found = result.outcome.statistics
    assert (found.states, found.transitions) == explored(operations), text


@pytest.mark.parametrize("seed", range(12))
def test_steps(seed: int) -> None:
    compare(seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(30))
def test_steps_soak(block: int) -> None:
    for k in range(100):
        compare(1000 + 100 * block + k)
