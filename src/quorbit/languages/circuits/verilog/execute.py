"""Execute Verilog statements symbolically: both branches of an if are run and merged, loops are unrolled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from quorbit.languages.circuits.verilog.evaluate import Elements, Evaluator, Values, constant_bits, converted
from quorbit.languages.circuits.verilog.scope import Scope, Signal, make_signal
from quorbit.languages.circuits.verilog.tree import (
    UNKNOWN_DIGITS,
    Assign,
    Block,
    Case,
    Check,
    Declaration,
    Expr,
    For,
    Function,
    If,
    Index,
    Join,
    Leave,
    Name,
    Nothing,
    Number,
    Repeat,
    Slice,
    Statement,
    TaskCall,
    While,
)
from quorbit.netlists import words
from quorbit.netlists.builder import ONE, ZERO, Builder
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span

MOST_ROUNDS, DEEPEST_CALL = 4096, 60
PRINTING = re.compile(
    r"\$(finish|stop|f?(display|write|strobe|monitor)[bho]?|monitoro(n|ff)|dump\w+|timeformat|fflush)"
)
OnCheck = Callable[[Check, str], None]


class Executor:
    """Runs statements of one block; ``later`` collects the non-blocking assignments, unless all are blocking."""

    def __init__(self, b: Builder, scope: Scope, on_check: OnCheck | None = None, all_blocking: bool = False) -> None:
        self.all_blocking = all_blocking
        self.b = b
        self.scope = scope
        self.on_check = on_check
        self.condition = ONE  # under which the present statement runs
        self.on_continuous: Callable[[Assign, str], None] | None = None
        self.left = dict.fromkeys(("break", "continue", "return"), ZERO)  # when a path has left loop, round or call
        self.allowed: frozenset[str] = frozenset()  # the ways to leave here
        self.result: Name | None = None  # of the function that runs

    def evaluator(self, values: Values) -> Evaluator:
        return Evaluator(self.b, self.scope, values, self.call)

    def run(self, s: Statement, now: Values, later: Values) -> None:
        """Change ``now`` and ``later`` as the statement does."""
        self.b.span = s.span
        match s:
            case Assign(continuous=True):
                if self.on_continuous is None:
                    raise UserError(s.span, "assign inside a function, a task or an initial block is not supported")
                self.on_continuous(s, self.condition)
            case Assign(target, value, blocking):
                self.assign(target, value, now, now if blocking or self.all_blocking else later)
            case Block(body, name=name):
                with self.inside_block(name):
                    self.run_in_turn(body, now, later)
            case If():
                self.branch(s, now, later)
            case Case():
                self.case(s, now, later)
            case For():
                self.loop(s, now, later)
            case While(test, body):
                self.rounds(s.span, test, body, None, now, later)
            case Repeat(times, body):
                with self.inside_loop():
                    for _ in range(self.evaluator(now).constant(times)):
                        self.round(body, now, later)
            case Check(condition=condition):
                # In an initial block it is about the first state, whatever is assigned before and behind it.
                self.check(s, self.evaluator(Values() if self.all_blocking else now).truth(condition))
            case TaskCall():
                self.task(s, now, later)
            case Leave():
                self.leave(s, now, later)
            case Nothing():
                pass

    def branch(self, s: If, now: Values, later: Values) -> None:
        """A chain of else if; all its tests look at the same values."""
        e = self.evaluator(now)
        tests: list[str] = []
        bodies: list[Statement] = []
        rest: Statement | None = s
        while isinstance(rest, If):
            tests.append(e.truth(rest.test))
            bodies.append(rest.then)
            if tests[-1] == ONE:
                rest = None
                break
            rest = rest.other
        self.chain(bodies if rest is None else [*bodies, rest], tests, now, later)

    def merge(self, test: str, then: Values, other: Values, into: Values) -> None:
        """What both branches left, selected by the test."""
        signals = {key: signal for values in (then, other) for key, (signal, _) in values.current.items()}
        for key, signal in signals.items():
            touched = then.touched.get(key, set()) | other.touched.get(key, set())
            a, b = then.beside(signal, touched), other.beside(signal, touched)
            into.current[key] = (signal, a if a == b else self.choose(signal, test, a, b))
            into.touched[key] = touched

    def choose(self, signal: Signal, test: str, a: Elements, b: Elements) -> Elements:
        select = self.b.choose_value if signal.type else self.b.choose
        return tuple(
            tuple(p if p == q else select(test, p, q) for p, q in zip(x, y, strict=True))
            for x, y in zip(a, b, strict=True)
        )

    def case(self, s: Case, now: Values, later: Values) -> None:
        """The items in turn; the last one of a case that covers everything needs no test."""
        items = [item for item in s.items if item[0]] + [item for item in s.items if not item[0]]
        e = self.evaluator(now)
        tests = [self.matches(e, s, labels) for labels, _ in items if labels]
        if tests and len(tests) == len(items) and self.covers_all(e, s):
            tests = tests[:-1]
        self.chain([body for _, body in items], tests, now, later)

    def chain(self, bodies: list[Statement], tests: list[str], now: Values, later: Values) -> None:
        """The first body whose test holds, else the body after the last test, if there is one."""
        kept = [(test, body) for test, body in zip(tests, bodies, strict=False) if test != ZERO]
        last = bodies[len(tests) :]
        if ONE in [test for test, _ in kept]:
            cut = [test for test, _ in kept].index(ONE)
            kept, last = kept[:cut], [kept[cut][1]]
        tests, bodies = [test for test, _ in kept], [*(body for _, body in kept), *last]
        if not tests:
            if bodies:
                self.run(bodies[0], now, later)
            return
        outside = self.condition
        results = []
        passed = outside
        for test, body in zip(tests, bodies, strict=False):
            self.condition = self.b.conjoin((passed, test))
            passed = self.b.conjoin((passed, self.b.invert(test)))
            state = now.copy(), later.copy()
            self.run(body, *state)
            results.append((test, state))
        self.condition = passed
        rest = now.copy(), later.copy()
        if len(bodies) > len(tests):
            self.run(bodies[len(tests)], *rest)
        self.condition = outside
        for test, state in reversed(results):
            merged = Values(unknown=now.unknown, kept=now.kept), Values(unknown=later.unknown, kept=later.kept)
            for k in (0, 1):
                self.merge(test, state[k], rest[k], merged[k])
            rest = merged
        for target, found in ((now, rest[0]), (later, rest[1])):
            target.current, target.touched = found.current, found.touched

    def matches(self, e: Evaluator, s: Case, labels: tuple[Expr, ...]) -> str:
        kind = e.type_of(s.subject)
        if kind:
            return self.b.disjoin(e.same_symbol(s.subject, label, kind) for label in labels)
        width, signed = case_context(e, s)
        subject = e.word(s.subject, width, signed)
        wild = self.wild_digits(s)
        return self.b.disjoin(self.matches_label(e, subject, label, signed, wild) for label in labels)

    def wild_digits(self, s: Case) -> str:
        """Those of a label that stand for a bit that does not matter.  VIS takes all of them so in every case; the
        standard compares the others literally [IEEE 1364-2005, 9.5.1]."""
        if self.b.as_vis or s.kind == "casex":
            return UNKNOWN_DIGITS
        return "?" if s.kind == "casez" else ""

    def matches_label(self, e: Evaluator, subject: list[str], label: Expr, signed: bool, wild: str) -> str:
        known = self.label_bits(label, len(subject), signed)
        if known is None:
            return words.equal(self.b, subject, e.word(label, len(subject), signed))
        wanted = [(bit, digit) for bit, digit in zip(subject, known, strict=True) if digit not in wild]
        if any(digit in UNKNOWN_DIGITS for _, digit in wanted):
            return ZERO  # the bits of a circuit are 0 or 1
        return self.b.conjoin(bit if digit == "1" else self.b.invert(bit) for bit, digit in wanted)

    def label_bits(self, label: Expr, width: int, signed: bool) -> str | None:
        """The bits of a label that is a number or a parameter, at the width of the case; None for other labels."""
        if isinstance(label, Number) and not label.fills:
            return extended(label.bits, width, signed)
        if isinstance(label, Name) and (parameter := self.scope.parameter(label.text)) is not None:
            return extended(parameter[0], width, signed)
        return None

    def covers_all(self, e: Evaluator, s: Case) -> bool:
        kind = e.type_of(s.subject)
        labels = [label for labels, _ in s.items for label in labels]
        if kind:
            names = {label.text for label in labels if isinstance(label, Name)}
            return set(self.scope.enumerations.get(kind, ("",))) <= names
        own = e.width(s.subject)
        if own > 12:
            return False
        width, signed = case_context(e, s)
        if width > own and not isinstance(s.subject, Name | Index | Slice | Join):
            return False  # a wider sum or difference has other values than the extended ones
        known = [bits for label in labels if (bits := self.label_bits(label, width, signed)) is not None]
        values = (extended(f"{v:0{own}b}"[::-1], width, signed) for v in range(1 << own))
        wild = self.wild_digits(s)
        return all(any(fits(value, bits, wild) for bits in known) for value in values)

    # Loops, and how paths leave them: what follows runs where nobody has left.

    def loop(self, s: For, now: Values, later: Values) -> None:
        self.run(s.start, now, later)
        self.rounds(s.span, s.test, s.body, s.step, now, later)

    def rounds(
        self, span: Span, test: Expr, body: Statement, step: Statement | None, now: Values, later: Values
    ) -> None:
        """The step is taken by those too that have left, so that its variable stays a constant; afterwards that is what
        it was when they left."""
        counted = self.target(step.target) if isinstance(step, Assign) else None
        ends: list[tuple[str, Elements]] = []
        with self.inside_loop():
            for _ in range(MOST_ROUNDS):
                holds = self.evaluator(now).truth(test)
                if holds not in (ZERO, ONE):
                    raise UserError(span, "how often this loop runs must not depend on signals")
                if holds == ZERO or self.gone() == ONE:
                    break
                before = self.gone()
                self.round(body, now, later)
                if counted is not None and self.gone() != before:
                    ends.append((self.gone(), now.get(counted)))
                if step is not None:
                    self.run(step, now, later)
            else:
                raise UserError(span, f"this loop runs more than {MOST_ROUNDS} times")
        for left, elements in reversed(ends):
            assert counted is not None
            now.current[id(counted)] = (counted, self.choose(counted, left, elements, now.get(counted)))

    def round(self, body: Statement, now: Values, later: Values) -> None:
        self.run_where_stayed(body, now, later)
        self.left["continue"] = ZERO

    @contextmanager
    def inside_loop(self) -> Iterator[None]:
        outside, allowed = dict(self.left), self.allowed
        self.left.update({"break": ZERO, "continue": ZERO})
        self.allowed |= {"break", "continue"}
        yield
        self.left.update({kind: outside[kind] for kind in ("break", "continue")})
        self.allowed = allowed

    @contextmanager
    def inside_block(self, name: str) -> Iterator[None]:
        """Whoever disables the block goes on behind it."""
        if not name:
            yield
            return
        kind, allowed = f"disable {name}", self.allowed
        outside = self.left.get(kind, ZERO)
        self.left[kind] = ZERO
        self.allowed |= {kind}
        yield
        self.left[kind] = outside
        self.allowed = allowed

    def gone(self) -> str:
        return self.b.disjoin(self.left.values())

    def run_in_turn(self, body: Sequence[Statement], now: Values, later: Values) -> None:
        before = self.gone()
        for k, part in enumerate(body):
            if self.gone() != before:
                self.run_where_stayed(Block(tuple(body[k:]), part.span), now, later)
                return
            self.run(part, now, later)

    def run_where_stayed(self, body: Statement, now: Values, later: Values) -> None:
        self.chain([body], [self.b.invert(self.gone())], now, later)

    def leave(self, s: Leave, now: Values, later: Values) -> None:
        if s.kind not in self.allowed:
            needed = {"return": "a function", "break": "a loop", "continue": "a loop"}.get(
                s.kind, "a block of this name"
            )
            raise UserError(s.span, f"{s.kind} must stand inside {needed}")
        if s.value is not None:
            if self.result is None:
                raise UserError(s.span, "a task returns no value")
            self.assign(self.result, s.value, now, now)
        self.left[s.kind] = self.b.disjoin((self.left[s.kind], self.condition))

    def check(self, s: Check, holds: str) -> None:
        if self.on_check is not None:
            inside = (self.condition, holds) if s.kind == "cover" else (self.b.invert(self.condition), holds)
            self.on_check(s, self.b.conjoin(inside) if s.kind == "cover" else self.b.disjoin(inside))

    # Assignments.

    def assign(self, target: Expr, value: Expr, now: Values, into: Values) -> None:
        e = self.evaluator(now)
        if not isinstance(target, Join) and (signal := self.target(target)).type:
            self.store_symbol(target, signal, e.symbol(value, signal.type), e, into)
            return
        width = self.target_width(target, e)
        self.store_word(target, e.word(value, max(width, e.width(value)))[:width], e, into)

    def target(self, e: Expr) -> Signal:
        base = e
        while isinstance(base, Index | Slice):
            base = base.target
        signal = self.scope.signal(base.text) if isinstance(base, Name) else None
        if signal is None:
            raise UserError(e.span, "this cannot be assigned to")
        return signal

    def target_width(self, target: Expr, e: Evaluator) -> int:
        match target:
            case Join(parts):
                return sum(self.target_width(part, e) for part in parts)
            case Name():
                return self.target(target).width
            case Index(Name()) if (signal := self.target(target)).array is not None:
                return signal.width
            case Slice():
                return e.width(target)
        return 1

    def store_word(self, target: Expr, bits: list[str], e: Evaluator, into: Values) -> None:
        """Write bits to a target, or to the parts of a concatenation, of which the last one gets the lowest."""
        if not isinstance(target, Join):
            self.store(target, self.target(target), bits, e, into)
            return
        at = len(bits)
        for part in target.parts:
            width = self.target_width(part, e)
            self.store_word(part, bits[at - width : at], e, into)
            at -= width

    def store(self, target: Expr, signal: Signal, bits: list[str], e: Evaluator, into: Values) -> None:
        """Write bits to a signal, an element, a bit or a part."""
        match target:
            case Name():
                if signal.array is not None:
                    raise UserError(target.span, f"{signal.name} is an array; assign to its elements")
                self.write(signal, into, [(ONE, 0, list(enumerate(bits)))])
            case Index(Name(), index) if signal.array is not None:
                places = [(c, k, list(enumerate(bits))) for c, k in self.positions(index, e, signal, True)]
                self.write(signal, into, places)
            case Index(Name(), index):
                self.write(signal, into, [(c, 0, [(k, bits[0])]) for c, k in self.positions(index, e, signal, False)])
            case Index(Index(Name(), element), index):
                places = [
                    (self.b.conjoin((c, d)), k, [(i, bits[0])])
                    for c, k in self.positions(element, e, signal, True)
                    for d, i in self.positions(index, e, signal, False)
                ]
                self.write(signal, into, places)
            case Slice(base, left, right, kind):
                rows = [(ONE, 0)] if isinstance(base, Name) else self.positions(self.index_of(base), e, signal, True)
                low = self.lowest(signal, left, right, kind, e)
                self.write(signal, into, [(c, k, [(low + i, bit) for i, bit in enumerate(bits)]) for c, k in rows])
            case _:
                raise UserError(target.span, "this cannot be assigned to")

    def index_of(self, e: Expr) -> Expr:
        assert isinstance(e, Index)
        return e.index

    def lowest(self, signal: Signal, left: Expr, right: Expr, kind: str, e: Evaluator) -> int:
        if kind == ":":
            return min(e.position(signal, left), e.position(signal, right))
        base, width = e.position(signal, left), e.constant(right)
        downwards = (kind == "-:") == (signal.left >= signal.right)
        return base - width + 1 if downwards else base

    def positions(self, index: Expr, e: Evaluator, signal: Signal, is_element: bool) -> list[tuple[str, int]]:
        """Which element or bit an index means, and when."""
        bits = e.word(index, e.width(index))
        first, last = signal.array if is_element and signal.array is not None else (signal.left, signal.right)
        place = signal.element if is_element else signal.bit
        if all(bit in (ZERO, ONE) for bit in bits):
            k = place(e.constant(index))
            if k is None:
                raise UserError(index.span, f"the index of {signal.name} is out of range")
            return [(ONE, k)]
        found = []
        for value in range(min(first, last), max(first, last) + 1):
            k = place(value)
            assert k is not None
            found.append((e.is_number(bits, value), k))
        return found

    def write(self, signal: Signal, into: Values, places: list[tuple[str, int, list[tuple[int, str]]]]) -> None:
        written = {(k, i) for condition, k, bits in places if condition != ONE for i, _ in bits}
        elements = [list(element) for element in into.beside(signal, written)]
        touched = into.touched.setdefault(id(signal), set())
        for condition, k, bits in places:
            for i, bit in bits:
                if not 0 <= i < len(elements[k]):
                    raise UserError(self.b.span, f"{signal.name} has no such bit")
                elements[k][i] = self.b.choose(condition, bit, elements[k][i])
                touched.add((k, i))
        into.current[id(signal)] = (signal, tuple(tuple(element) for element in elements))

    def store_symbol(self, target: Expr, signal: Signal, net: str, e: Evaluator, into: Values) -> None:
        match target:
            case Name():
                places = [(ONE, 0)]
            case Index(Name(), index):
                places = self.positions(index, e, signal, True)
            case _:
                raise UserError(target.span, "this cannot be assigned to")
        written = {(k, 0) for condition, k in places if condition != ONE}
        elements = [element[0] for element in into.beside(signal, written)]
        touched = into.touched.setdefault(id(signal), set())
        for condition, k in places:
            elements[k] = self.b.choose_value(condition, net, elements[k])
            touched.add((k, 0))
        into.current[id(signal)] = (signal, tuple((element,) for element in elements))

    # Functions and tasks.

    def call(self, e: Evaluator, function: Function, arguments: tuple[Expr, ...], span: Span) -> tuple[str, ...]:
        if len(arguments) != len(function.inputs):
            raise UserError(span, f"{function.name} takes {len(function.inputs)} arguments, not {len(arguments)}")
        scope = self.frame(e.scope, function, span)
        values = replace(e.values.copy(), kept=None)
        result = self.declare(scope, function.result, e, values)
        for d, argument in zip(function.inputs, arguments, strict=True):
            signal = self.declare(scope, d, e, values)
            values.current[id(signal)] = (signal, (self.passed(e, signal, argument),))
        for d in function.locals:
            self.declare(scope, d, e, values)
        inner = Executor(self.b, scope, None, True)
        inner.allowed, inner.result = frozenset({"return"}), Name(function.result.name, span)
        inner.run(function.body, values, Values())
        return values.get(result)[0]

    def passed(self, e: Evaluator, signal: Signal, argument: Expr) -> tuple[str, ...]:
        """The nets of an argument as the variable that takes it holds them."""
        if signal.type:
            return (e.symbol(argument, signal.type),)
        return tuple(e.word(argument, max(signal.width, e.width(argument)))[: signal.width])

    def frame(self, scope: Scope, function: Function, span: Span) -> Scope:
        if scope.depth > DEEPEST_CALL:
            raise UserError(span, f"{function.name} calls itself without end")
        inner = Scope(f"{scope.prefix}{function.name}.", scope.enumerations, parent=scope, depth=scope.depth + 1)
        for p in function.parameters:
            e = Evaluator(self.b, inner, Values(), self.call)
            inner.parameters[p.name] = converted(e, p, constant_bits(e, p.value))
        return inner

    def declare(self, scope: Scope, d: Declaration, e: Evaluator, values: Values) -> Signal:
        """A variable of a call; it starts as 0 (Verilog: unknown), or as the first value of its enumeration."""
        bounds = None if d.range is None else (e.constant(d.range.left), e.constant(d.range.right))
        signal = make_signal(d, scope.prefix, bounds, None, None)
        scope.signals[d.name] = signal
        start = (self.b.constant_value(d.type, e.domain(d.type), 0),) if d.type else (ZERO,) * signal.width
        values.current[id(signal)] = (signal, (start,))
        return signal

    def task(self, s: TaskCall, now: Values, later: Values) -> None:
        if s.name.startswith("$"):
            if PRINTING.fullmatch(s.name):
                return
            raise UserError(s.span, f"{s.name} is not supported")
        found = self.scope.task(s.name)
        if found is None:
            raise UserError(s.span, f"there is no task {s.name}")
        self.run_task(found, s, now, later)

    def run_task(self, task: Function, s: TaskCall, now: Values, later: Values) -> None:
        if len(s.arguments) != len(task.inputs):
            raise UserError(s.span, f"{task.name} takes {len(task.inputs)} arguments, not {len(s.arguments)}")
        e = self.evaluator(now)
        scope = self.frame(self.scope, task, s.span)
        for d, argument in zip(task.inputs, s.arguments, strict=True):
            signal = self.declare(scope, d, e, now)
            if d.direction != "output":
                now.current[id(signal)] = (signal, (self.passed(e, signal, argument),))
        for d in task.locals:
            self.declare(scope, d, e, now)
        inner = Executor(self.b, scope, self.on_check)
        inner.condition = self.condition
        inner.allowed = frozenset({"return"})
        inner.run(task.body, now, later)
        for d, argument in zip(task.inputs, s.arguments, strict=True):
            if d.direction != "input":
                signal = scope.signals[d.name]
                left = now.get(signal)[0]
                if signal.type:
                    self.store_symbol(argument, self.target(argument), left[0], e, now)
                else:
                    fitted = words.extend(list(left), self.target_width(argument, e), signal.signed)
                    self.store_word(argument, fitted, e, now)


def case_context(e: Evaluator, s: Case) -> tuple[int, bool]:
    """The width of the widest among the subject and all labels, and whether all of them are signed: they are compared
    as such [IEEE 1364-2005, 9.5]."""
    compared = [s.subject, *(label for labels, _ in s.items for label in labels)]
    return max(map(e.width, compared)), all(map(e.is_signed, compared))


def extended(bits: str, width: int, signed: bool) -> str:
    """Bits from the lowest at a width that is not smaller."""
    return bits + (bits[-1] if signed else "0") * (width - len(bits))


def fits(value: str, bits: str, wild: str) -> bool:
    return all(digit == bit or digit in wild for bit, digit in zip(value, bits, strict=True))
