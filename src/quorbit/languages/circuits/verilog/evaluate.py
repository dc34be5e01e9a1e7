"""Evaluate Verilog expressions into nets, with the standard's widths and signs [IEEE 1364-2005, 5.4 and 5.5]."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeGuard

from quorbit.languages.circuits.verilog.scope import Constant, Scope, Signal
from quorbit.languages.circuits.verilog.tree import (
    UNKNOWN_DIGITS,
    Binary,
    Call,
    Expr,
    Index,
    Join,
    Name,
    Number,
    Parameter,
    Slice,
    Ternary,
    Unary,
)
from quorbit.netlists import words
from quorbit.netlists.builder import ONE, ZERO, Builder
from quorbit.netlists.netlist import Domain, range_domain
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Span

Bits = list[str]
Elements = tuple[tuple[str, ...], ...]
RELATIONS = frozenset(["==", "!=", "===", "!==", "<", "<=", ">", ">="])
ORDERS = frozenset(["<", "<=", ">", ">="])
LOGICAL = frozenset(["&&", "||"])
SHIFTS = frozenset(["<<", ">>", "<<<", ">>>", "**"])
REDUCTIONS = frozenset(["&", "|", "^", "~&", "~|", "~^", "^~"])
ANY_ENUMERATION = "?"  # the type of a name that is a value of several enumerations
CHOICES = frozenset(["$ND", "$NDset"])
BITS = frozenset(["$onehot", "$onehot0", "$isunknown", "$initstate"])  # functions with a result of one bit
CHOSEN = frozenset(["$anyseq", "$allseq", "$anyconst", "$allconst"])
SAMPLED = frozenset(["$past", "$rose", "$fell", "$stable", "$changed"])
MOST_PAST = 64
WIDEST = words.WIDEST


@mutable
class Values:
    """What signals are worth at one point of a block: whole signals by key, and which bits were assigned."""

    current: dict[int, tuple[Signal, Elements]] = field(default_factory=dict)
    touched: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    unknown: Callable[[Signal], Elements] | None = None  # what a signal is before it is assigned, if not itself
    kept: Callable[[Signal], Elements] | None = None  # what a signal keeps where the block does not assign it

    def copy(self) -> Values:
        return Values(dict(self.current), {k: set(v) for k, v in self.touched.items()}, self.unknown, self.kept)

    def beside(self, signal: Signal, assigned: set[tuple[int, int]]) -> Elements:
        """What the signal is, with what it keeps for bits that only another branch assigned."""
        elements = self.get(signal)
        missing = assigned - self.touched.get(id(signal), set()) if self.kept is not None else set()
        if not missing or self.kept is None:
            return elements
        old = self.kept(signal)
        return tuple(
            tuple(old[k][i] if (k, i) in missing else net for i, net in enumerate(element))
            for k, element in enumerate(elements)
        )

    def get(self, signal: Signal) -> Elements:
        known = self.current.get(id(signal))
        if known is None:
            return signal.elements if self.unknown is None else self.unknown(signal)
        return known[1]


class Evaluator:
    """Evaluates in a scope, at a point of a block (the values), into gates of a builder."""

    def __init__(self, b: Builder, scope: Scope, values: Values, call: object = None) -> None:
        self.b = b
        self.scope = scope
        self.values = values
        self.call = call  # runs a function; given by verilog_execute, which this file does not know

    # Types and widths.

    def type_of(self, e: Expr) -> str:
        """The enumeration an expression belongs to; '' for a word."""
        match e:
            case Name(text):
                if (signal := self.scope.signal(text)) is not None:
                    return signal.type
                if self.scope.parameter(text) is not None:
                    return ""
                types = self.scope.types_with(text)
                return types[0] if len(types) == 1 else ANY_ENUMERATION if types else ""
            case Index(Name(text)):
                signal = self.scope.signal(text)
                return signal.type if signal is not None else ""
            case Ternary(_, then, other):
                return join_types(self.type_of(then), self.type_of(other))
            case Call(name, arguments) if name in CHOICES:
                found = ""
                for argument in arguments:
                    found = join_types(found, self.type_of(argument))
                return found
            case Call(name):
                function = self.scope.function(name)
                return function.result.type if function is not None else ""
        return ""

    def width(self, e: Expr) -> int:
        """The self-determined width."""
        match e:
            case Number(bits):
                return len(bits)
            case Name(text, span):
                if (parameter := self.constant_named(text)) is not None:
                    return len(parameter[0])
                return self.word_width(self.signal(text, span))
            case Index(target):
                signal = self.target_signal(target)
                return self.word_width(signal) if signal is not None and signal.array is not None else 1
            case Slice(target, left, right, kind):
                if kind != ":":
                    return self.constant(right)
                return abs(self.constant(left) - self.constant(right)) + 1
            case Unary(operator, operand):
                return 1 if operator in REDUCTIONS or operator == "!" else self.width(operand)
            case Binary(operator, left, right):
                if operator in RELATIONS or operator in LOGICAL:
                    return 1
                return self.width(left) if operator in SHIFTS else max(self.width(left), self.width(right))
            case Ternary(_, then, other):
                return max(self.width(then), self.width(other))
            case Join(parts, times):
                count = 1 if times is None else self.constant(times)
                return self.checked(count * sum(self.width(p) for p in parts), e.span)
            case Call(name, arguments):
                return self.call_width(name, arguments, e.span)

    def call_width(self, name: str, arguments: tuple[Expr, ...], span: Span) -> int:
        if name in ("$signed", "$unsigned") and len(arguments) == 1:
            return self.width(arguments[0])
        if name in CHOICES:
            return max((self.width(a) for a in arguments), default=1)
        if name in ("$clog2", "$bits", "$countones"):
            return 32
        if name in CHOSEN:
            return 1  # as wide as what it stands beside
        if name in BITS or name in ("$rose", "$fell", "$stable", "$changed"):
            return 1
        if name == "$past" and arguments:
            return self.width(arguments[0])
        function = self.scope.function(name)
        if function is None:
            raise UserError(span, f"there is no function {name}")
        if function.result.range is None:
            return 32 if function.result.kind == "integer" else 1
        return abs(self.constant(function.result.range.left) - self.constant(function.result.range.right)) + 1

    def checked(self, width: int, span: Span) -> int:
        if not 0 < width <= WIDEST:
            raise UserError(span, f"{width} bits: a word has 1 to {WIDEST}")
        return width

    def is_signed(self, e: Expr) -> bool:
        match e:
            case Number(signed=signed):
                return signed
            case Name(text, span):
                parameter = self.constant_named(text)
                return parameter[1] if parameter is not None else self.signal(text, span).signed
            case Index(target):
                signal = self.target_signal(target)
                return signal is not None and signal.array is not None and signal.signed
            case Unary(operator, operand):
                return operator in ("+", "-", "~") and self.is_signed(operand)
            case Binary(operator, left, right):
                if operator in RELATIONS or operator in LOGICAL:
                    return False
                return self.is_signed(left) and (operator in SHIFTS or self.is_signed(right))
            case Ternary(_, then, other):
                return self.is_signed(then) and self.is_signed(other)
            case Call("$signed"):
                return True
            case Call(name):
                function = self.scope.function(name)
                return function is not None and (function.result.signed or function.result.kind == "integer")
        return False

    def constant_named(self, name: str) -> Constant | None:
        """The value of a parameter, or, in VIS, the position of a value in the enumerations that have it."""
        if (parameter := self.scope.parameter(name)) is not None or not self.b.as_vis or self.scope.signal(name):
            return parameter
        positions = {self.scope.enumerations[kind].index(name) for kind in self.scope.types_with(name)}
        return (f"{positions.pop():032b}"[::-1], True) if len(positions) == 1 else None

    def signal(self, name: str, span: Span) -> Signal:
        signal = self.scope.signal(name)
        if signal is None:
            if self.scope.types_with(name):
                raise UserError(span, f"{name} is a value of an enumeration and is used as a number")
            raise UserError(span, f"{name} is not declared")
        if signal.type and not self.b.as_vis:
            raise UserError(span, f"{name} is of the enumeration {signal.type} and is used as a number")
        return signal

    def word_width(self, signal: Signal) -> int:
        """The bits of a signal as a number: of an enumeration, those of the positions of its values."""
        return max(1, (len(self.domain(signal.type)) - 1).bit_length()) if signal.type else signal.width

    def target_signal(self, e: Expr) -> Signal | None:
        return self.scope.signal(e.text) if isinstance(e, Name) else None

    # Values.

    def constant(self, e: Expr) -> int:
        """The value of an expression that must be constant."""
        bits = self.word(e, self.width(e))
        if any(bit not in (ZERO, ONE) for bit in bits):
            raise UserError(e.span, "this must be a constant")
        value = sum(1 << i for i, bit in enumerate(bits) if bit == ONE)
        return value - (1 << len(bits)) if self.is_signed(e) and bits[-1] == ONE else value

    def truth(self, e: Expr) -> str:
        """Whether an expression is not zero."""
        return self.b.disjoin(self.word(e, self.width(e)))

    def word(self, e: Expr, width: int, signed: bool | None = None) -> Bits:
        """The bits of an expression in a context of a width; operands grow to it before they are combined."""
        signed = self.is_signed(e) if signed is None else signed
        match e:
            case Number(bits, fills=True):
                return [self.literal(bits) for _ in range(width)]
            case Number(bits):
                return words.extend([self.literal(bit) for bit in bits], width, e.signed and signed)
            case Name(text, span):
                return words.extend(self.read(text, span), width, signed)
            case Index() | Slice():
                return words.extend(self.select(e), width, signed and self.is_signed(e))
            case Unary(operator, operand):
                return self.unary(operator, operand, width, signed)
            case Binary(operator, left, right):
                return self.binary(operator, left, right, width, signed)
            case Ternary(test, then, other):
                return words.choose(
                    self.b, self.truth(test), self.word(then, width, signed), self.word(other, width, signed)
                )
            case Join(parts, times):
                joined = [bit for part in reversed(parts) for bit in self.word(part, self.width(part))]
                return words.extend(joined * (1 if times is None else self.constant(times)), width, False)
            case Call(name, arguments):
                return self.call_word(name, arguments, e.span, width, signed)

    def literal(self, bit: str) -> str:
        if bit not in UNKNOWN_DIGITS:
            return ONE if bit == "1" else ZERO
        net = self.b.fresh()  # x and z: either value, chosen anew
        self.b.choice(net, (0, 1))
        return net

    def constant_bit(self) -> str:
        """A bit that is chosen once."""
        net = f"$anyconst{len(self.b.latches)}"
        self.b.add_latch(net, net, None)
        return net

    def read(self, name: str, span: Span) -> Bits:
        parameter = self.constant_named(name)
        if parameter is not None:
            return [ONE if bit == "1" else ZERO for bit in parameter[0]]
        signal = self.signal(name, span)
        if signal.array is not None:
            raise UserError(span, f"{name} is an array; read one of its elements")
        nets = list(self.values.get(signal)[0])
        return self.position_bits(nets[0], signal.type) if signal.type else nets

    def position_bits(self, net: str, kind: str) -> Bits:
        """The position of a value of an enumeration as a number."""
        domain = self.domain(kind)
        width = max(1, (len(domain) - 1).bit_length())
        return [self.b.has_value(net, [k for k in range(len(domain)) if k >> i & 1]) for i in range(width)]

    def select(self, e: Index | Slice) -> Bits:
        """A bit, an element, a bit of an element, or a part of a vector."""
        match e:
            case Slice(target, left, right, kind):
                return self.slice(target, left, right, kind, e.span)
            case Index(Name(text, span), index):
                if (parameter := self.scope.parameter(text)) is not None:
                    bits = [ONE if bit == "1" else ZERO for bit in parameter[0]]
                    return [self.pick([[bit] for bit in bits], index, 0, 1)[0]]
                signal = self.signal(text, span)
                if signal.array is not None:
                    return self.element(signal, index)
                return self.bit(signal, list(self.values.get(signal)[0]), index)
            case Index(Index(Name(text, span), element), index):
                signal = self.signal(text, span)
                return self.bit(signal, self.element(signal, element), index)
        raise UserError(e.span, "this selection is not supported")

    def element(self, signal: Signal, index: Expr) -> Bits:
        assert signal.array is not None
        found = [list(element) for element in self.values.get(signal)]
        return self.pick(found, index, min(signal.array), 1)

    def bit(self, signal: Signal, bits: Bits, index: Expr) -> Bits:
        step = 1 if signal.left >= signal.right else -1
        return self.pick([[bit] for bit in bits], index, signal.right, step)

    def pick(self, parts: list[Bits], index: Expr, first: int, step: int) -> Bits:
        """parts[k] where the index is first + k * step; out of range gives the last part (Verilog: unknown)."""
        bits = self.word(index, self.width(index))
        if all(bit in (ZERO, ONE) for bit in bits):
            k = (self.constant(index) - first) * step
            if not 0 <= k < len(parts):
                raise UserError(index.span, "the index is out of range")
            return parts[k]
        result = parts[-1]
        for k in reversed(range(len(parts) - 1)):
            result = words.choose(self.b, self.is_number(bits, first + step * k), parts[k], result)
        return result

    def is_number(self, bits: Bits, value: int) -> str:
        if value < 0 or value >> len(bits):
            return ZERO
        return words.equal(self.b, bits, words.number(value, len(bits)))

    def slice(self, target: Expr, left: Expr, right: Expr, kind: str, span: Span) -> Bits:
        if isinstance(target, Index):
            signal = self.target_signal(target.target)
            bits = self.select(target)
        else:
            signal = self.target_signal(target)
            bits = self.read(target.text, span) if isinstance(target, Name) else []
        if signal is None:
            raise UserError(span, "a part can only be taken of a declared vector")
        if kind != ":":
            return self.indexed_part(signal, bits, left, self.constant(right), kind)
        low, high = sorted((self.position(signal, left), self.position(signal, right)))
        return bits[low : high + 1]

    def indexed_part(self, signal: Signal, bits: Bits, base: Expr, width: int, kind: str) -> Bits:
        downwards = (kind == "-:") == (signal.left >= signal.right)
        choices = []
        for k in range(len(bits)):
            low = k - width + 1 if downwards else k
            choices.append([bits[i] if 0 <= i < len(bits) else ZERO for i in range(low, low + width)])
        return self.pick(choices, base, signal.right, 1 if signal.left >= signal.right else -1)

    def position(self, signal: Signal, index: Expr) -> int:
        k = signal.bit(self.constant(index))
        if k is None:
            raise UserError(index.span, f"{signal.name} has no such bit")
        return k

    def unary(self, operator: str, operand: Expr, width: int, signed: bool) -> Bits:
        b = self.b
        if operator == "!":
            return words.extend([b.invert(self.truth(operand))], width, False)
        if operator in REDUCTIONS:
            return words.extend([self.reduce(operator, self.word(operand, self.width(operand)))], width, False)
        bits = self.word(operand, width, signed)
        if operator == "~":
            return words.invert(b, bits)
        return words.negate(b, bits) if operator == "-" else bits

    def reduce(self, operator: str, bits: Bits) -> str:
        kind = operator.strip("~")
        value = {"&": self.b.conjoin, "|": self.b.disjoin, "^": self.b.parity}[kind](bits)
        return self.b.invert(value) if "~" in operator else value

    def binary(self, operator: str, left: Expr, right: Expr, width: int, signed: bool) -> Bits:
        b = self.b
        if operator in LOGICAL:
            join = b.conjoin if operator == "&&" else b.disjoin
            return words.extend([join([self.truth(left), self.truth(right)])], width, False)
        if operator in RELATIONS:
            return words.extend([self.relation(operator, left, right)], width, False)
        x = self.word(left, width, signed)
        if operator in SHIFTS:
            return self.shift(operator, x, right, signed)
        y = self.word(right, width, signed)
        match operator:
            case "+":
                return words.add(b, x, y)
            case "-":
                return words.subtract(b, x, y)
            case "*":
                return words.multiply(b, x, y)
            case "/" | "%":
                quotient, rest = words.divide_signed(b, x, y) if signed else words.divide(b, x, y)
                return quotient if operator == "/" else rest
        kind = {"&": "and", "|": "or", "^": "xor", "~^": "xnor", "^~": "xnor"}[operator]
        return words.bitwise(b, kind, x, y)

    def shift(self, operator: str, x: Bits, right: Expr, signed: bool) -> Bits:
        amount = self.word(right, self.width(right))
        if operator == "**":
            return words.power(self.b, x, amount)
        if operator in ("<<", "<<<"):
            return words.shift_left(self.b, x, amount)
        fill = x[-1] if operator == ">>>" and signed else ZERO
        return words.shift_right(self.b, x, amount, fill)

    def relation(self, operator: str, left: Expr, right: Expr) -> str:
        types = self.type_of(left), self.type_of(right)
        kind = join_types(*types)
        if kind and not (self.b.as_vis and operator in ORDERS):
            if operator in ORDERS:
                raise UserError(left.span, "values of an enumeration have no order")
            mixed = self.b.as_vis and not all(types)
            same = self.same_number(left, right, kind) if mixed else self.same_symbol(left, right, kind)
            return self.b.invert(same) if operator[0] == "!" else same
        width = max(self.width(left), self.width(right))
        signed = self.is_signed(left) and self.is_signed(right)
        x, y = self.word(left, width, signed), self.word(right, width, signed)
        if self.b.as_vis and operator in ("==", "===", "!=", "!=="):
            x, y = self.cut(left, x, y) if words.is_known(y) else self.cut(right, y, x) if words.is_known(x) else (x, y)
        if operator in ("==", "===", "!=", "!=="):
            same = words.equal(self.b, x, y)
            return self.b.invert(same) if operator[0] == "!" else same
        if operator in (">", "<="):
            x, y = y, x
        less = words.less(self.b, x, y, signed)
        return self.b.invert(less) if "=" in operator else less

    def cut(self, e: Expr, bits: Bits, constant: Bits) -> tuple[Bits, Bits]:
        """A vector and a constant that it could never equal, at the width of the vector: so VIS compares them."""
        own = self.width(e)
        if own < len(bits) and any(bit == ONE for bit in constant[own:]) and all(bit == ZERO for bit in bits[own:]):
            where = f"{Path(self.b.span.file).name}:{self.b.span.line}"
            note = f"{where}: a constant is cut to the {own} bits of what it is compared with, as in VIS"
            if note not in self.b.notes:
                self.b.notes.append(note)
            return bits[:own], constant[:own]
        return bits, constant

    # Enumerations.

    def same_symbol(self, left: Expr, right: Expr, kind: str) -> str:
        if kind == ANY_ENUMERATION:
            alike = isinstance(left, Name) and isinstance(right, Name) and left.text == right.text
            return ONE if alike else ZERO
        for e, other in ((left, right), (right, left)):
            if self.is_enumerator(other):
                return self.b.has_value(self.symbol(e, kind), (self.enumerator(other, kind),))
        return self.b.same_value(self.symbol(left, kind), self.symbol(right, kind))

    def same_number(self, left: Expr, right: Expr, kind: str) -> str:
        """Whether a value of an enumeration has the position that a number says."""
        e, other = (left, right) if self.type_of(left) else (right, left)
        bits = self.word(other, self.width(other))
        if kind == ANY_ENUMERATION or not words.is_known(bits):
            width = max(self.width(e), len(bits))
            return words.equal(self.b, self.word(e, width, False), words.extend(bits, width, False))
        known = 0 <= (k := self.constant(other)) < len(self.domain(kind))
        return self.b.has_value(self.symbol(e, kind), (k,)) if known else ZERO

    def is_enumerator(self, e: Expr) -> TypeGuard[Name]:
        return isinstance(e, Name) and self.scope.signal(e.text) is None and self.scope.parameter(e.text) is None

    def enumerator(self, e: Name, kind: str) -> int:
        if e.text not in self.scope.enumerations[kind]:
            raise UserError(e.span, f"{e.text} is not a value of {kind}")
        return self.scope.enumerations[kind].index(e.text)

    def domain(self, kind: str) -> Domain:
        return Domain(self.scope.enumerations[kind])

    def symbol(self, e: Expr, kind: str) -> str:
        """The net of an expression of an enumeration."""
        match e:
            case Name() if self.is_enumerator(e):
                return self.b.constant_value(kind, self.domain(kind), self.enumerator(e, kind))
            case Name(text) if (signal := self.scope.signal(text)) is not None:
                self.check_kind(signal, kind, e.span)
                return self.values.get(signal)[0][0]
            case Index(Name(text), index):
                signal = self.scope.signal(text)
                if signal is None or signal.array is None:
                    raise UserError(e.span, f"{text} is not an array")
                self.check_kind(signal, kind, e.span)
                return self.pick_symbol([element[0] for element in self.values.get(signal)], index, min(signal.array))
            case Ternary(test, then, other):
                return self.b.choose_value(self.truth(test), self.symbol(then, kind), self.symbol(other, kind))
            case Call(name, arguments) if name in CHOICES:
                return self.choose_symbol(arguments, kind)
            case Call(name, arguments):
                return self.run(name, arguments, e.span)[0]
        return self.numbered(e, kind)

    def numbered(self, e: Expr, kind: str) -> str:
        """The value of an enumeration at a position; beyond the last one it is the last."""
        domain = self.domain(kind)
        bits = self.word(e, self.width(e))
        nets = [self.b.constant_value(kind, domain, k) for k in range(len(domain))]
        result = nets[-1]
        for k in reversed(range(len(nets) - 1)):
            result = self.b.choose_value(self.is_number(bits, k), nets[k], result)
        return result

    def check_kind(self, signal: Signal, kind: str, span: Span) -> None:
        if signal.type != kind:
            raise UserError(span, f"{signal.name} is not of the enumeration {kind}")

    def pick_symbol(self, nets: list[str], index: Expr, first: int) -> str:
        bits = self.word(index, self.width(index))
        if all(bit in (ZERO, ONE) for bit in bits):
            k = self.constant(index) - first
            if not 0 <= k < len(nets):
                raise UserError(index.span, "the index is out of range")
            return nets[k]
        result = nets[-1]
        for k in reversed(range(len(nets) - 1)):
            result = self.b.choose_value(self.is_number(bits, first + k), nets[k], result)
        return result

    def choose_symbol(self, arguments: tuple[Expr, ...], kind: str) -> str:
        """$ND over an enumeration: a pseudo-input over the listed values."""
        plain = [a for a in arguments if self.is_enumerator(a)]
        if len(plain) == len(arguments):
            net = self.b.fresh()
            self.b.domains[net] = self.domain(kind)
            self.b.choice(net, [self.enumerator(a, kind) for a in plain])
            return net
        chosen = self.choice_number(len(arguments))
        result = self.symbol(arguments[-1], kind)
        for k in reversed(range(len(arguments) - 1)):
            result = self.b.choose_value(self.b.has_value(chosen, (k,)), self.symbol(arguments[k], kind), result)
        return result

    def choice_number(self, count: int) -> str:
        net = self.b.fresh()
        self.b.domains[net] = range_domain(count)
        self.b.choice(net, range(count))
        return net

    # Calls.

    def call_word(self, name: str, arguments: tuple[Expr, ...], span: Span, width: int, signed: bool) -> Bits:
        if name in CHOICES:
            return self.choose_word(arguments, span, width)
        if name in ("$signed", "$unsigned") and len(arguments) == 1:
            bits = self.word(arguments[0], self.width(arguments[0]))
            return words.extend(bits, width, signed and name == "$signed")
        if name == "$clog2" and len(arguments) == 1:
            return words.number(max(0, self.constant(arguments[0]) - 1).bit_length(), width)
        if name == "$bits" and len(arguments) == 1:
            return words.number(self.width(arguments[0]), width)
        if name in ("$anyseq", "$allseq"):
            return [self.literal("?") for _ in range(width)]
        if name in ("$anyconst", "$allconst"):
            return [self.constant_bit() for _ in range(width)]
        if name in SAMPLED and arguments:
            return words.extend(self.sampled(name, arguments, span), width, False)
        if name in BITS or name == "$countones":
            return words.extend(self.counted(name, arguments, span), width, False)
        if name.startswith("$"):
            raise UserError(span, f"{name} is not supported")
        return words.extend(list(self.run(name, arguments, span)), width, signed)

    def sampled(self, name: str, arguments: tuple[Expr, ...], span: Span) -> Bits:
        """What an expression was at ticks before; before the first tick that may be anything."""
        now = self.word(arguments[0], self.width(arguments[0]))
        if name == "$past":
            ticks = self.constant(arguments[1]) if len(arguments) > 1 else 1
            if len(arguments) > 2 or not 1 <= ticks <= MOST_PAST:
                raise UserError(span, f"$past takes an expression and a number of ticks from 1 to {MOST_PAST}")
            for _ in range(ticks):
                now = [self.before(bit) for bit in now]
            return now
        if len(arguments) > 1:
            raise UserError(span, f"{name} takes one expression")
        if name in ("$stable", "$changed"):
            same = words.equal(self.b, now, [self.before(bit) for bit in now])
            return [same if name == "$stable" else self.b.invert(same)]
        was = self.before(now[0])
        return [self.b.conjoin((now[0], self.b.invert(was)) if name == "$rose" else (self.b.invert(now[0]), was))]

    def before(self, bit: str) -> str:
        if bit in (ZERO, ONE):
            return bit
        key = ("before", (bit,))
        if key not in self.b.shared:
            self.b.shared[key] = held = f"$past({bit})"
            self.b.add_latch(bit, held, None)
        return self.b.shared[key]

    def counted(self, name: str, arguments: tuple[Expr, ...], span: Span) -> Bits:
        if name == "$initstate":
            return [self.b.first_state()]
        if len(arguments) != 1:
            raise UserError(span, f"{name} takes one expression")
        bits = self.word(arguments[0], self.width(arguments[0]))
        if name == "$isunknown":
            return [ZERO]
        if name == "$countones":
            total = words.number(0, 32)
            for bit in bits:
                total = words.add(self.b, total, words.extend([bit], 32, False))
            return total
        seen, twice = ZERO, ZERO
        for bit in bits:
            twice = self.b.disjoin((twice, self.b.conjoin((seen, bit))))
            seen = self.b.disjoin((seen, bit))
        return [self.b.conjoin((self.b.invert(twice), seen if name == "$onehot" else ONE))]

    def choose_word(self, arguments: tuple[Expr, ...], span: Span, width: int) -> Bits:
        """$ND over words: a pseudo-input that selects one of the arguments."""
        if not arguments:
            raise UserError(span, "$ND needs values to choose from")
        options = list(dict.fromkeys(tuple(self.word(a, width)) for a in arguments))
        if len(options) == 1:
            return list(options[0])
        if all(bit in (ZERO, ONE) for option in options for bit in option) and len(options) == 1 << varying(options):
            return self.free_bits(options)
        chosen = self.choice_number(len(options))
        selected = [self.b.has_value(chosen, (k,)) for k in range(len(options))]
        return [self.select_bit(selected, [o[i] for o in options]) for i in range(width)]

    def free_bits(self, options: list[tuple[str, ...]]) -> Bits:
        """All combinations of some bits are allowed: each is a pseudo-input of its own."""
        found = []
        for column in zip(*options, strict=True):
            found.append(column[0] if len(set(column)) == 1 else self.b.fresh())
            if len(set(column)) > 1:
                self.b.choice(found[-1], (0, 1))
        return found

    def select_bit(self, selected: list[str], bits: list[str]) -> str:
        return self.b.disjoin(self.b.conjoin((s, bit)) for s, bit in zip(selected, bits, strict=True))

    def run(self, name: str, arguments: tuple[Expr, ...], span: Span) -> tuple[str, ...]:
        function = self.scope.function(name)
        if function is None:
            raise UserError(span, f"there is no function {name}")
        assert callable(self.call)
        result = self.call(self, function, arguments, span)
        assert isinstance(result, tuple)
        return result


def constant_bits(e: Evaluator, value: Expr) -> Constant:
    """The value of an expression that must be constant, with its width and sign."""
    e.constant(value)
    return "".join("1" if bit == ONE else "0" for bit in e.word(value, e.width(value))), e.is_signed(value)


def converted(e: Evaluator, p: Parameter, value: Constant) -> Constant:
    """A value in the type of its parameter [IEEE 1364-2005, 12.2]."""
    bits, signed = value
    if p.kind in ("integer", "int"):
        return (bits + (bits[-1] if signed else "0") * 32)[:32], True
    if p.range is not None:
        width = abs(e.constant(p.range.left) - e.constant(p.range.right)) + 1
        return (bits + (bits[-1] if signed else "0") * width)[:width], p.kind == "signed"
    return (bits[:1], False) if p.kind == "logic" else (bits, signed or p.kind == "signed")


def join_types(a: str, b: str) -> str:
    """The enumeration both belong to."""
    if ANY_ENUMERATION in (a, b):
        return b if a == ANY_ENUMERATION and b else a
    return a or b


def varying(options: list[tuple[str, ...]]) -> int:
    """In how many positions the options differ."""
    return sum(len(set(column)) > 1 for column in zip(*options, strict=True))
