"""Quantifiers and domains of parameters: written out, or loops."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.machine.compile import masks
from quorbit.machine.compile import queues as lines
from quorbit.machine.compile.constant_sets import listed_set
from quorbit.machine.compile.instructions import Label, Op
from quorbit.machine.compile.lower.scope import Env
from quorbit.machine.compile.lower.sets import FEW_OPERANDS, Sets
from quorbit.machine.compile.shapes import (
    GREATEST,
    LEAST,
    Bits,
    Ids,
    Ints,
    Shape,
    Unshaped,
    count,
    join_all,
    set_shape,
    shape_of_type,
)
from quorbit.machine.compile.values import (
    Content,
    Held,
    Known,
    Mask,
    Never,
    Scalar,
    Shared,
    flatten,
    shape_of_content,
)
from quorbit.machine.memo import Listed
from quorbit.model.meaning.partial import may_fail
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Domain,
    Elements,
    Expr,
    Fresh,
    Interval,
    Literal,
    Operator,
    Otherwise,
    Quantifier,
    Quantify,
)
from quorbit.model.system.types import NONE, QueueOf, SetOf, Type, Value

O = Operator
UNROLLED = 16  # a quantifier over at most so many constants is written out


class Quantifiers(Sets):
    """Code for every value of a domain."""

    def quantify(self, x: Quantify, env: Env) -> Content:
        match x.quantifier:
            case Quantifier.ALL | Quantifier.SOME:
                return self.truth(lambda no: self.branch(x, env, no, False))
            case Quantifier.COLLECT:
                return self.collect(x, env)
            case _:
                return self.total(x, env)

    def branch_quantify(self, x: Quantify, env: Env, label: Label, sense: bool) -> None:
        """ALL: the first body that is false decides; SOME: the first that is true."""
        deciding = x.quantifier is Quantifier.SOME
        decided_to = label if sense == deciding else Label()

        def write(value: Content) -> None:
            inner = {**env, x.parameter.name: value}
            skip = Label()
            self.branch(x.condition, inner, skip, False)
            self.branch(x.body, inner, decided_to, deciding)
            self.e.place(skip)

        self.scoped(lambda: self.each(x.parameter.name, x.parameter.domain, env, write))
        if decided_to is not label:
            self.e.jump(label)
            self.e.place(decided_to)

    def total(self, x: Quantify, env: Env) -> Scalar:
        """COUNT, SUM, TIMES: a register adds up."""
        times = x.quantifier is Quantifier.TIMES
        total, bounds = self.e.copy(Known(int(times))), [0, 0]

        def write(value: Content) -> None:
            inner, skip = {**env, x.parameter.name: value}, Label()
            self.branch(x.condition, inner, skip, False)
            if x.quantifier is Quantifier.COUNT:
                self.branch(x.body, inner, skip, False)
                self.e.buffer.put(Op.ADDI, total.register, total.register, y=1)
            else:
                a = self.scalar(x.body, inner)
                bounds[0], bounds[1] = min(bounds[0], a.low), max(bounds[1], a.high)
                self.e.buffer.put(Op.MULO if times else Op.ADDO, total.register, total.register, self.e.register(a))
            self.e.place(skip)

        n = self.each(x.parameter.name, x.parameter.domain, env, write)
        if x.quantifier is Quantifier.COUNT:
            return Held(total.register, 0, n)
        low, high = (LEAST, GREATEST) if times else (max(LEAST, n * bounds[0]), min(GREATEST, n * bounds[1]))
        return Held(total.register, low, high)

    def collect(self, x: Quantify, env: Env) -> Mask:
        """The set of the bodies."""
        shapes: list[Shape] = []

        def look(value: Content) -> None:
            shapes.append(shape_of_content(self.value(x.body, {**env, x.parameter.name: value})))

        with self.e.scratch():
            self.scoped(lambda: self.each(x.parameter.name, x.parameter.domain, env, look))
        if not shapes:  # no element, but to find that out may be a fault
            self.scoped(lambda: self.each(x.parameter.name, x.parameter.domain, env, lambda value: None))
            return Mask((), None)
        shape = set_shape(join_all(shapes)).element
        words = [self.e.copy(w) for w in masks.empty(count(shape))]

        def write(value: Content) -> None:
            inner, skip = {**env, x.parameter.name: value}, Label()
            self.branch(x.condition, inner, skip, False)
            k = masks.index(self.e, self.value(x.body, inner), shape, self.e.fault)
            for into, bit in zip(words, masks.single(self.e, k, count(shape)), strict=True):
                if bit != Known(0):
                    self.e.buffer.put(Op.OR, into.register, into.register, self.e.register(bit))
            self.e.place(skip)

        self.each(x.parameter.name, x.parameter.domain, env, write)
        n = count(shape)
        return Mask(tuple(masks.bounded_word(Held(w.register), n, 64 * j) for j, w in enumerate(words)), shape)

    def each(
        self, name: str, domain: Domain, env: Env, write: Callable[[Content], None], unrolled: int = UNROLLED
    ) -> int:
        """Write code for every value of a domain, written out or as a loop; at most how many values there are."""
        match domain:
            case Atoms(atoms):
                return self.each_constant(atoms, write, unrolled)
            case Interval(low, high):
                return self.each_constant(range(low, high + 1), write, unrolled)
            case Elements(set=Apply(O.INTERVAL, (Literal(int(low)), Literal(int(high))))):
                return self.each_constant(range(low, high + 1), write, unrolled)
            case Elements(set=Apply(O.INTERVAL, (a, b))):
                return self.each_between(self.scalar(a, env), self.scalar(b, env), write)
            case Elements(set=Apply(O.SET, operands)) if len(operands) <= FEW_OPERANDS:
                return self.each_listed([self.value(operand, env) for operand in operands], write)
            case Elements(set=s):
                return self.each_in(s, env, write)
            case Fresh():
                self.scoped(lambda: write(self.fresh_atom(name, domain, env)))
                return 1

    def each_constant(self, values: tuple[int, ...] | range, write: Callable[[Content], None], unrolled: int) -> int:
        if len(values) <= unrolled:
            for v in values:
                self.scoped(lambda v=v: write(Known(v)))  # type: ignore[misc]
            return len(values)
        low, high = min(values), max(values)
        dense = tuple(values) == tuple(range(low, high + 1))
        counter, again = self.e.copy(Known(low if dense else 0)), Label()
        self.e.place(again)
        if dense:
            value: Scalar = Held(counter.register, low, high)
        else:
            index = Held(counter.register, 0, len(values) - 1)
            value = self.e.look_up(dict(enumerate(values)), index)
        self.scoped(lambda: write(value))
        self.e.buffer.put(Op.ADDI, counter.register, counter.register, y=1)
        self.e.buffer.put(Op.JLEI, counter.register, x=again, y=high if dense else len(values) - 1)
        return len(values)

    def each_between(self, a: Scalar, b: Scalar, write: Callable[[Content], None]) -> int:
        """A loop over the numbers from a to b."""
        if b.high < a.low:
            return 0
        counter, again, past = self.e.copy(a), Label(), Label()
        self.e.place(again)
        now = Held(counter.register, a.low, b.high)
        self.e.buffer.put(Op.JLT, self.e.register(b), counter.register, x=past)
        self.scoped(lambda: write(self.e.copy(now)))
        self.e.jump_if(Op.EQ, Held(counter.register), Known(GREATEST), past)
        self.e.buffer.put(Op.ADDI, counter.register, counter.register, y=1)
        self.e.jump(again)
        self.e.place(past)
        return b.high - a.low + 1

    def each_listed(self, contents: list[Content], write: Callable[[Content], None]) -> int:
        """Each of a few values, equal ones once."""
        for k, content in enumerate(contents):

            def once(k: int = k, content: Content = content) -> None:
                skip = Label()
                for earlier in contents[:k]:
                    self.e.jump_on(self.equal(earlier, content), True, skip)
                write(content)
                self.e.place(skip)

            self.scoped(once)
        return len(contents)

    def each_in(self, s: Expr, env: Env, write: Callable[[Content], None]) -> int:
        """Every element of a set; sets of sets are gone through without being built."""
        listed = listed_set(self.layout.memo.meaning, s) if is_set_of_sets(s) else None
        if listed is not None:
            return self.each_value(*listed, write)
        match s:
            case Otherwise(body, other) if is_set_of_sets(body) and is_empty_set(other):
                past = Label()
                with self.e.faults_to(past):
                    content = self.subsets_of(body, env)
                n = self.each_subset(content, body, write)
                self.e.place(past)
                return n
            case _ if is_set_of_sets(s):
                return self.each_subset(self.subsets_of(s, env), s, write)
            case Quantify(Quantifier.COLLECT, p, Bound(name), condition) if name == p.name and self.is_safe_of(s):
                return self.each(name, p.domain, env, lambda v: self.if_holds(condition, {**env, name: v}, v, write))
            case _:
                return self.each_of(self.value(s, env), write)

    def is_safe_of(self, e: Expr) -> bool:
        """Whether it cannot be seen when e is evaluated."""
        return not may_fail(self.system, e, {})

    def if_holds(self, condition: Expr, env: Env, value: Content, write: Callable[[Content], None]) -> None:
        skip = Label()
        self.branch(condition, env, skip, False)
        write(value)
        self.e.place(skip)

    def subsets_of(self, s: Expr, env: Env) -> Content:
        """The set whose subsets a set of sets has, if they can be counted in one word; else the set of sets itself."""
        match s:
            case Apply(O.POWERSET, (inner,)) | Apply(O.DIFFERENCE, (Apply(O.POWERSET, (inner,)), _)):
                found = self.value(inner, env)
                if isinstance(found, Mask) and len(found.words) <= 1:
                    return found
        return self.value(s, env)

    def each_subset(self, content: Content, s: Expr, write: Callable[[Content], None]) -> int:
        """``content`` from ``subsets_of``."""
        if not isinstance(content, Mask) or len(content.words) > 1 or isinstance(content.element, Bits):
            return self.each_of(content, write)
        whole = content.words[0] if content.words else Known(0)
        now, again, past = self.e.copy(Known(0)), Label(), Label()
        word = Held(self.e.register(whole))
        if isinstance(s, Apply) and s.operator is O.DIFFERENCE:  # without the empty set
            self.e.jump_if(Op.EQ, word, Known(0), past)
            self.next_subset(now, word)
        self.e.place(again)
        words = (self.e.copy(masks.bounded_word(now, count(content.element))),) if content.words else ()
        self.scoped(lambda: write(Mask(words, content.element)))
        self.next_subset(now, word)
        self.e.buffer.put(Op.JNZ, now.register, x=again)
        self.e.place(past)
        return 1 << count(content.element)

    def next_subset(self, now: Held, whole: Held) -> None:
        """The next larger part of a word's bits; 0 after the last."""
        less = self.e.fresh()
        self.e.buffer.put(Op.SUB, less, now.register, whole.register)
        self.e.buffer.put(Op.AND, now.register, less, whole.register)

    def each_value(self, values: list[Value], type: Type, write: Callable[[Content], None]) -> int:
        """A loop over constants: their leaves are in tables."""
        if not values:
            return 0
        contents = [self.constant(value, type) for value in values]
        shape = join_all([shape_of_content(c) for c in contents])
        rows = [[leaf.value for leaf in self.known_leaves(c, shape)] for c in contents]
        counter, again = self.e.copy(Known(0)), Label()
        self.e.place(again)
        found: list[Scalar] = []
        for column in zip(*rows, strict=True):
            r = self.e.fresh()
            self.e.buffer.put(Op.LUT, r, counter.register, x=self.e.table_of(tuple(column)), y=0)
            found.append(Held(r))
        self.scoped(lambda: write(lines.assemble(shape, found)))
        self.e.buffer.put(Op.ADDI, counter.register, counter.register, y=1)
        self.e.buffer.put(Op.JLTI, counter.register, x=again, y=len(values))
        return len(values)

    def known_leaves(self, content: Content, shape: Shape) -> list[Known]:
        leaves = flatten(lines.coerce(self.e, content, shape))
        return [a for a in leaves if isinstance(a, Known)]

    def each_of(self, content: Content, write: Callable[[Content], None]) -> int:
        """Every element of a set."""
        match content:
            case Mask():
                return self.each_element(content, write)
            case Shared(_, SetOf(element)):
                return self.each_shared(content, element, write)
            case Never():
                return 0
            case _:
                raise Unshaped("a set is expected")

    def each_shared(self, s: Shared, element: Type, write: Callable[[Content], None]) -> int:
        """A loop over the elements of an interned set, in order."""
        listed = lines.call(self.e, Listed(), [s], Ids(QueueOf(element)))
        size = lines.call(self.e, Apply(O.SIZE, (Bound("0"),)), [listed], Ints(0, lines.MOST_VALUES))
        assert isinstance(size, Held)
        counter, again, past = self.e.copy(Known(0)), Label(), Label()
        self.e.place(again)
        self.e.buffer.put(Op.JLE, size.register, counter.register, x=past)
        at = Held(counter.register, 0, lines.MOST_VALUES)
        nth = Apply(O.ELEMENT, (Bound("0"), Bound("1")))
        self.scoped(lambda: write(lines.call(self.e, nth, [listed, at], shape_of_type(element))))
        self.e.buffer.put(Op.ADDI, counter.register, counter.register, y=1)
        self.e.jump(again)
        self.e.place(past)
        return lines.MOST_VALUES

    def each_element(self, m: Mask, write: Callable[[Content], None]) -> int:
        """A loop over the bits that are set."""
        n = count(m.element)
        if n <= 8:
            for k in range(n):
                self.scoped(lambda k=k: self.if_bit(m, k, write))  # type: ignore[misc]
        elif len(m.words) == 1:
            self.each_bit(m, m.words[0], Known(0), write)
        else:
            self.each_word(m, write)
        return n

    def if_bit(self, m: Mask, k: int, write: Callable[[Content], None]) -> None:
        skip = Label()
        self.e.jump_on(masks.test_bit(self.e, m.words, Known(k)), False, skip)
        write(masks.content_at(self.e, m.element, Known(k)))
        self.e.place(skip)

    def each_bit(self, m: Mask, word: Scalar, first: Scalar, write: Callable[[Content], None]) -> None:
        left, again, past = self.e.copy(word), Label(), Label()
        self.e.place(again)
        self.e.buffer.put(Op.JZ, left.register, x=past)
        at = self.e.unary(Op.CTZ, left, 0, 63)
        less = self.e.immediate(Op.ADDI, left, -1)
        assert isinstance(less, Held)
        self.e.buffer.put(Op.AND, left.register, left.register, less.register)
        k = masks.clamp(self.e.add(at, first), count(m.element) - 1)
        self.scoped(lambda: write(masks.content_at(self.e, m.element, k)))
        self.e.jump(again)
        self.e.place(past)

    def each_word(self, m: Mask, write: Callable[[Content], None]) -> None:
        n = len(m.words)
        block, again = self.e.fresh(n), Label()
        for k, word in enumerate(m.words):
            self.e.assign(block + k, word)
        j = self.e.copy(Known(0))
        self.e.place(again)
        word_now = self.e.fresh()
        self.e.buffer.put(Op.LDR, word_now, j.register, block, n)
        first = self.e.shift_left(Held(j.register, 0, n - 1), Known(6))
        self.each_bit(m, Held(word_now), first, write)
        self.e.buffer.put(Op.ADDI, j.register, j.register, y=1)
        self.e.buffer.put(Op.JLTI, j.register, x=again, y=n)

    def fresh_atom(self, name: str, domain: Fresh, env: Env) -> Scalar:
        """The first atom that is free, or NONE."""
        r, found = self.e.fresh(), Label()

        def write(a: Content) -> None:
            assert isinstance(a, Known | Held)
            taken = Label()
            self.branch(domain.free, {**env, name: a}, taken, False)
            self.e.assign(r, a)
            self.e.jump(found)
            self.e.place(taken)

        self.each_constant(domain.atoms, write, UNROLLED)
        self.e.assign(r, Known(NONE))
        self.e.place(found)
        return Held(r, min((NONE, *domain.atoms)), max((NONE, *domain.atoms)))


def is_set_of_sets(e: Expr) -> bool:
    """Whether the elements of a set are sets, as far as that can be seen."""
    match e:
        case Literal(type=SetOf(SetOf())) | Apply(O.POWERSET):
            return True
        case Apply(O.DIFFERENCE, (Apply(O.POWERSET), Literal(value))):
            return value == frozenset({frozenset()})
        case Otherwise(body, other):
            return is_set_of_sets(body) and is_empty_set(other)
        case _:
            return False


def is_empty_set(e: Expr) -> bool:
    return isinstance(e, Literal) and e.value == frozenset()
