"""A reference for the logics, written from the definitions and for small cases only; shares nothing with the package.

LTL on a lasso (a word u v v v ...) by evaluating each sub-formula at each of its finitely many positions, and CTL* on a
small graph by searching, for `E f`, all pairs of a state and a guess about the sub-formulas of f that hold there
(the tableau of Lichtenstein and Pnueli, 1985).  Also random formulas, words and graphs.
"""

from __future__ import annotations

import itertools
import random

from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Release,
    SomePath,
    Truth,
    Until,
    WeakUntil,
    children,
)

Word = tuple[list[set[str]], int]  # letters and the position to which the last one returns


def holds_on_word(formula: Formula, word: Word) -> bool:
    return word_values(formula, word)[0]


def word_values(formula: Formula, word: Word) -> list[bool]:
    """The truth of a formula at every position."""
    letters, back = word
    n = len(letters)
    following = [i + 1 if i + 1 < n else back for i in range(n)]

    def path(i: int) -> list[int]:
        found = [i]
        while len(found) <= 2 * n:
            found.append(following[found[-1]])
        return found

    parts = [word_values(f, word) for f in children(formula)]
    match formula:
        case Proposition(name):
            return [name in letter for letter in letters]
        case Truth(value):
            return [value] * n
        case Not():
            return [not a for a in parts[0]]
        case And():
            return [all(part[i] for part in parts) for i in range(n)]
        case Or():
            return [any(part[i] for part in parts) for i in range(n)]
        case Implies():
            return [not a or b for a, b in zip(*parts, strict=True)]
        case Iff():
            return [a == b for a, b in zip(*parts, strict=True)]
        case Next():
            return [parts[0][following[i]] for i in range(n)]
        case Eventually():
            return [any(parts[0][j] for j in path(i)) for i in range(n)]
        case Always():
            return [all(parts[0][j] for j in path(i)) for i in range(n)]
    first, second = parts

    def until(i: int, left: list[bool], right: list[bool]) -> bool:
        for j in path(i):
            if right[j]:
                return True
            if not left[j]:
                return False
        return False

    match formula:
        case Until():
            return [until(i, first, second) for i in range(n)]
        case WeakUntil():
            return [until(i, first, second) or all(first[j] for j in path(i)) for i in range(n)]
        case Release():
            opposite = [not a for a in first], [not b for b in second]
            return [not until(i, *opposite) for i in range(n)]
    raise TypeError(formula)


class Graph:
    """A small Kripke structure: successors, the names true in each state."""

    def __init__(self, successors: list[list[int]], labels: list[set[str]]) -> None:
        self.successors, self.labels = successors, labels


def holds_in_states(formula: Formula, graph: Graph) -> set[int]:
    """The states with a CTL* state formula."""
    everything = set(range(len(graph.successors)))
    match formula:
        case Proposition(name):
            return {s for s in everything if name in graph.labels[s]}
        case Truth(value):
            return everything if value else set()
        case SomePath(f):
            return states_with_path(f, graph)
        case AllPaths(f):
            return everything - states_with_path(Not(f), graph)
        case Not(f):
            return everything - holds_in_states(f, graph)
        case And(fs):
            return everything.intersection(*(holds_in_states(f, graph) for f in fs))
        case Or(fs):
            return set().union(*(holds_in_states(f, graph) for f in fs))
        case Implies(f, g):
            return (everything - holds_in_states(f, graph)) | holds_in_states(g, graph)
        case Iff(f, g):
            return everything - (holds_in_states(f, graph) ^ holds_in_states(g, graph))
    raise TypeError(formula)


def core(f: Formula) -> Formula:
    """In terms of not, or, X and U alone; path quantifiers stay as they are."""
    match f:
        case Proposition() | Truth() | SomePath() | AllPaths():
            return f
        case Not(a):
            return Not(core(a))
        case And(fs):
            return Not(Or(tuple(Not(core(a)) for a in fs)))
        case Or(fs):
            return Or(tuple(core(a) for a in fs))
        case Implies(a, b):
            return Or((Not(core(a)), core(b)))
        case Iff(a, b):
            return core(And((Implies(a, b), Implies(b, a))))
        case Next(a):
            return Next(core(a))
        case Until(a, b):
            return Until(core(a), core(b))
        case Eventually(a):
            return Until(Truth(True), core(a))
        case Always(a):
            return Not(Until(Truth(True), Not(core(a))))
        case Release(a, b):
            return Not(Until(Not(core(a)), Not(core(b))))
        case WeakUntil(a, b):
            return core(Or((Until(a, b), Always(a))))
    raise TypeError(f)


def states_with_path(formula: Formula, graph: Graph) -> set[int]:
    formula = core(formula)
    elementary: list[Formula] = []

    def collect(f: Formula) -> None:
        if isinstance(f, SomePath | AllPaths | Proposition):
            return
        for child in children(f):
            collect(child)
        if isinstance(f, Next | Until) and f not in elementary:
            elementary.append(f)

    collect(formula)
    known: dict[Formula, set[int]] = {}

    def value(f: Formula, s: int, guess: dict[Formula, bool]) -> bool:
        match f:
            case Truth(v):
                return v
            case Proposition() | SomePath() | AllPaths():
                if f not in known:
                    known[f] = holds_in_states(f, graph)
                return s in known[f]
            case Not(a):
                return not value(a, s, guess)
            case Or(fs):
                return any(value(a, s, guess) for a in fs)
        return guess[f]

    guesses = [
        dict(zip(elementary, bits, strict=True)) for bits in itertools.product((False, True), repeat=len(elementary))
    ]

    def steps(s: int, g: dict[Formula, bool], t: int, h: dict[Formula, bool]) -> bool:
        for f in elementary:
            if isinstance(f, Next):
                expected = value(f.operand, t, h)
            else:
                assert isinstance(f, Until)
                expected = value(f.right, s, g) or (value(f.left, s, g) and h[f])
            if g[f] != expected:
                return False
        return True

    atoms = [(s, i) for s in range(len(graph.successors)) for i in range(len(guesses))]
    after = {
        (s, i): [
            (t, j) for t in graph.successors[s] for j in range(len(guesses)) if steps(s, guesses[i], t, guesses[j])
        ]
        for s, i in atoms
    }
    untils = [f for f in elementary if isinstance(f, Until)]
    reach = {a: reachable(after, a) for a in atoms}
    good = set()
    for a in atoms:
        circle = {b for b in reach[a] if a in reach[b]}
        if circle and all(any(not guesses[i][f] or value(f.right, s, guesses[i]) for s, i in circle) for f in untils):
            good.add(a)
    return {s for s, i in atoms if value(formula, s, guesses[i]) and ((s, i) in good or reach[s, i] & good)}


def reachable(after: dict[tuple[int, int], list[tuple[int, int]]], start: tuple[int, int]) -> set[tuple[int, int]]:
    """What can be reached by one step or more."""
    found: set[tuple[int, int]] = set()
    waiting = list(after[start])
    while waiting:
        a = waiting.pop()
        if a not in found:
            found.add(a)
            waiting.extend(after[a])
    return found


def random_ltl(rng: random.Random, depth: int, names: str = "pqr") -> Formula:
    if depth == 0 or rng.random() < 0.15:
        return Truth(rng.random() < 0.5) if rng.random() < 0.05 else Proposition(rng.choice(names))
    kind = rng.choice([Not, And, Or, Implies, Iff, Next, Eventually, Always, Until, WeakUntil, Release, Until, Release])
    if kind in (And, Or):
        return kind(tuple(random_ltl(rng, depth - 1, names) for _ in range(rng.randint(2, 3))))
    if kind in (Not, Next, Eventually, Always):
        return kind(random_ltl(rng, depth - 1, names))
    return kind(random_ltl(rng, depth - 1, names), random_ltl(rng, depth - 1, names))


def random_word(rng: random.Random, names: str = "pqr") -> Word:
    n = rng.randint(1, 6)
    return [{name for name in names if rng.random() < 0.5} for _ in range(n)], rng.randrange(n)


def random_graph(rng: random.Random, names: str = "pqr", largest: int = 5) -> Graph:
    n = rng.randint(1, largest)
    successors = [sorted({rng.randrange(n) for _ in range(rng.randint(1, 3))}) for _ in range(n)]
    return Graph(successors, [{name for name in names if rng.random() < 0.5} for _ in range(n)])


def random_ctl_star(rng: random.Random, depth: int, names: str = "pqr") -> Formula:
    """A state formula; path formulas inside have few temporal operators, since the reference guesses about each."""
    if depth == 0 or rng.random() < 0.15:
        return Proposition(rng.choice(names))
    if rng.random() < 0.3:
        kind = rng.choice([Not, And, Or])
        parts = tuple(random_ctl_star(rng, depth - 1, names) for _ in range(1 if kind is Not else 2))
        return Not(parts[0]) if kind is Not else kind(parts)
    path = random_ltl(rng, 2, "xyz")
    inner = {name: random_ctl_star(rng, depth - 1, names) for name in "xyz"}
    return rng.choice([AllPaths, SomePath])(replace_names(path, inner))


def replace_names(f: Formula, by: dict[str, Formula]) -> Formula:
    match f:
        case Proposition(name):
            return by[str(name)]
        case Truth():
            return f
        case And(fs) | Or(fs):
            return type(f)(tuple(replace_names(g, by) for g in fs))
    return type(f)(*(replace_names(g, by) for g in children(f)))  # type: ignore[arg-type, call-arg]
