"""Random pairs of B machines with what they mean as Python functions, and refinement by brute force on the product.

Everything is a pair of a text and a function of the values of names, so the oracle reads no B: it steps through both
machines side by side and looks for a concrete step that no abstract step matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

Env = dict[str, Any]
ATOMS = (0, 1)  # of the deferred set S
NUMBERS = (0, 1, 2)


@dataclass(frozen=True)
class Term:
    text: str
    value: Callable[[Env], Any]


@dataclass(frozen=True)
class Change:
    """All values that a variable may get; texts of the substitution, and None if it is left alone."""

    text: Callable[[str], str]
    values: Callable[[Env], list[Any]] | None


@dataclass(frozen=True)
class Op:
    name: str
    guard: Term
    changes: dict[str, Change]
    result: Term | None = None


@dataclass(frozen=True)
class Machine:
    variables: tuple[str, ...]
    start: dict[str, list[Any]]
    start_text: str
    ops: tuple[Op, ...]


@dataclass(frozen=True)
class Pair:
    abstract: Machine
    concrete: Machine
    gluing: Term
    abstract_text: str
    concrete_text: str


# Terms.


def constant(text: str, value: Any) -> Term:
    return Term(text, lambda env: value)


def number(random: Random, v: Term) -> Term:
    k = Term("k", lambda env: env["k"])
    return random.choice(
        [
            v,
            constant("0", 0),
            constant("1", 1),
            constant("2", 2),
            Term(f"(({v.text}) + 1) mod 3", lambda env: (v.value(env) + 1) % 3),
            Term(f"2 - ({v.text})", lambda env: 2 - v.value(env)),
            k,
        ]
    )


def subset(random: Random, w: Term) -> Term:
    return random.choice(
        [
            w,
            constant("{}", frozenset()),
            constant("S", frozenset(ATOMS)),
            Term(f"({w.text}) \\/ {{a}}", lambda env: w.value(env) | {env["a"]}),
            Term(f"({w.text}) - {{a}}", lambda env: w.value(env) - {env["a"]}),
            Term(f"S - ({w.text})", lambda env: frozenset(ATOMS) - w.value(env)),
            Term("{a}", lambda env: frozenset({env["a"]})),
        ]
    )


def condition(random: Random, v: Term, w: Term) -> Term:
    return random.choice(
        [
            Term(f"({v.text}) < 2", lambda env: v.value(env) < 2),
            Term(f"({v.text}) /= k", lambda env: v.value(env) != env["k"]),
            Term(f"a : ({w.text})", lambda env: env["a"] in w.value(env)),
            Term(f"a /: ({w.text})", lambda env: env["a"] not in w.value(env)),
            Term(f"card({w.text}) <= ({v.text})", lambda env: len(w.value(env)) <= v.value(env)),
            constant("0 = 0", True),
            Term("k > 0", lambda env: env["k"] > 0),
        ]
    )


# The views of a variable: how the concrete machine holds what the abstract one calls n or s.


@dataclass(frozen=True)
class View:
    """``seen``: the abstract value from the concrete one; ``held``: the other way round; both None if there is none."""

    name: str
    gluing: Term
    seen: Callable[[Term], Term]
    held: Callable[[Term], Term]
    is_exact: bool = True


def number_views() -> list[View]:
    def same(t: Term) -> Term:
        return t

    def mirrored(t: Term) -> Term:
        return Term(f"2 - ({t.text})", lambda env: 2 - t.value(env))

    return [
        View("n", constant("0 = 0", True), same, same),
        View("m", Term("n = m", lambda env: env["n"] == env["m"]), same, same),
        View("m", Term("n = 2 - m", lambda env: env["n"] == 2 - env["m"]), mirrored, mirrored),
        View("m", Term("n <= m", lambda env: env["n"] <= env["m"]), same, same, False),
        View("m", Term("n mod 2 = m mod 2", lambda env: env["n"] % 2 == env["m"] % 2), same, same, False),
    ]


def set_views() -> list[View]:
    def same(t: Term) -> Term:
        return t

    def rest(t: Term) -> Term:
        return Term(f"S - ({t.text})", lambda env: frozenset(ATOMS) - t.value(env))

    return [
        View("s", constant("0 = 0", True), same, same),
        View("t", Term("s = S - t", lambda env: env["s"] == frozenset(ATOMS) - env["t"]), rest, rest),
        View("t", Term("card(s) = card(t)", lambda env: len(env["s"]) == len(env["t"])), same, same, False),
        View("t", Term("s <: t", lambda env: env["s"] <= env["t"]), same, same, False),
    ]


# Operations: drawn once by their choices, then written for either machine.


@dataclass(frozen=True)
class Drawn:
    """The seeds of an operation's parts: the same seeds give the same operation over other variables."""

    name: str
    guard: int
    number: tuple[int, int] | None
    subset: tuple[int, int] | None
    result: int | None


def draw(random: Random, name: str) -> Drawn:
    def two() -> tuple[int, int]:
        first = random.randrange(10**6)
        return first, first if random.random() < 0.7 else random.randrange(10**6)

    return Drawn(
        name,
        random.randrange(10**6),
        two() if random.random() < 0.8 else None,
        two() if random.random() < 0.8 else None,
        random.randrange(10**6) if random.random() < 0.4 else None,
    )


def mutated(random: Random, d: Drawn) -> Drawn:
    new = draw(random, d.name)
    part = random.choice(["guard", "number", "subset"])
    return Drawn(
        d.name,
        new.guard if part == "guard" else d.guard,
        new.number if part == "number" else d.number,
        new.subset if part == "subset" else d.subset,
        d.result,
    )


def change(name: str, first: Term, second: Term) -> Change:
    if first.text == second.text:
        return Change(lambda n: f"{n} := {first.text}", lambda env: [first.value(env)])
    return Change(
        lambda n: f"{n} :: {{{first.text}, {second.text}}}", lambda env: [first.value(env), second.value(env)]
    )


def written(d: Drawn, v: Term, w: Term, numbers: View, sets: View) -> Op:
    """The operation over the abstract values v and w, as they are held."""
    changes: dict[str, Change] = {}
    if d.number is not None:
        one, two = (numbers.held(number(Random(k), v)) for k in d.number)
        changes[numbers.name] = change(numbers.name, one, two)
    if d.subset is not None:
        one, two = (sets.held(subset(Random(k), w)) for k in d.subset)
        changes[sets.name] = change(sets.name, one, two)
    result = None if d.result is None else number(Random(d.result), v)
    return Op(d.name, condition(Random(d.guard), v, w), changes, result)


def random_pair(seed: int) -> Pair:
    """An abstract machine, and a concrete one that says the same through its views, or was changed at one place."""
    random = Random(seed)
    drawn = [draw(random, f"op{k}") for k in range(random.choice([1, 2, 2]))]
    numbers, sets = random.choice(number_views()), random.choice(set_views())
    changed = list(drawn)
    if random.random() < 0.5:
        at = random.randrange(len(drawn))
        changed[at] = mutated(random, drawn[at])
    plain_n, plain_s = number_views()[0], set_views()[0]
    n, s = Term("n", lambda env: env["n"]), Term("s", lambda env: env["s"])
    own_n = Term(numbers.name, lambda env: env[numbers.name])
    own_s = Term(sets.name, lambda env: env[sets.name])
    abstract = Machine(
        ("n", "s"),
        {"n": [0], "s": [frozenset()]},
        "n := 0 || s := {}",
        tuple(written(d, n, s, plain_n, plain_s) for d in drawn),
    )
    zero, none = numbers.held(constant("0", 0)), sets.held(constant("{}", frozenset()))
    starts = {numbers.name: [zero.value({})], sets.name: [none.value({})]}
    concrete = Machine(
        (numbers.name, sets.name),
        starts,
        f"{numbers.name} := {zero.text} || {sets.name} := {none.text}",
        tuple(written(d, numbers.seen(own_n), sets.seen(own_s), numbers, sets) for d in changed),
    )
    gluing = Term(
        f"{numbers.gluing.text} & {sets.gluing.text}",
        lambda env: numbers.gluing.value(env) and sets.gluing.value(env),
    )
    return Pair(abstract, concrete, gluing, abstract_text(abstract), concrete_text(concrete, gluing))


# Texts.


def types_of(variables: tuple[str, ...]) -> str:
    return " & ".join(f"{v} : 0..2" if v in ("n", "m") else f"{v} <: S" for v in variables)


def operation_text(op: Op, precondition: bool) -> str:
    head = f"{'r <-- ' if op.result is not None else ''}{op.name}(a, k)"
    parts = [c.text(name) for name, c in op.changes.items()]
    if op.result is not None:
        parts.append(f"r := {op.result.text}")
    body = f"SELECT {op.guard.text} THEN {' || '.join(parts) or 'skip'} END"
    return f"{head} = PRE a : S & k : 0..2 THEN {body} END" if precondition else f"{head} = {body}"


def abstract_text(m: Machine) -> str:
    ops = ";\n  ".join(operation_text(op, True) for op in m.ops)
    return (
        f"MACHINE Above\nSETS S\nVARIABLES {', '.join(m.variables)}\nINVARIANT {types_of(m.variables)}\n"
        f"INITIALISATION {m.start_text}\nOPERATIONS\n  {ops}\nEND\n"
    )


def concrete_text(m: Machine, gluing: Term) -> str:
    ops = ";\n  ".join(operation_text(op, False) for op in m.ops)
    return (
        f"REFINEMENT Below REFINES Above\nVARIABLES {', '.join(m.variables)}\n"
        f"INVARIANT {types_of(m.variables)} & {gluing.text}\n"
        f"INITIALISATION {m.start_text}\nOPERATIONS\n  {ops}\nEND\n"
    )


# Brute force.


def refines(pair: Pair) -> bool:
    """Whether every concrete step from every reachable pair has an abstract step that keeps the gluing invariant."""
    shared = [v for v in pair.abstract.variables if v in pair.concrete.variables]
    waiting: list[tuple[Env, Env]] = []
    for c in starts_of(pair.concrete):
        found = [a for a in starts_of(pair.abstract) if related(pair, shared, a, c)]
        if not found:
            return False
        waiting.extend((a, c) for a in found)
    seen: set[Any] = set()
    while waiting:
        a, c = waiting.pop()
        key = (tuple(sorted(a.items())), tuple(sorted(c.items())))
        if key in seen:
            continue
        seen.add(key)
        for mine, its in zip(pair.concrete.ops, pair.abstract.ops, strict=True):
            for x, k in product(ATOMS, NUMBERS):
                for new, result in outcomes(mine, c, x, k):
                    found = [
                        other
                        for other, said in outcomes(its, a, x, k)
                        if said == result and related(pair, shared, other, new)
                    ]
                    if not found:
                        return False
                    waiting.extend((other, new) for other in found)
    return True


def starts_of(m: Machine) -> Iterator[Env]:
    for values in product(*m.start.values()):
        yield dict(zip(m.start, values, strict=True))


def outcomes(op: Op, state: Env, x: int, k: int) -> list[tuple[Env, Any]]:
    env = {**state, "a": x, "k": k}
    if not op.guard.value(env):
        return []
    choices = [(name, c.values(env)) for name, c in op.changes.items() if c.values is not None]
    result = None if op.result is None else op.result.value(env)
    return [
        ({**state, **dict(zip((n for n, _ in choices), values, strict=True))}, result)
        for values in product(*(v for _, v in choices))
    ]


def related(pair: Pair, shared: list[str], a: Env, c: Env) -> bool:
    if any(a[v] != c[v] for v in shared):
        return False
    typed = all(v in NUMBERS for v in c.values() if isinstance(v, int))
    return typed and bool(pair.gluing.value({**a, **c}))
