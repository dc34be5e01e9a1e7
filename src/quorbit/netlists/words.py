"""Arithmetic and comparison of bit vectors (least significant bit first) as gates."""

from __future__ import annotations

from quorbit.netlists.builder import ONE, ZERO, Builder

__all__ = [
    "WIDEST",
    "add",
    "bitwise",
    "choose",
    "divide",
    "divide_signed",
    "equal",
    "extend",
    "invert",
    "is_known",
    "less",
    "multiply",
    "negate",
    "number",
    "power",
    "shift_left",
    "shift_right",
    "subtract",
]

Bits = list[str]
WIDEST = 4096  # bits of one word; a multiplier has the square of it


def number(value: int, width: int) -> Bits:
    return [ONE if value >> i & 1 else ZERO for i in range(width)]


def is_known(bits: Bits) -> bool:
    """Whether all bits are constants."""
    return all(bit in (ZERO, ONE) for bit in bits)


def known(bits: Bits) -> int | None:
    """The value of a word whose bits are all constants."""
    return sum(1 << i for i, bit in enumerate(bits) if bit == ONE) if is_known(bits) else None


def extend(bits: Bits, width: int, signed: bool) -> Bits:
    """Cut or lengthen to a width."""
    fill = bits[-1] if signed and bits else ZERO
    return (bits + [fill] * (width - len(bits)))[:width]


def invert(b: Builder, x: Bits) -> Bits:
    return [b.invert(bit) for bit in x]


def bitwise(b: Builder, kind: str, x: Bits, y: Bits) -> Bits:
    gates = {
        "and": lambda p, q: b.conjoin((p, q)),
        "or": lambda p, q: b.disjoin((p, q)),
        "xor": b.differ,
        "xnor": b.agree,
    }
    return [gates[kind](p, q) for p, q in zip(x, y, strict=True)]


def add(b: Builder, x: Bits, y: Bits, carry: str = ZERO) -> Bits:
    return add_carry(b, x, y, carry)[0]


def add_carry(b: Builder, x: Bits, y: Bits, carry: str) -> tuple[Bits, str]:
    out = []
    for p, q in zip(x, y, strict=True):
        out.append(b.parity((p, q, carry)))
        carry = b.majority(p, q, carry)
    return out, carry


def subtract(b: Builder, x: Bits, y: Bits) -> Bits:
    return add(b, x, invert(b, y), ONE)


def negate(b: Builder, x: Bits) -> Bits:
    return subtract(b, number(0, len(x)), x)


def multiply(b: Builder, x: Bits, y: Bits) -> Bits:
    """The product modulo the common width."""
    width = len(x)
    if (p := known(x)) is not None and (q := known(y)) is not None:
        return number(p * q, width)
    total = number(0, width)
    for i, bit in enumerate(y):
        if bit == ZERO:
            continue
        shifted = (number(0, i) + x)[:width]
        total = add(b, total, [b.conjoin((bit, p)) for p in shifted])
    return total


def divide(b: Builder, x: Bits, y: Bits) -> tuple[Bits, Bits]:
    """Unsigned quotient and remainder by restoring division; by zero: all ones and x (Verilog: unknown)."""
    width = len(x)
    if (p := known(x)) is not None and (q := known(y)):
        return number(p // q, width), number(p % q, width)
    rest, quotient = number(0, width + 1), number(0, width)
    wide = [*y, ZERO]
    for i in reversed(range(width)):
        rest = [x[i], *rest[:-1]]
        fits = b.invert(less(b, rest, wide, False))
        rest = choose(b, fits, subtract(b, rest, wide), rest)
        quotient[i] = fits
    return quotient, rest[:width]


def divide_signed(b: Builder, x: Bits, y: Bits) -> tuple[Bits, Bits]:
    """Division that truncates towards zero; the remainder has the sign of x."""
    p, q = x[-1], y[-1]
    quotient, rest = divide(b, choose(b, p, negate(b, x), x), choose(b, q, negate(b, y), y))
    return choose(b, b.differ(p, q), negate(b, quotient), quotient), choose(b, p, negate(b, rest), rest)


def equal(b: Builder, x: Bits, y: Bits) -> str:
    return b.conjoin(b.agree(p, q) for p, q in zip(x, y, strict=True))


def less(b: Builder, x: Bits, y: Bits, signed: bool) -> str:
    """x < y, as the borrow of x - y."""
    if signed and x:
        x, y = [*x[:-1], b.invert(x[-1])], [*y[:-1], b.invert(y[-1])]
    return b.invert(add_carry(b, x, invert(b, y), ONE)[1])


def choose(b: Builder, condition: str, then: Bits, otherwise: Bits) -> Bits:
    return [b.choose(condition, p, q) for p, q in zip(then, otherwise, strict=True)]


def shift_left(b: Builder, x: Bits, amount: Bits) -> Bits:
    for i, bit in enumerate(amount):
        step = min(1 << i, len(x))
        x = choose(b, bit, (number(0, step) + x)[: len(x)], x)
    return x


def shift_right(b: Builder, x: Bits, amount: Bits, fill: str = ZERO) -> Bits:
    for i, bit in enumerate(amount):
        step = min(1 << i, len(x))
        x = choose(b, bit, x[step:] + [fill] * step, x)
    return x


def power(b: Builder, x: Bits, y: Bits) -> Bits:
    """x to the y-th modulo the width, by squaring."""
    result, base = number(1, len(x)), x
    for bit in y:
        result = choose(b, bit, multiply(b, result, base), result)
        base = multiply(b, base, base)
    return result
