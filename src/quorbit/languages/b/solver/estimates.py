"""Values as functions of domains: sets and functions held in cells, applications, binders, operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.languages.b.meaning.operators import BINARY
from quorbit.languages.b.solver import guesses
from quorbit.languages.b.solver.cells import Domains
from quorbit.languages.b.solver.codes import ABSENT, NO, NOTHING, OPAQUE, Code, Function, Rows, Truth
from quorbit.languages.b.solver.guesses import UNKNOWN, Between, Guess, Span, as_set
from quorbit.model.meaning.operators import sorted_elements

MOST_PAIRS = 4_000  # of a set that is guessed


def subset_guess(members: tuple[tuple[Any, int], ...], d: Domains) -> Guess:
    must = frozenset(x for x, cell in members if d[cell] == (1,))
    may = frozenset(x for x, cell in members if d[cell][-1] == 1)
    return guesses.settled(Between(must, may))


def function_guess(members: tuple[tuple[Any, int], ...], d: Domains) -> Guess:
    if not all(isinstance(d[cell], tuple) for _, cell in members):
        return UNKNOWN  # numbers that have no bound yet
    must = frozenset((x, d[cell][0]) for x, cell in members if len(d[cell]) == 1 and d[cell][0] is not ABSENT)
    may = frozenset((x, y) for x, cell in members for y in d[cell] if y is not ABSENT)
    return guesses.settled(Between(must, may))


def values_of(cells: tuple[int, ...]) -> Code:
    """The set of what cells hold."""

    def run(d: Domains) -> Guess:
        must: set[Any] = set()
        may: set[Any] = set()
        for cell in cells:
            domain = d[cell]
            if not isinstance(domain, tuple):
                return UNKNOWN
            (must if len(domain) == 1 else may).update(domain)
        must.discard(ABSENT)
        may.discard(ABSENT)
        return guesses.settled(Between(frozenset(must), frozenset(may | must)))

    return Code(run, frozenset(cells))


def preimage(members: tuple[tuple[Any, int], ...], s: frozenset[Any]) -> Code:
    """The arguments for which a function has a value in s."""

    def run(d: Domains) -> Guess:
        must: list[Any] = []
        may: list[Any] = []
        for x, cell in members:
            domain = d[cell]
            if not isinstance(domain, tuple):
                return UNKNOWN
            if not s.isdisjoint(domain):
                may.append(x)
                if len(domain) == 1 or s.issuperset(domain):
                    must.append(x)
        return guesses.settled(Between(frozenset(must), frozenset(may)))

    return Code(run, frozenset(cell for _, cell in members))


def image_of_pairs(members: tuple[tuple[Any, int], ...]) -> Code:
    return Code(lambda d: subset_guess(members, d), frozenset(cell for _, cell in members))


def apply_cells(holder: Function, x: Code) -> Code | int:
    """The value of a function whose values are cells; if it is one cell, this cell."""
    cells, at = holder.cells, x.run
    if not x.cells:
        given = at([])
        cell = cells.get(given[0]) if isinstance(given, tuple) else None
        if cell is None:
            return OPAQUE
        if holder.total:
            return cell
        return Code(lambda d: present(d[cell]), frozenset({cell}))

    def run(d: Domains) -> Guess:
        argument = at(d)
        if not isinstance(argument, tuple) or len(argument) > guesses.FEW:
            return UNKNOWN
        if not all(isinstance(d[cells[value]], tuple) for value in argument if value in cells):
            return UNKNOWN
        found = {y for value in argument if value in cells for y in d[cells[value]] if y is not ABSENT}
        return in_order(found)

    return Code(run, x.cells | frozenset(cells.values()))


def has_absent(domain: Guess) -> bool:
    return isinstance(domain, tuple) and ABSENT in domain


def cell_has(cells: dict[Any, int], key: Any, value: Any) -> Truth:
    """Whether the cell of a key holds a value; without one: anything but ABSENT."""
    cell = cells.get(key)
    if cell is None:
        return NO

    def run(d: Domains) -> bool | None:
        domain = d[cell]
        if not isinstance(domain, tuple):
            return None
        if len(domain) == 1:
            return (domain[0] is not ABSENT) if value is None else bool(domain[0] == value)
        return None if value is None or value in domain else False

    return Truth(run, frozenset({cell}))


def present(domain: tuple[Any, ...]) -> Guess:
    if ABSENT not in domain:
        return domain
    return tuple(y for y in domain if y is not ABSENT) or UNKNOWN


def in_order(found: set[Any]) -> Guess:
    if not found:
        return UNKNOWN
    return tuple(sorted(found)) if all(isinstance(y, int) for y in found) else tuple(sorted_elements(frozenset(found)))


def applied(function: Guess, x: Guess) -> Guess:
    """The values of a function that is itself guessed."""
    f = as_set(function)
    if f is None or not isinstance(x, tuple) or len(f.may) > MOST_PAIRS:
        return UNKNOWN
    return in_order({y for key, y in f.may if key in x})


def looked_up(table: dict[Any, set[Any]], x: Guess) -> Guess:
    if not isinstance(x, tuple):
        return UNKNOWN
    if len(x) == 1:
        found = table.get(x[0])
        return UNKNOWN if found is None or len(found) > 1 else tuple(found)
    return in_order(set().union(*(table[key] for key in x if key in table)))


def pair(a: Code, b: Code) -> Code:
    left, right = a.run, b.run
    return Code(lambda d: paired_guess(left(d), right(d)), a.cells | b.cells)


def paired_guess(a: Guess, b: Guess) -> Guess:
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) * len(b) <= guesses.FEW:
        return tuple((x, y) for x in a for y in b)
    return UNKNOWN


def listed(items: list[Code]) -> Code:
    runs = [item.run for item in items]

    def run(d: Domains) -> Guess:
        found = [one(d) for one in runs]
        if not all(isinstance(g, tuple) for g in found):
            return UNKNOWN
        must = frozenset(g[0] for g in found if isinstance(g, tuple) and len(g) == 1)
        return guesses.settled(Between(must, frozenset(v for g in found if isinstance(g, tuple) for v in g)))

    return Code(run, NOTHING.union(*(item.cells for item in items)))


def paired(items: list[tuple[Any, Code]]) -> Code:
    return listed([pair(Code(lambda d, key=key: (key,), NOTHING), item) for key, item in items])  # type: ignore[misc]


def chosen(test: Truth, yes: Code, no: Code) -> Code:
    def run(d: Domains) -> Guess:
        found = test.run(d)
        return guesses.join(yes.run(d), no.run(d)) if found is None else (yes if found else no).run(d)

    return Code(run, test.cells | yes.cells | no.cells)


def total(rows: Rows, d: Domains) -> Guess:
    low: int | None = 0
    high: int | None = 0
    for _, test, body in rows:
        holds = test.run(d)
        if holds is False:
            continue
        g = body.run(d)
        least, most = guesses.low(g), guesses.high(g)
        if holds is None:
            least, most = (None if least is None else min(0, least)), (None if most is None else max(0, most))
        low = None if low is None or least is None else low + least
        high = None if high is None or most is None else high + most
    return (low,) if low is not None and low == high else Span(low, high)


def mapping(rows: Rows, d: Domains) -> Guess:
    must: set[Any] = set()
    may: set[Any] = set()
    for key, test, body in rows:
        holds = test.run(d)
        if holds is False:
            continue
        g = body.run(d)
        if not isinstance(g, tuple):
            return UNKNOWN
        may.update((key, y) for y in g)
        if holds and len(g) == 1:
            must.add((key, g[0]))
    return guesses.settled(Between(frozenset(must), frozenset(may)))


def union(rows: Rows, d: Domains) -> Guess:
    must: frozenset[Any] = frozenset()
    may: frozenset[Any] = frozenset()
    for _, test, body in rows:
        holds = test.run(d)
        s = as_set(body.run(d)) if holds is not False else Between(frozenset(), frozenset())
        if s is None:
            return UNKNOWN
        may |= s.may
        must |= s.must if holds else frozenset()
    return guesses.settled(Between(must, may))


def filtered(rows: list[tuple[Any, Truth]], d: Domains) -> Guess:
    answers = [(x, test.run(d)) for x, test in rows]
    must = frozenset(x for x, holds in answers if holds)
    return guesses.settled(Between(must, frozenset(x for x, holds in answers if holds is not False)))


def lifted(operator: Callable[[Any], Any], g: Guess) -> Guess:
    """An operator that gives more for more."""
    s = as_set(g)
    return UNKNOWN if s is None else guesses.settled(Between(operator(s.must), operator(s.may)))


def lifted_binary(op: str, growing: tuple[bool, bool]) -> Callable[[Guess, Guess], Guess]:
    operator = BINARY[op]

    def run(a: Guess, b: Guess) -> Guess:
        s, t = as_set(a), as_set(b)
        if s is None or t is None:
            return UNKNOWN
        least = operator(s.must if growing[0] else s.may, t.must if growing[1] else t.may)
        most = operator(s.may if growing[0] else s.must, t.may if growing[1] else t.must)
        return guesses.settled(Between(least, most))

    return run


def overridden(a: Guess, b: Guess) -> Guess:
    f, g = as_set(a), as_set(b)
    if f is None or g is None:
        return UNKNOWN
    surely, maybe = {x for x, _ in g.must}, {x for x, _ in g.may}
    must = frozenset(p for p in f.must if p[0] not in maybe) | g.must
    return guesses.settled(Between(must, frozenset(p for p in f.may if p[0] not in surely) | g.may))


def interval(a: Guess, b: Guess) -> Guess:
    la, ha, lb, hb = guesses.low(a), guesses.high(a), guesses.low(b), guesses.high(b)
    if la is None or ha is None or lb is None or hb is None or hb - la > MOST_PAIRS:
        return UNKNOWN
    return guesses.settled(Between(frozenset(range(ha, lb + 1)), frozenset(range(la, hb + 1))))


def divided(a: Guess, b: Guess) -> Guess:
    if isinstance(b, tuple) and 0 in b:
        return UNKNOWN
    return guesses.combine(a, b, BINARY["/"]) or UNKNOWN


def remainder(a: Guess, b: Guess) -> Guess:
    least, divisor = guesses.low(a), guesses.low(b)
    if least is None or least < 0 or divisor is None or divisor <= 0:
        return UNKNOWN
    most = guesses.high(b)
    return guesses.combine(a, b, BINARY["mod"]) or Span(0, None if most is None else most - 1)


def size(g: Guess) -> Guess:
    s = as_set(g)
    if s is None:
        return Span(0, None)
    return (len(s.must),) if len(s.must) == len(s.may) else Span(len(s.must), len(s.may))


def least_of(g: Guess) -> Guess:
    s = as_set(g)
    if s is None or not s.must:
        return UNKNOWN
    return (min(s.must),) if min(s.must) == min(s.may) else Span(min(s.may), min(s.must))


def greatest_of(g: Guess) -> Guess:
    s = as_set(g)
    if s is None or not s.must:
        return UNKNOWN
    return (max(s.must),) if max(s.must) == max(s.may) else Span(max(s.must), max(s.may))


MONOTONE = frozenset(["~", "dom", "ran", "closure1", "id"])
UNARY_GUESS: dict[str, Callable[[Guess], Guess]] = {
    "-": lambda g: guesses.subtract((0,), g),
    "card": size,
    "min": least_of,
    "max": greatest_of,
}
BINARY_GUESS: dict[str, Callable[[Guess, Guess], Guess]] = {
    "+": guesses.add,
    "-": guesses.subtract,
    "*": guesses.multiply,
    "/": divided,
    "mod": remainder,
    "..": interval,
    "|->": paired_guess,
    "<+": overridden,
    **{op: lifted_binary(op, (True, True)) for op in ("\\/", "/\\", "×", ";", "[]", "<|", "|>", "||", "><")},
    "\\": lifted_binary("\\", (True, False)),
    "<<|": lifted_binary("<<|", (False, True)),
    "|>>": lifted_binary("|>>", (True, False)),
}
