"""Operators on sets, tuples and queues (masks.py and lines.py hold the bit operations)."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.machine.compile import masks, relations
from quorbit.machine.compile import queues as lines
from quorbit.machine.compile.instructions import Label, Op
from quorbit.machine.compile.lower.operators import ARITHMETIC, COMPARISONS, Operators
from quorbit.machine.compile.lower.scope import Env
from quorbit.machine.compile.shapes import (
    Ints,
    Shape,
    Slots,
    Unshaped,
    count,
    join_all,
    set_shape,
)
from quorbit.machine.compile.values import (
    Content,
    Held,
    Known,
    Line,
    Mask,
    Never,
    Parts,
    Scalar,
    shape_of_content,
)
from quorbit.model.system.expression import (
    Apply,
    Elements,
    Expr,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
)

O = Operator
FEW_OPERANDS = 8  # a set of so many written elements needs no bits


class Sets(Operators):
    """``apply`` for every operator."""

    def apply(self, x: Apply, env: Env, room: Shape | None) -> Content:
        operator, operands = x.operator, x.operands
        if operator in (O.AND, O.OR):
            return self.junction(x, env)
        if operator in ARITHMETIC or operator in COMPARISONS:
            return self.apply_numbers(operator, operands, env)
        if operator in (O.QUEUE, O.APPEND, O.INSERT_SORTED, O.FIRST, O.REST, O.ELEMENT, O.WITHOUT):
            return self.apply_queue(operator, operands, env, room)
        match operator:
            case O.PRESENT:
                return self.present(self.value(operands[0], env), self.value(operands[1], env))
            case O.NOT:
                return self.e.compare(Op.EQ, self.scalar(operands[0], env), Known(0))
            case O.EQUAL:
                return self.equal(self.value(operands[0], env), self.value(operands[1], env))
            case O.TUPLE:
                return Parts(tuple(self.value(operand, env) for operand in operands))
            case O.SET:
                return self.set_of([self.value(operand, env) for operand in operands])
            case O.MEMBER:
                return self.member(operands[0], operands[1], env)
            case O.SIZE:
                found = self.value(operands[0], env)
                match found:
                    case Mask():
                        return masks.size(self.e, found)
                    case Line(length):
                        return length
                    case Parts(parts):
                        return Known(len(parts))
                    case Never():
                        return Known(0)
                    case _:
                        raise Unshaped("a set or a queue is expected")
            case O.INTERVAL:
                return masks.interval(self.e, self.scalar(operands[0], env), self.scalar(operands[1], env))
            case O.CHOICE:
                return self.choice(operands[0], env)
            case O.APPLY:
                return relations.apply(self.e, self.mask(operands[0], env), self.value(operands[1], env))
            case _:
                return self.apply_sets(operator, [self.mask(operand, env) for operand in operands])

    def choice(self, s: Expr, env: Env) -> Content:
        """The only element of a set; the body itself where a parameter has one value."""
        match s:
            case Quantify(Quantifier.COLLECT, Parameter(name, Elements(set=Apply(O.SET, (value,)))), body, condition):
                inner = {**env, name: self.value(value, env)}
                self.branch(condition, inner, self.e.fault, False)
                return self.value(body, inner)
            case _:
                return self.apply_sets(O.CHOICE, [self.mask(s, env)])

    def apply_queue(self, operator: Operator, operands: tuple[Expr, ...], env: Env, room: Shape | None) -> Content:
        if operator is O.QUEUE:
            return lines.queue_of(self.e, [self.value(operand, env) for operand in operands])
        q = self.line(operands[0], env)
        match operator:
            case O.APPEND | O.INSERT_SORTED:
                content = self.value(operands[1], env)
                fits = room if isinstance(room, Slots) and room.message is not None else lines.room_after(q, content)
                return (lines.append if operator is O.APPEND else lines.insert_sorted)(self.e, q, content, fits)
            case O.FIRST:
                return lines.element(self.e, q, Known(0))
            case O.REST:
                return lines.rest(self.e, q)
            case O.ELEMENT:
                return lines.element(self.e, q, self.scalar(operands[1], env))
            case _:
                return lines.without(self.e, q, self.scalar(operands[1], env))

    def set_of(self, contents: list[Content]) -> Mask:
        if not contents:
            return Mask((), None)
        shape = set_shape(join_all([shape_of_content(c) for c in contents])).element
        found = masks.empty(count(shape))
        for content in contents:
            k = masks.index(self.e, content, shape, self.e.fault)
            found = masks.zip_words(self.e, "bit_or", found, masks.single(self.e, k, count(shape)))
        return Mask(found, shape)

    def member(self, x: Expr, s: Expr, env: Env) -> Scalar:
        if isinstance(s, Apply) and s.operator is O.INTERVAL:
            a, low, high = (self.scalar(part, env) for part in (x, *s.operands))
            return self.e.bit_and(self.e.compare(Op.LE, low, a), self.e.compare(Op.LE, a, high))
        if isinstance(s, Apply) and s.operator is O.SET and len(s.operands) <= FEW_OPERANDS:
            return self.is_one_of(x, s.operands, env)
        content, m = self.value(x, env), self.mask(s, env)
        if m.element is None:
            return Known(0)
        r, outside = self.e.fresh(), Label()
        k = masks.index(self.e, content, m.element, outside)
        found = masks.test_bit(self.e, m.words, k)
        if not outside.used:
            return found
        past = Label()
        self.e.assign(r, found)
        self.e.jump(past)
        self.e.place(outside)
        self.e.assign(r, Known(0))
        self.e.place(past)
        return Held(r, 0, 1)

    def is_one_of(self, x: Expr, operands: tuple[Expr, ...], env: Env) -> Scalar:
        content = self.value(x, env)
        listed = [self.value(operand, env) for operand in operands]
        found: Scalar = Known(0)
        for other in listed:
            found = self.e.bit_or(found, self.equal(content, other))
        return found

    def apply_sets(self, operator: Operator, found: list[Mask]) -> Content:
        e = self.e
        match operator:
            case O.UNION | O.INTERSECTION:
                return self.fold_sets("bit_or" if operator is O.UNION else "bit_and", found)
            case O.DIFFERENCE:
                return self.fold_sets("bit_minus", found)
            case O.SUBSET:
                a, b = masks.unify(e, *found)
                return masks.is_empty(e, masks.zip_words(e, "bit_minus", a.words, b.words))
            case O.MINIMUM | O.MAXIMUM:
                return self.extreme(found[0], operator is O.MINIMUM)
            case O.CHOICE:
                return masks.the_only(e, found[0])
        if any(m.element is None for m in found) and operator not in (O.POWERSET, O.BIG_UNION, O.BIG_INTERSECTION):
            return self.apply_empty(operator, found)
        return SET_OPERATIONS[operator](e, *found)

    def apply_empty(self, operator: Operator, found: list[Mask]) -> Mask:
        """Operators on relations where one operand is known to be empty."""
        if operator is O.OVERRIDE:
            return found[0] if found[1].element is None else found[1]
        return Mask((), None)

    def fold_sets(self, f: str, found: list[Mask]) -> Mask:
        total = found[0]
        for m in found[1:]:
            a, b = masks.unify(self.e, total, m)
            total = Mask(masks.zip_words(self.e, f, a.words, b.words), a.element)
        return total

    def extreme(self, m: Mask, least: bool) -> Content:
        self.e.require(Op.NE, masks.any_bit(self.e, m.words), Known(0))
        if not isinstance(m.element, Ints):
            if m.element is None:
                return Known(0)
            raise Unshaped("a set of numbers is expected")
        k = masks.lowest(self.e, m.words) if least else masks.highest(self.e, m.words)
        return masks.content_at(self.e, m.element, masks.clamp(k, count(m.element) - 1))


SET_OPERATIONS: dict[Operator, Callable[..., Content]] = {
    O.PRODUCT: relations.product,
    O.POWERSET: relations.powerset,
    O.BIG_UNION: relations.big_union,
    O.BIG_INTERSECTION: relations.big_intersection,
    O.DOMAIN: relations.domain,
    O.RANGE: relations.range_of,
    O.INVERSE: relations.inverse,
    O.COMPOSE: relations.compose,
    O.OVERRIDE: relations.override,
    O.IMAGE: relations.image,
    O.DOMAIN_RESTRICT: relations.domain_restrict,
    O.RANGE_RESTRICT: relations.range_restrict,
    O.CLOSURE: relations.closure,
}
