"""Unknown names as cells: the rest of a plan whose candidates are too many to be listed, solved as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import prod
from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW, Arrow
from quorbit.languages.b.meaning.evaluator import Endless, Env, Evaluator, IllDefined, Unbounded
from quorbit.languages.b.meaning.plan import Anything, Check, Equal, Member, Range, Step
from quorbit.languages.b.meaning.plan import Subset as SubsetOf
from quorbit.languages.b.solver.cells import Constraint, Domains, solutions
from quorbit.languages.b.solver.codes import (
    ABSENT,
    NO,
    OPEN,
    YES,
    Curried,
    Defined,
    Function,
    Holder,
    Scalar,
    Subset,
)
from quorbit.languages.b.solver.compile import Compiler
from quorbit.languages.b.solver.guesses import Span
from quorbit.languages.b.solver.truths import TESTS
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Builtin,
    Formula,
    Junction,
    Name,
    Number,
    Quantifier,
    SequenceOf,
    SetOf,
    Unary,
)
from quorbit.languages.b.types.types import BOOL, INTEGER, Given, SetOfType
from quorbit.model.meaning.operators import sorted_elements

__all__ = ["solve_rest"]

MOST_CELLS = 3_000
LARGEST_DOMAIN = 5_000
FARTHEST = 40  # bits of a number that is looked for where nothing bounds it
UNBOUNDED = Span(None, None)
ENDLESS_NUMBERS = {"INTEGER": UNBOUNDED, "NATURAL": Span(0, None), "NATURAL1": Span(1, None)}


class NoPuzzle(Exception):
    """These names cannot be laid out as cells here."""


def solve_rest(
    reference: Evaluator, steps: tuple[Step, ...], conditions: tuple[Formula, ...], env: Env, least: int = 0
) -> Iterator[Env] | None:
    """The surroundings with values for all names the steps bind such that the conditions hold; None: no puzzle.

    Values for which a condition is ill-defined are not solutions. Fewer candidates than ``least`` are not a puzzle.
    """
    try:
        puzzle = Puzzle(reference, env)
        for step in steps:
            puzzle.add(step)
        if not puzzle.open and prod(map(len, puzzle.domains)) < least:
            return None
        puzzle.close(conditions)
    except (NoPuzzle, IllDefined, Unbounded):
        return None
    return puzzle.solve()


class Puzzle:
    """Cells for unknown names, and the tests on them."""

    def __init__(self, reference: Evaluator, env: Env) -> None:
        self.reference = reference
        self.env = env
        self.holders: dict[str, Holder] = {}
        self.domains: Domains = []
        self.tests: list[Constraint] = []
        self.open: dict[int, Span] = {}  # cells of numbers that nothing lists, and what bounds them from the start
        self.asked: list[tuple[Formula, tuple[Constraint, ...]]] = []  # conditions with the tests that say all of them
        self.unsure = False
        self.hopeless = False  # no value is left for a number
        self.compiler = Compiler(reference, self.holders, self.domains)

    def cell(self, domain: tuple[Any, ...]) -> int:
        if len(self.domains) >= MOST_CELLS or len(domain) > LARGEST_DOMAIN:
            raise NoPuzzle
        self.domains.append(domain)
        return len(self.domains) - 1

    def listed(self, s: Formula) -> list[Any]:
        """The elements of a set that is known."""
        if not self.compiler.is_known(s, self.env):
            raise NoPuzzle
        value = self.reference.value(s, self.env)
        if isinstance(value, Endless) or len(value) > LARGEST_DOMAIN:
            raise NoPuzzle
        return sorted_elements(value)

    def add(self, step: Step) -> None:
        match step:
            case Check():
                return
            case Equal(pattern=Name(name=name), value=value):
                self.holders[name] = Defined(value)
            case Member(pattern=Name() as name, set=s):
                self.holders[name.name] = self.member(name, s)
            case SubsetOf(name=name, set=s):
                self.holders[name.name] = self.subset(self.listed(s))
            case Range(name=name):
                self.holders[name.name] = self.number()
            case Anything(name=name):
                self.holders[name.name] = self.anything(name)
            case _:
                raise NoPuzzle

    def number(self, between: Span = UNBOUNDED) -> Scalar:
        cell = self.cell((0,))
        self.open[cell] = between
        return Scalar(cell)

    def anything(self, name: Name) -> Holder:
        match name.type:
            case Given(given):
                return Scalar(self.cell(tuple(self.reference.universe.atoms[given])))
            case SetOfType(element):
                return self.subset(list(self.reference.all_values(element, None)))
        if name.type == BOOL:
            return Scalar(self.cell((0, 1)))
        if name.type == INTEGER:
            return self.number()
        raise NoPuzzle

    def subset(self, elements: list[Any]) -> Subset:
        return Subset({x: self.cell((0, 1)) for x in elements})

    def member(self, name: Name, s: Formula) -> Holder:
        match s:
            case Builtin(name=word) if word in ENDLESS_NUMBERS:
                return self.number(ENDLESS_NUMBERS[word])
            case Unary(op="POW" | "FIN" | "POW1" | "FIN1", argument=base):
                return self.subset(self.listed(base))
            case Unary(op="perm", argument=base):
                values = self.listed(base)
                arrow = Arrow(total=True, injective=True, surjective=True)
                return self.function(arrow, list(range(1, len(values) + 1)), values)
            case Binary(op="-->", left=left, right=Binary(op=op) as inner) if op in ARROW and ARROW[op].function:
                return self.curried(name, self.listed(left), inner)
            case Binary(op=op, left=left, right=right) if op in ARROW and ARROW[op].function:
                return self.function(ARROW[op], self.listed(left), self.image(right))
            case Binary(op=op, left=left, right=right) if op in ARROW:
                return self.subset([(x, y) for x in self.listed(left) for y in self.listed(right)])
            case Binary(op="..") if not self.compiler.is_known(s, self.env):
                return self.number()
        if (between := self.long_interval(s)) is not None:
            return self.number(between)
        return Scalar(self.cell(tuple(self.listed(s))))

    def curried(self, name: Name, domain: list[Any], inner: Binary) -> Curried:
        rows = {x: self.member(name, inner) for x in domain}
        functions = {x: row for x, row in rows.items() if isinstance(row, Function)}
        if len(functions) < len(rows):
            raise NoPuzzle
        return Curried(functions)

    def image(self, s: Formula) -> list[Any] | Span:
        """The values of a function, if they can be listed."""
        if isinstance(s, Builtin) and s.name in ENDLESS_NUMBERS:
            return ENDLESS_NUMBERS[s.name]
        return self.long_interval(s) or self.listed(s)

    def long_interval(self, s: Formula) -> Span | None:
        """The bounds of an interval that is too long to be listed; conditions may leave little of it."""
        if not isinstance(s, Binary) or s.op != ".." or not self.compiler.is_known(s, self.env):
            return None
        low, high = (self.reference.value(side, self.env) for side in (s.left, s.right))
        return Span(low, high) if high - low >= LARGEST_DOMAIN else None

    def function(self, arrow: Arrow, domain: list[Any], image: list[Any] | Span) -> Function:
        if isinstance(image, Span):
            if not arrow.total or arrow.surjective:
                raise NoPuzzle
            cells = {x: self.number(image).cell for x in domain}
        else:
            values = tuple(image) if arrow.total else (*image, ABSENT)
            cells = {x: self.cell(values) for x in domain}
        if arrow.injective:
            self.tests.append(all_apart(tuple(cells.values())))
        if arrow.surjective and not isinstance(image, Span):
            every = tuple(cells.values())
            self.tests.extend(Constraint(every, lambda d, y=y: reaches(every, y, d)) for y in image)  # type: ignore[misc]
        return Function(cells, arrow.total)

    def close(self, conditions: tuple[Formula, ...]) -> None:
        """The conditions as tests, conjunct by conjunct and instance by instance."""
        for cell, between in self.open.items():
            self.domains[cell] = between  # type: ignore[call-overload]
        for c in conditions:
            self.unsure, first = False, len(self.tests)
            self.ask(c, self.env)
            self.asked.append((c, () if self.unsure else tuple(self.tests[first:])))
        changed = bool(self.open)
        while changed:
            changed = False
            for cell in self.open:
                if isinstance(self.domains[cell], Span):
                    before, self.domains[cell] = self.domains[cell], self.bounded(cell)
                    changed = changed or self.domains[cell] != before
                    if self.domains[cell] == ():
                        self.hopeless = True
                        return
        if any(isinstance(self.domains[cell], Span) for cell in self.open):
            raise NoPuzzle

    def ask(self, c: Formula, env: Env) -> None:
        match c:
            case Junction(op="&", items=items):
                for item in items:
                    self.ask(item, env)
                return
            case Quantifier(op="!", names=names, predicate=Binary(op="=>", left=left, right=right)):
                instances = self.compiler.instances(names, self.reference.parts(left), env)
                if instances is not None and any(not rest for _, rest in instances):
                    for inner, _ in instances:
                        self.ask(right, inner)
                    return
            case Binary(op="<:", left=SetOf(items=items), right=s):
                for item in items:
                    self.ask(Binary(item.span, ":", item, s, type=c.type), env)
                return
            case Binary(op="=", left=Unary(op="card", argument=SetOf(items=items)), right=Number(value=n)) if n == len(
                items
            ):
                self.ask_apart(items, c, env)
                return
            case (
                Binary(op="=", left=SetOf(items=items), right=s) | Binary(op="=", left=s, right=SetOf(items=items))
            ) if self.has_size(s, len(items), env):
                for item in items:
                    self.ask(Binary(item.span, ":", item, s, type=c.type), env)
                self.ask_apart(items, c, env)
                return
        self.demand_values(c, env)
        truth = self.compiler.test(c, env)
        if truth is NO:
            self.tests.append(Constraint((), lambda d: False))
        elif truth is not YES and truth is not OPEN and truth.cells:
            self.tests.append(Constraint(tuple(sorted(truth.cells)), truth.run, truth.prune, truth.late))
        elif truth is not YES:
            self.unsure = True

    def ask_apart(self, items: tuple[Formula, ...], c: Formula, env: Env) -> None:
        for a, b in combinations(items, 2):
            self.ask(Binary(a.span, "/=", a, b, type=c.type), env)

    def has_size(self, s: Formula, size: int, env: Env) -> bool:
        if not self.compiler.is_known(s, env):
            return False
        value = self.reference.value(s, env)
        return isinstance(value, frozenset) and len(value) == size

    def demand_values(self, c: Formula, env: Env) -> None:
        """What a comparison applies has a value there: a condition that is ill-defined is not met."""
        for f in applications(c) if isinstance(c, Binary) and c.op in TESTS else ():
            holder = self.holders.get(f.function.name) if isinstance(f.function, Name) else None
            if not isinstance(holder, Function) or holder.total or f.function.name in env:  # type: ignore[attr-defined]
                continue
            argument = self.compiler.value(f.arguments[0], env)
            if len(f.arguments) == 1 and not argument.cells and isinstance(at := argument.run([]), tuple):
                if (cell := holder.cells.get(at[0])) is None:
                    self.hopeless = True
                    return
                self.domains[cell] = tuple(x for x in self.domains[cell] if x is not ABSENT)

    def bounded(self, cell: int) -> Any:
        """A number that nothing lists between the bounds that the tests give it; its values, if there are two."""
        mine = [t for t in self.tests if cell in t.cells]
        wide: Any = list(self.domains)
        least, most = wide[cell].low, wide[cell].high
        for bits in range(FARTHEST):
            if most is None:
                wide[cell] = Span(2**bits, None)
                most = 2**bits - 1 if any(t.decide(wide) is False for t in mine) else None
            if least is None:
                wide[cell] = Span(None, -(2**bits))
                least = 1 - 2**bits if any(t.decide(wide) is False for t in mine) else None
        if least is None or most is None:
            return Span(least, most)
        found = tuple(islice(self.fitting(cell, wide, mine, least, most), LARGEST_DOMAIN + 1))
        if len(found) > LARGEST_DOMAIN:
            raise NoPuzzle
        return found

    def fitting(self, cell: int, wide: Any, mine: list[Constraint], least: int, most: int) -> Iterator[int]:
        """The numbers between bounds that no test alone excludes, found by halving."""
        wide[cell] = (least,) if least == most else Span(least, most)
        if any(t.decide(wide) is False for t in mine):
            return
        if least == most:
            yield least
            return
        middle = (least + most) // 2
        yield from self.fitting(cell, wide, mine, least, middle)
        yield from self.fitting(cell, wide, mine, middle + 1, most)

    def solve(self) -> Iterator[Env]:
        for domains in solutions(self.domains, self.tests) if not self.hopeless else ():
            found = dict(self.env)
            for name, holder in self.holders.items():
                match holder:
                    case Defined(formula):
                        try:
                            found[name] = self.reference.value(formula, found)
                        except IllDefined:
                            break
                    case _:
                        found[name] = value_of(holder, domains)
            else:
                if self.holds(domains, found):
                    yield found

    def holds(self, domains: Domains, env: Env) -> bool:
        """Whether all conditions hold; those that the cells do not decide are asked of the reference meaning."""
        decided = [tests and all(t.decide(domains) for t in tests) for _, tests in self.asked]
        try:
            return all(sure or self.reference.holds(c, env) for sure, (c, _) in zip(decided, self.asked, strict=True))
        except IllDefined:
            return False


def applications(f: Formula) -> Iterator[Apply]:
    """The applications in an expression that are made whatever the names hold."""
    match f:
        case Apply(function=function, arguments=arguments):
            yield f
            for part in (function, *arguments):
                yield from applications(part)
        case Binary(op=":" | "/:" | "<:" | "/<:" | "<<:", left=left, right=right) if not isinstance(right, Apply):
            yield from applications(left)  # a set is asked for members as far as that is needed
        case Binary(op=op, left=left, right=right) if op not in ("=>", "<=>"):
            yield from applications(left)
            yield from applications(right)
        case Unary(op=op, argument=argument) if op not in ("not", "bool"):
            yield from applications(argument)
        case SetOf(items=items) | SequenceOf(items=items):
            for item in items:
                yield from applications(item)


def all_apart(cells: tuple[int, ...]) -> Constraint:
    """No two cells hold the same value, unless it is ABSENT."""

    def taken(d: Domains) -> set[Any] | None:
        """The values that cells have, None if two have the same."""
        found: set[Any] = set()
        for cell in cells:
            domain = d[cell]
            if isinstance(domain, tuple) and len(domain) == 1 and domain[0] is not ABSENT:
                if domain[0] in found:
                    return None
                found.add(domain[0])
        return found

    def prune(d: Domains) -> list[tuple[int, tuple[Any, ...]]] | None:
        if (known := taken(d)) is None:
            return None
        left: list[tuple[int, tuple[Any, ...]]] = []
        for cell in cells:
            if len(d[cell]) > 1 and not known.isdisjoint(d[cell]):
                left.append((cell, tuple(x for x in d[cell] if x not in known)))
        return left

    def decide(d: Domains) -> bool | None:
        if taken(d) is None:
            return False
        return True if all(isinstance(d[cell], tuple) and len(d[cell]) == 1 for cell in cells) else None

    return Constraint(cells, decide, prune, late=True)


def reaches(cells: tuple[int, ...], y: Any, d: Domains) -> bool | None:
    found: bool | None = False
    for cell in cells:
        if y in d[cell]:
            if len(d[cell]) == 1:
                return True
            found = None
    return found


def value_of(holder: Holder, domains: Domains) -> Any:
    match holder:
        case Scalar(cell):
            return domains[cell][0]
        case Subset(cells):
            return frozenset(x for x, cell in cells.items() if domains[cell][0])
        case Function(cells):
            return frozenset((x, domains[cell][0]) for x, cell in cells.items() if domains[cell][0] is not ABSENT)
        case Curried(rows):
            return frozenset((x, value_of(row, domains)) for x, row in rows.items())
    raise AssertionError(holder)
