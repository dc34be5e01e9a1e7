"""B formulas as functions of cells: their truth or value as far as the domains of the cells decide it.

Whatever does not mention an unknown name is computed here and now by the reference meaning. A form that is not known
here is undecided until all is known; then the reference meaning decides, so this may say less than it could but never
something wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import Endless, Env, Evaluator, IllDefined, Unbounded, tuple_value
from quorbit.languages.b.meaning.operators import BINARY, UNARY
from quorbit.languages.b.solver import guesses, linear
from quorbit.languages.b.solver.cells import Domains, Prune
from quorbit.languages.b.solver.guesses import UNKNOWN, Between, Guess, Span, as_set
from quorbit.languages.b.solver.linear import Sum
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Formula,
    Junction,
    Name,
    Quantifier,
    SequenceOf,
    SetOf,
    Unary,
)
from quorbit.languages.b.syntax.walk import free_names
from quorbit.model.meaning.operators import sorted_elements
from quorbit.source.frozen import frozen

ABSENT = ("absent",)  # what the cell of a partial function holds where it is not defined
MOST_INSTANCES = 20_000  # of a quantifier
MOST_PAIRS = 4_000  # of a set that is guessed


@frozen
class Scalar:
    """A name that is one cell."""

    cell: int


@frozen
class Function:
    """A function with a cell for every element of its domain; where a cell may hold ABSENT it is partial."""

    cells: dict[Any, int]
    total: bool


@frozen
class Subset:
    """A set with a cell, 0 or 1, for every element it may have."""

    cells: dict[Any, int]


@frozen
class Defined:
    """A name that stands for a formula over other names."""

    formula: Formula


Holder = Scalar | Function | Subset | Defined


@frozen
class Known:
    value: Any


@frozen
class Code:
    """Run on domains it gives a guess; it reads these cells."""

    run: Callable[[Domains], Guess]
    cells: frozenset[int]
    sum: Sum | None = None  # the same as a sum of cells that hold numbers


@frozen
class Truth:
    """Run on domains it gives True, False or, undecided, None."""

    run: Callable[[Domains], bool | None]
    cells: frozenset[int]
    prune: Prune | None = None
    late: bool = False


NOTHING: frozenset[int] = frozenset()
OPAQUE = Code(lambda d: UNKNOWN, NOTHING)
OPEN = Truth(lambda d: None, NOTHING)
YES = Truth(lambda d: True, NOTHING)
NO = Truth(lambda d: False, NOTHING)


class Compiler:
    """Compiles formulas over unknown names."""

    def __init__(self, reference: Evaluator, holders: dict[str, Holder], domains: Domains) -> None:
        self.reference = reference
        self.holders = holders
        self.domains = domains  # what every cell may hold before anything is tried
        self.free: dict[int, tuple[Formula, frozenset[str]]] = {}

    def names(self, f: Formula) -> frozenset[str]:
        found = self.free.get(id(f))
        if found is None:
            found = self.free[id(f)] = (f, free_names(f))
        return found[1]

    def is_known(self, f: Formula, env: Env) -> bool:
        return not any(name in self.holders and name not in env for name in self.names(f))

    # Predicates.

    def test(self, f: Formula, env: Env) -> Truth:
        if self.is_known(f, env):
            try:
                return YES if self.reference.holds(f, env) else NO
            except (IllDefined, Unbounded):
                return OPEN
        match f:
            case Junction(op=op, items=items):
                return junction([self.test(item, env) for item in items], op == "&")
            case Unary(op="not", argument=argument):
                return negated(self.test(argument, env))
            case Binary(op="=>", left=left, right=right):
                return junction([negated(self.test(left, env)), self.test(right, env)], False)
            case Binary(op="<=>", left=left, right=right):
                return same(self.test(left, env), self.test(right, env))
            case Binary(op=op) if op in TESTS:
                return self.compare(f, env)
            case Quantifier():
                return self.quantifier(f, env)
            case Conditional(condition=c, then=then, otherwise=other):
                test, yes, no = (self.test(p, env) for p in (c, then, other))
                return junction([junction([negated(test), yes], False), junction([test, no], False)], True)
        return OPEN

    def compare(self, f: Binary, env: Env) -> Truth:
        if f.op in (":", "/:"):
            found = self.member(self.value(f.left, env), f.right, env)
            return found if f.op == ":" else negated(found)
        if f.op in ("<:", "/<:", "<<:"):
            found = self.included(self.value(f.left, env), f.right, env)
            if f.op == "<<:":
                return junction([found, negated(self.compare_values("=", f, env))], True)
            return found if f.op == "<:" else negated(found)
        return self.compare_values(f.op, f, env)

    def compare_values(self, op: str, f: Binary, env: Env) -> Truth:
        a, b = self.value(f.left, env), self.value(f.right, env)
        if a.sum is not None and b.sum is not None:
            return compare_sums(op, a.sum, b.sum)
        run, left, right, cells = COMPARE[op], a.run, b.run, a.cells | b.cells
        if op == "/=":
            return Truth(late(tuple(cells), lambda d: run(left(d), right(d))), cells)
        return Truth(lambda d: run(left(d), right(d)), cells)

    def member(self, x: Code, s: Formula, env: Env) -> Truth:
        """x : s, where s need not be listed."""
        match s:
            case Builtin(name="INTEGER" | "STRING" | "BOOL"):
                return YES
            case Builtin(name="NATURAL" | "NATURAL1" | "NAT" | "NAT1" | "INT" as name):
                u = self.reference.universe
                low = {"NATURAL1": 1, "NAT1": 1, "INT": u.min_int}.get(name, 0)
                endless = name in ("NATURAL", "NATURAL1")
                return at_least(x, low) if endless else within(x, *from_bounds(low, u.max_int))
            case Binary(op="..", left=left, right=right):
                return within(x, self.value(left, env), self.value(right, env))
            case Unary(op="POW" | "FIN", argument=argument):
                return self.included(x, argument, env)
            case Binary(op=op) if op in ARROW:
                return OPEN
            case Binary(op="\\/", left=left, right=right):
                return junction([self.member(x, left, env), self.member(x, right, env)], False)
            case Binary(op="\\", left=left, right=right):
                return junction([self.member(x, left, env), negated(self.member(x, right, env))], True)
        if not x.cells and (found := self.has(x.run([]), s, env)) is not None:
            return found
        values = self.value(s, env)
        run, of, cells = values.run, x.run, x.cells | values.cells
        return Truth(lambda d: guesses.contains(run(d), of(d)), cells)

    def has(self, x: Guess, s: Formula, env: Env) -> Truth | None:
        """Whether a known value belongs to an unknown function, its domain or an unknown set: one cell tells."""
        inside = s.argument if isinstance(s, Unary) and s.op == "dom" else s
        if not isinstance(inside, Name) or inside.name in env or not isinstance(x, tuple) or len(x) != 1:
            return None
        match self.holders.get(inside.name), inside is s:
            case Function(cells), False:
                return (
                    YES if x[0] in cells and not has_absent(self.domains[cells[x[0]]]) else cell_has(cells, x[0], None)
                )
            case Function(cells), True:
                return cell_has(cells, x[0][0], x[0][1])
            case Subset(cells), True:
                return cell_has(cells, x[0], 1)
        return None

    def included(self, x: Code, s: Formula, env: Env) -> Truth:
        if isinstance(s, Builtin) and s.name in ("INTEGER", "STRING"):
            return YES
        values = self.value(s, env)
        run, of, cells = values.run, x.run, x.cells | values.cells
        return Truth(lambda d: guesses.is_subset(of(d), run(d)), cells)

    def quantifier(self, f: Quantifier, env: Env) -> Truth:
        every, body = f.op == "!", f.predicate
        conditions: tuple[Formula, ...] = () if every else self.reference.parts(f.predicate)
        if every and isinstance(f.predicate, Binary) and f.predicate.op == "=>":
            conditions, body = self.reference.parts(f.predicate.left), f.predicate.right
        instances = self.instances(f.names, conditions, env)
        if instances is None:
            return OPEN
        found: list[Truth] = []
        for inner, rest in instances:
            tests = [self.test(c, inner) for c in rest]
            if every:
                found.append(junction([*(negated(t) for t in tests), self.test(body, inner)], False))
            else:
                found.append(junction(tests, True))
        return junction(found, every)

    def instances(
        self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env
    ) -> list[tuple[Env, list[Formula]]] | None:
        """Values of the names that satisfy the conditions that are known, and the conditions that are not."""
        bound = {n.name for n in names}
        outer = {name: v for name, v in env.items() if name not in bound}
        open_names = {name for name in self.holders if name not in env and name not in bound}
        known = tuple(c for c in conditions if not self.names(c) & open_names)
        rest = [c for c in conditions if self.names(c) & open_names]
        for k, c in enumerate(rest):
            if isinstance(c, Binary) and c.op == ":" and (most := self.most(c.right, outer)) is not None:
                outer[f"#{k}"] = most
                known += (replace(c, right=Name(c.right.span, f"#{k}", type=c.right.type)),)
        try:
            found = list(islice(self.reference.solve_closed(names, known, outer), MOST_INSTANCES + 1))
        except (IllDefined, Unbounded):
            return None
        return [(inner, rest) for inner in found] if len(found) <= MOST_INSTANCES else None

    def most(self, s: Formula, env: Env) -> frozenset[Any] | None:
        """All that a set may have, whatever the cells hold."""
        found = as_set(self.value(s, env).run(self.domains))
        return None if found is None else found.may

    # Values.

    def value(self, f: Formula, env: Env) -> Code:
        if self.is_known(f, env):
            return self.known(f, env)
        match f:
            case Name(name=name):
                return self.held(self.holders[name], env)
            case Apply():
                return self.application(f, env)
            case Unary(op="bool", argument=argument):
                test = self.test(argument, env)
                return Code(lambda d: TRUTHS[test.run(d)], test.cells)
            case Unary():
                return self.unary(f, env)
            case Binary():
                return self.binary(f, env)
            case SetOf(items=items):
                return listed([self.value(item, env) for item in items])
            case SequenceOf(items=items):
                return paired([(k, self.value(item, env)) for k, item in enumerate(items, 1)])
            case Conditional(condition=c, then=then, otherwise=other):
                return chosen(self.test(c, env), self.value(then, env), self.value(other, env))
            case Binder():
                return self.binder(f, env)
            case Comprehension():
                return self.comprehension(f, env)
        return OPAQUE

    def known(self, f: Formula, env: Env) -> Code:
        try:
            value = self.reference.value(f, env)
        except (IllDefined, Unbounded):
            return OPAQUE
        if isinstance(value, Endless):
            return OPAQUE
        constant = (value,)
        return Code(lambda d: constant, NOTHING, linear.constant(value) if isinstance(value, int) else None)

    def held(self, holder: Holder, env: Env) -> Code:
        match holder:
            case Scalar(cell):
                return self.cell(cell)
            case Defined(formula):
                return self.value(formula, env)
            case Subset(cells):
                members = tuple(cells.items())
                return Code(lambda d: subset_guess(members, d), frozenset(cells.values()))
            case Function(cells):
                members = tuple(cells.items())
                return Code(lambda d: function_guess(members, d), frozenset(cells.values()))

    def cell(self, cell: int) -> Code:
        domain = self.domains[cell]
        numbers = isinstance(domain, Span) or all(isinstance(x, int) for x in domain)
        return Code(lambda d: d[cell], frozenset({cell}), linear.one(cell) if numbers else None)

    def application(self, f: Apply, env: Env) -> Code:
        x = self.value(f.arguments[0], env)
        for other in f.arguments[1:]:
            x = pair(x, self.value(other, env))
        holder = self.holders.get(f.function.name) if isinstance(f.function, Name) else None
        if isinstance(f.function, Name) and f.function.name in env:
            holder = None
        if isinstance(holder, Function):
            found = apply_cells(holder, x)
            return self.cell(found) if isinstance(found, int) else found
        function = self.value(f.function, env)
        run, at = function.run, x.run
        if not function.cells and isinstance(known := run([]), tuple):
            table: dict[Any, set[Any]] = {}
            for key, y in known[0]:
                table.setdefault(key, set()).add(y)
            return Code(lambda d: looked_up(table, at(d)), x.cells)
        return Code(lambda d: applied(run(d), at(d)), function.cells | x.cells)

    def unary(self, f: Unary, env: Env) -> Code:
        if f.op in ("card", "size", "dom") and isinstance(f.argument, Name):
            holder = self.holders.get(f.argument.name)
            if isinstance(holder, Function) and holder.total and f.argument.name not in env:
                constant = (frozenset(holder.cells) if f.op == "dom" else len(holder.cells),)
                return Code(lambda d: constant, NOTHING)
        a = self.value(f.argument, env)
        run = a.run
        if f.op in MONOTONE:
            operator = UNARY[f.op]
            return Code(lambda d: lifted(operator, run(d)), a.cells)
        if f.op in UNARY_GUESS:
            guess = UNARY_GUESS[f.op]
            negative = linear.add(linear.constant(0), a.sum, -1) if f.op == "-" and a.sum is not None else None
            return Code(lambda d: guess(run(d)), a.cells, negative)
        return OPAQUE

    def binary(self, f: Binary, env: Env) -> Code:
        if f.op == "[]" and (found := self.image(f, env)) is not None:
            return found
        if f.op not in BINARY_GUESS:
            return OPAQUE
        a, b = self.value(f.left, env), self.value(f.right, env)
        left, right, guess = a.run, b.run, BINARY_GUESS[f.op]
        return Code(lambda d: guess(left(d), right(d)), a.cells | b.cells, sum_of(f.op, a.sum, b.sum))

    def image(self, f: Binary, env: Env) -> Code | None:
        """r[S] and r~[S] with S known read only the cells that matter."""
        inverse = isinstance(f.left, Unary) and f.left.op == "~"
        relation = f.left.argument if isinstance(f.left, Unary) and inverse else f.left
        if not isinstance(relation, Name) or relation.name in env or not self.is_known(f.right, env):
            return None
        holder, given = self.holders.get(relation.name), self.known(f.right, env)
        if given is OPAQUE:
            return None
        [s] = given.run([])  # type: ignore[misc]
        match holder:
            case Function(cells) if inverse:
                return preimage(tuple(cells.items()), s)
            case Function(cells):
                return values_of(tuple(cell for x, cell in cells.items() if x in s))
            case Subset(cells):
                k = int(inverse)
                return image_of_pairs(tuple((p[1 - k], cell) for p, cell in cells.items() if p[k] in s))
        return None

    def binder(self, f: Binder, env: Env) -> Code:
        instances = self.instances(f.names, self.reference.parts(f.predicate), env)
        if instances is None:
            return OPAQUE
        rows = [
            (
                tuple_value(f.names, inner),
                self.all_of(rest, inner),
                self.value(f.body, inner),
            )
            for inner, rest in instances
        ]
        cells = NOTHING.union(*(test.cells | body.cells for _, test, body in rows))
        match f.op:
            case "SIGMA":
                return Code(lambda d: total(rows, d), cells, sum_of_all(rows))
            case "%":
                return Code(lambda d: mapping(rows, d), cells)
            case "UNION":
                return Code(lambda d: union(rows, d), cells)
        return OPAQUE

    def all_of(self, conditions: list[Formula], env: Env) -> Truth:
        return junction([self.test(c, env) for c in conditions], True)

    def comprehension(self, f: Comprehension, env: Env) -> Code:
        instances = self.instances(f.names, self.reference.parts(f.predicate), env)
        if instances is None:
            return OPAQUE
        rows = [(tuple_value(f.names, inner), self.all_of(rest, inner)) for inner, rest in instances]
        return Code(lambda d: filtered(rows, d), NOTHING.union(*(test.cells for _, test in rows)))


# Truths.


def junction(tests: list[Truth], conjunction: bool) -> Truth:
    absorbing, neutral = (NO, YES) if conjunction else (YES, NO)
    if any(t is absorbing for t in tests):
        return absorbing
    kept = [t for t in tests if t is not neutral]
    if not kept:
        return neutral
    if len(kept) == 1:
        return kept[0]
    runs = [t.run for t in kept]
    stop = not conjunction

    def run(d: Domains) -> bool | None:
        answer: bool | None = conjunction
        for one in runs:
            found = one(d)
            if found is stop:
                return stop
            if found is None:
                answer = None
        return answer

    return Truth(run, NOTHING.union(*(t.cells for t in kept)))


def negated(t: Truth) -> Truth:
    if t is YES or t is NO:
        return NO if t is YES else YES
    run = t.run

    def turned(d: Domains) -> bool | None:
        found = run(d)
        return None if found is None else not found

    return Truth(turned, t.cells)


def same(a: Truth, b: Truth) -> Truth:
    def run(d: Domains) -> bool | None:
        x, y = a.run(d), b.run(d)
        return None if x is None or y is None else x == y

    return Truth(run, a.cells | b.cells)


def late(cells: tuple[int, ...], run: Callable[[Domains], bool | None]) -> Callable[[Domains], bool | None]:
    """A test that hardly ever fails while two cells are open is not asked before."""

    def asked(d: Domains) -> bool | None:
        seen = False
        for cell in cells:
            if not isinstance(d[cell], tuple) or len(d[cell]) > 1:
                if seen:
                    return None
                seen = True
        return run(d)

    return asked


def within(x: Code, lower: Code, upper: Code) -> Truth:
    """lower <= x <= upper."""
    of, least, most = x.run, lower.run, upper.run

    def run(d: Domains) -> bool | None:
        value = of(d)
        above = guesses.less(least(d), value, 0)
        if above is False:
            return False
        below = guesses.less(value, most(d), 0)
        return False if below is False else True if above and below else None

    return Truth(run, x.cells | lower.cells | upper.cells)


def from_bounds(low: int, high: int) -> tuple[Code, Code]:
    return Code(lambda d: (low,), NOTHING), Code(lambda d: (high,), NOTHING)


def at_least(x: Code, low: int) -> Truth:
    of = x.run
    return Truth(lambda d: guesses.less((low,), of(d), 0), x.cells)


def sum_of(op: str, a: Sum | None, b: Sum | None) -> Sum | None:
    if a is None or b is None or op not in ("+", "-", "*"):
        return None
    return linear.multiply(a, b) if op == "*" else linear.add(a, b, 1 if op == "+" else -1)


def sum_of_all(rows: Rows) -> Sum | None:
    found = linear.constant(0)
    for _, test, body in rows:
        if test is not YES or body.sum is None:
            return None
        found = linear.add(found, body.sum)
    return found


def compare_sums(op: str, a: Sum, b: Sum) -> Truth:
    if op in (">", ">="):
        a, b, op = b, a, "<" if op == ">" else "<="
    s = linear.add(a, b, -1)
    if op == "<":
        s = Sum(s.factors, s.plus + 1)
    cells = frozenset(cell for cell, _ in s.factors)
    if not cells:
        return YES if (s.plus == 0, s.plus != 0, s.plus <= 0)[("=", "/=").index(op) if op in ("=", "/=") else 2] else NO
    decide, prune = LINEAR[op]
    return Truth(decide(s), cells, prune(s), op == "/=")


LINEAR = {
    "=": (linear.decide_equal, linear.prune_equal),
    "/=": (linear.decide_unequal, linear.prune_unequal),
    "<": (linear.decide_less, linear.prune_less),
    "<=": (linear.decide_less, linear.prune_less),
}
TRUTHS: dict[bool | None, Guess] = {True: (1,), False: (0,), None: (0, 1)}


def unequal(a: Guess, b: Guess) -> bool | None:
    found = guesses.equal(a, b)
    return None if found is None else not found


COMPARE: dict[str, Callable[[Guess, Guess], bool | None]] = {
    "=": guesses.equal,
    "/=": unequal,
    "<": lambda a, b: guesses.less(a, b, 1),
    "<=": lambda a, b: guesses.less(a, b, 0),
    ">": lambda a, b: guesses.less(b, a, 1),
    ">=": lambda a, b: guesses.less(b, a, 0),
}
TESTS = frozenset([*COMPARE, ":", "/:", "<:", "/<:", "<<:"])

# Guesses of values.


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


Rows = list[tuple[Any, Truth, Code]]


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
