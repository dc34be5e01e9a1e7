"""Functions of a circuit written flat, each once: what they compute, not how.

A function of few sources is written by its counts (canonical.py), one of many as conjunctions and disjunctions through
the wires between their gates, with negations pushed inwards; a choice between values as conditions for each value.
What follows from its neighbours is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from quorbit.detection.functions.canonical import all_of, any_of, opposite_of, parity_of, written
from quorbit.detection.functions.cofactors import Cofactors
from quorbit.detection.functions.tables import MOST_POINTS, NO_FIELD, SMALL, Grid, Sources, Unsaid
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Condition,
    Expr,
    Literal,
    Operator,
    Use,
    negation,
    number,
)
from quorbit.model.system.system import Definition
from quorbit.model.system.types import Value
from quorbit.model.system.walk import parts, walk
from quorbit.source.frozen import replace

MOST_OPERANDS = 3_000  # of a conjunction that others are written into
FEW = 8  # operands that are compared with each other
AND, OR = Operator.BIT_AND, Operator.BIT_OR


class Functions:
    """The functions of these sources."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.cofactors = Cofactors(sources, self.is_truth)
        self.small: dict[int, tuple[Expr, Expr | None]] = {}
        self.by_table: dict[tuple[int, frozenset[tuple[Value, int]]], Expr | None] = {}  # what is computed alike
        self.large: dict[tuple[int, bool], tuple[Expr, Expr]] = {}
        self.truths: dict[int, tuple[Expr, bool]] = {}
        self.chosen: dict[int, tuple[Expr, set[int] | None]] = {}
        self.tests: dict[tuple[int, int, bool], tuple[Expr, Expr]] = {}
        self.opposites: dict[int, tuple[Expr, Expr]] = {}
        self.grids: dict[int, Grid] = {}
        self.kept: dict[tuple[str, tuple[int, ...]], Definition] = {}  # the wires that something mentions

    def written(self, e: Expr) -> Expr:
        found = self.few(e)
        return self.many(e) if found is None else found

    def few(self, e: Expr) -> Expr | None:
        """A function of few sources; None for another."""
        known = self.small.get(id(e))
        if known is None:
            known = self.small[id(e)] = (e, self.find_few(e))
        return known[1]

    def find_few(self, e: Expr) -> Expr | None:
        support = self.sources.of(e)
        if self.sources.points(support) > MOST_POINTS:
            return None
        grid = self.grid(support)
        try:
            table = grid.table(e)
            key = support, frozenset(table.items())
            if key not in self.by_table:
                self.by_table[key] = written(grid, table)
            return self.by_table[key]
        except Unsaid:
            return None

    def grid(self, support: int) -> Grid:
        """The points that some sources span; a small one is kept, with the tables of what was looked at there."""
        if self.sources.points(support) > SMALL:
            return Grid(self.sources, support)
        if support not in self.grids:
            self.grids[support] = Grid(self.sources, support)
        return self.grids[support]

    def many(self, e: Expr) -> Expr:
        """A function of many sources: a truth value flattened, another value by the conditions of its values."""
        if self.is_truth(e):
            return self.flat(e, True)
        possible = self.values_of(e)
        if possible is None:
            return self.opaque(e)
        if possible <= {0, 1}:
            return self.flat(e, True)
        *most, last = sorted(possible)
        result: Expr = number(last)
        for value in reversed(most):
            result = Condition(self.is_value(e, value, True), number(value), result)
        return result

    def keep(self, use: Use) -> None:
        """The definition of a wire that something mentions by its name."""
        owners = tuple(owner.value for owner in use.owners if isinstance(owner, Literal))
        key = use.definition, owners
        if key not in self.kept:
            body = self.sources.body(use)
            made = Definition(use.definition, body, owners)  # type: ignore[arg-type]
            self.kept[key] = made  # type: ignore[index]
            self.kept[key] = replace(made, body=self.written(body))  # type: ignore[index]

    def opaque(self, e: Expr) -> Expr:
        """As it is written, the wires in it by their names."""
        for use in uses_in(e):
            self.keep(use)
        return e

    def is_truth(self, e: Expr) -> bool:
        """Whether an expression is 0 or 1 by how it is made."""
        known = self.truths.get(id(e))
        if known is None:
            known = self.truths[id(e)] = (e, self.find_truth(e))
        return known[1]

    def find_truth(self, e: Expr) -> bool:
        match e:
            case Apply(Operator.NOT | Operator.EQUAL | Operator.LESS | Operator.LESS_EQUAL | Operator.MEMBER):
                return True
            case Apply(Operator.AND | Operator.OR):
                return True
            case Apply(Operator.BIT_AND | Operator.BIT_OR | Operator.BIT_XOR, operands):
                return all(map(self.is_truth, operands))
            case Use():
                return self.is_truth(self.sources.body(e))
            case Condition(_, then, other):
                return self.is_truth(then) and self.is_truth(other)
            case Literal(value):
                return value in (0, 1)
        if self.sources.in_field(e) is not None:
            return True
        support = self.sources.of(e)
        return support.bit_count() == 1 and self.sources.listed[support.bit_length() - 1].values == (0, 1)

    def values_of(self, e: Expr) -> set[int] | None:
        """The numbers that an expression chooses between; None if it computes them."""
        known = self.chosen.get(id(e))
        if known is None:
            known = self.chosen[id(e)] = (e, self.find_values(e))
        return known[1]

    def find_values(self, e: Expr) -> set[int] | None:
        match e:
            case Literal(value=int(value)):
                return {value}
            case Condition(_, then, other):
                one, two = self.values_of(then), self.values_of(other)
                return None if one is None or two is None else one | two
            case Use():
                return self.values_of(self.sources.body(e))
        if self.is_truth(e):
            return {0, 1}
        support = self.sources.of(e)
        if support.bit_count() == 1:
            return set(self.sources.listed[support.bit_length() - 1].values)  # type: ignore[arg-type]
        return None

    def is_value(self, e: Expr, value: int, wanted: bool) -> Expr:
        """That e, which chooses between numbers, is this one; or that it is not."""
        key = id(e), value, wanted
        if key not in self.tests:
            self.tests[key] = (e, self.find_test(e, value, wanted))
        return self.tests[key][1]

    def find_test(self, e: Expr, value: int, wanted: bool) -> Expr:
        match e:
            case Literal(own):
                return TRUE if (own == value) == wanted else FALSE
            case Condition(test, then, other):
                yes, no = self.flat(test, True), self.flat(test, False)
                one, two = self.is_value(then, value, wanted), self.is_value(other, value, wanted)
                return self.disjunction([self.conjunction([yes, one]), self.conjunction([no, two])])
            case Use():
                return self.is_value(self.sources.body(e), value, wanted)
        if value in (0, 1) and self.is_truth(e):
            return self.flat(e, (value == 1) == wanted)
        test = Apply(Operator.EQUAL, (e, number(value)))
        found = self.few(test if wanted else negation(test))
        assert found is not None
        return found

    def flat(self, e: Expr, wanted: bool) -> Expr:
        """A truth value, or its opposite."""
        known = self.large.get((id(e), wanted))
        if known is None:
            known = self.large[id(e), wanted] = (e, self.find_flat(e, wanted))
        return known[1]

    def find_flat(self, e: Expr, wanted: bool) -> Expr:
        few = self.few(e) if wanted else self.few_opposite(e)
        if few is not None:
            return few
        if self.sources.field_of and (ways := self.cofactors.taken_apart(e)):
            return self.disjunction([self.conjunction([*at, self.flat(left, wanted)]) for at, left in ways])
        match e:
            case Apply(Operator.NOT, (operand,)):
                return self.flat(operand, not wanted)
            case Apply(Operator.BIT_AND | Operator.AND, operands):
                return self.both(operands, wanted, wanted)
            case Apply(Operator.BIT_OR | Operator.OR, operands):
                return self.both(operands, wanted, not wanted)
            case Apply(Operator.BIT_XOR, operands):
                return self.parity(operands, wanted)
            case Condition(test, then, other):
                both = ((True, then), (False, other))
                return self.disjunction(
                    [self.conjunction([self.flat(test, sign), self.flat(way, wanted)]) for sign, way in both]
                )
            case Use():
                body = self.sources.body(e)
                found = self.flat(body, wanted)
                if is_joined(found):
                    return found
                self.keep(e)
                return e if wanted else negation(e)
            case Literal(value):
                return TRUE if bool(value) == wanted else FALSE
        e = self.opaque(e)
        return e if wanted else negation(e)

    def few_opposite(self, e: Expr) -> Expr | None:
        if self.few(e) is None:
            return None
        if id(e) not in self.opposites:
            self.opposites[id(e)] = (e, negation(e))
        return self.few(self.opposites[id(e)][1])

    def both(self, operands: Sequence[Expr], wanted: bool, is_and: bool) -> Expr:
        found = [self.flat(operand, wanted) for operand in operands]
        return self.conjunction(found) if is_and else self.disjunction(found)

    def parity(self, operands: Iterable[Expr], wanted: bool) -> Expr:
        odd: list[Expr] = []
        waiting = list(operands)
        while waiting:
            e = waiting.pop()
            body = self.sources.body(e) if isinstance(e, Use) else e
            match body:
                case Apply(Operator.BIT_XOR, inner):
                    waiting += inner
                    continue
                case Apply(Operator.NOT, (inner,)):
                    wanted = not wanted
                    waiting.append(inner)
                    continue
            found = self.flat(e, True)
            if isinstance(found, Apply) and found.operator is Operator.NOT:
                wanted, found = not wanted, found.operands[0]
            odd.append(found)
        whole = parity_of(odd) if len(odd) > 1 else odd[0]
        return whole if wanted else opposite_of(whole)

    def conjunction(self, operands: Sequence[Expr]) -> Expr:
        return self.joined(AND, operands)

    def disjunction(self, operands: Sequence[Expr]) -> Expr:
        return self.joined(OR, operands)

    def joined(self, operator: Operator, operands: Sequence[Expr]) -> Expr:
        """Flat, without operands that others make needless."""
        operands = self.with_fields_joined(operator, operands) if self.sources.field_of else operands
        whole = all_of(operands) if operator is AND else any_of(operands)
        self.sources.spend(len(parts(whole)))
        if not isinstance(whole, Apply) or whole.operator is not operator or len(whole.operands) > FEW:
            return whole
        listed = whole.operands
        needless = self.needless(operator, listed)
        if not needless:
            return whole
        kept = [e for k, e in enumerate(listed) if k not in needless]
        return all_of(kept) if operator is AND else any_of(kept)

    def with_fields_joined(self, operator: Operator, operands: Sequence[Expr]) -> Sequence[Expr]:
        """What is said of the values of the same fields is said once."""
        flat = [f for e in operands for f in (e.operands if isinstance(e, Apply) and e.operator is operator else (e,))]
        about: dict[int, list[Expr]] = {}
        for e in flat:
            about.setdefault(self.sources.only_fields(e), []).append(e)
        found = about.pop(NO_FIELD, [])
        for support, listed in about.items():
            grid = self.grid(support)
            whole = grid.folded(operator, [grid.truth(e) for e in listed])
            said = written(grid, grid.of_truth(whole))
            found += listed if said is None else [said]
        return found

    def needless(self, operator: Operator, listed: Sequence[Expr]) -> set[int]:
        """The operands of a conjunction that follow from another one, or of a disjunction, from which another one
        follows; the first of some that are equal stays.  Only operands with a source in common are compared."""
        supports = [self.sources.of(e) for e in listed]
        together = 0
        for support in supports:
            together |= support
        common = self.grid(together) if self.sources.points(together) <= SMALL else None  # else by pairs
        found = set()
        for i, k in combinations(range(len(listed)), 2):
            both = supports[i] | supports[k]
            if supports[i] & supports[k] and (common is not None or self.sources.points(both) <= SMALL):
                grid = common or self.grid(both)
                one, two = grid.truth(listed[i]), grid.truth(listed[k])
                weak = one | two if operator is AND else one & two
                if two == weak:
                    found.add(k)
                elif one == weak:
                    found.add(i)
        return found


def is_joined(e: Expr) -> bool:
    """Whether a function is a conjunction or disjunction that may be written into another one."""
    return isinstance(e, Apply) and e.operator in (AND, OR) and len(e.operands) <= MOST_OPERANDS


def uses_in(e: Expr) -> list[Use]:
    return [part for part in walk(e) if isinstance(part, Use)]
