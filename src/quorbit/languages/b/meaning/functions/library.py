"""What functions of ProB's libraries mean, on values that are known."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil, cos, factorial, floor, gcd, log, sin, tan
from typing import Any

from quorbit.languages.b.meaning.values import NoValue, items, only_if, sequence_of
from quorbit.model.meaning.operators import closure, sorted_elements

__all__ = ["LIBRARY_OF_ONE", "LIBRARY_OF_TWO"]

LARGEST_FACTORIAL = 3_000


def is_integer(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()


def read_integer(text: str) -> int:
    if not is_integer(text):
        raise NoValue(f'"{text}" is not an integer')
    return int(text)


def is_decimal(text: str) -> bool:
    whole, point, rest = text.removeprefix("-").partition(".")
    return is_integer(whole) and (not point or is_integer(rest)) and not rest.startswith("-")


def split(text: str, separator: str) -> Any:
    if not separator:
        raise NoValue("a text cannot be split at an empty text")
    return sequence_of(text.split(separator))


def scaled(f: Callable[[float], float], multiplier: int, x: int) -> int:
    """round(m * f(x / m)), halves away from 0."""
    if multiplier <= 0:
        raise NoValue("the multiplier must be positive")
    found = multiplier * f(x / multiplier)
    return floor(abs(found) + 0.5) * (1 if found >= 0 else -1)


def scaled_logarithm(multiplier: int, pair: tuple[int, int]) -> int:
    base, x = pair
    if multiplier <= 0 or base <= 0 or x <= 0 or base == multiplier:
        raise NoValue("there is no such logarithm")
    return scaled(lambda y: log(y, base / multiplier), multiplier, x)


def of_codes(codes: Any) -> str:
    try:
        return "".join(map(chr, items(codes)))
    except (ValueError, OverflowError):
        raise NoValue("this is not the code of a character") from None


def part_of(text: str, pair: tuple[int, int]) -> str:
    start, length = pair
    return text[max(start, 1) - 1 : max(start, 1) - 1 + max(length, 0)]


def padded(text: str, pair: tuple[int, str]) -> str:
    width, filler = pair
    if len(filler) != 1:
        raise NoValue("a text is padded with one character")
    return text.rjust(width, filler)


def to_decimal(n: int, digits: int) -> str:
    text = str(Decimal(n).scaleb(-digits)) if digits > 0 else str(n)
    return format(Decimal(text), "f") if digits > 0 else text


def from_decimal(text: str, digits: int) -> int:
    try:
        return floor(Decimal(text).scaleb(digits) + Decimal("0.5"))
    except InvalidOperation:
        raise NoValue(f"{text} is not a number") from None


def bounded_factorial(n: int) -> int:
    if not 0 <= n <= LARGEST_FACTORIAL:
        raise NoValue("there is no such factorial")
    return factorial(n)


def shifted(a: int, n: int) -> int:
    if abs(n) > 10_000:
        raise NoValue("a number cannot be shifted so far")
    return a << n if n >= 0 else a >> -n


def quotient(round_up: bool) -> Callable[[int, int], int]:
    def divide(a: int, b: int) -> int:
        if b == 0:
            raise NoValue("division by zero")
        return -(-a // b) if round_up else a // b

    return divide


def inverted(x: Fraction) -> Fraction:
    if x == 0:
        raise NoValue("division by zero")
    return 1 / x


def over(x: Fraction, y: Fraction) -> Fraction:
    return x * inverted(y)


def formatted(text: str, texts: Any) -> str:
    """Each ~w is replaced by the next of the texts, ~n by a new line."""
    parts = text.replace("~n", "\n").replace("~p", "~w").split("~w")
    given = items(texts)
    only_if(len(parts) == len(given) + 1, "the text has another number of places than it is given values")
    return "".join(a + b for a, b in zip(parts, (*given, ""), strict=True))


def squashed(s: Any) -> Any:
    """A sequence with gaps without them."""
    pairs: list[Any] = sorted_elements(s)
    return sequence_of(x for _, x in pairs)


def components(r: Any) -> Any:
    """The strongly connected components of a relation, those of one element included."""
    reached = closure(r) | frozenset((x, x) for pair in r for x in pair)
    return frozenset(frozenset(y for y in {b for a, b in reached if a == x} if (y, x) in reached) for x, _ in reached)


def in_order(a: Any, b: Any) -> bool:
    return bool(a == b or sorted_elements(frozenset({a, b}))[0] == a)


LIBRARY_OF_ONE: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("real", "RREAL"), Fraction),
    **dict.fromkeys(("floor", "RFLOOR"), floor),
    **dict.fromkeys(("ceiling", "RCEILING"), ceil),
    "RROUND": lambda x: floor(x + Fraction(1, 2)) if x >= 0 else -floor(-x + Fraction(1, 2)),
    "RABS": abs,
    "RUMINUS": lambda x: -x,
    "RINV": inverted,
    "RSIGN": lambda x: Fraction((x > 0) - (x < 0)),
    "RMAXIMUM": max,
    "RMINIMUM": min,
    "INT_TO_STRING": str,
    "STRING_CHARS": sequence_of,
    "STRING_CODES": lambda t: sequence_of(map(ord, t)),
    "CODES_TO_STRING": of_codes,
    "STRING_IS_INT": lambda t: int(is_integer(t)),
    "STRING_IS_NUMBER": lambda t: int(is_decimal(t)),
    "STRING_IS_DECIMAL": lambda t: int(is_decimal(t)),
    "STRING_CONC": lambda s: "".join(items(s)),
    "STRING_LENGTH": len,
    "STRING_TO_INT": read_integer,
    "STRING_TO_UPPER": str.upper,
    "STRING_TO_LOWER": str.lower,
    "STRING_REV": lambda t: t[::-1],
    "COS": lambda x: scaled(cos, 100, x),
    "SIN": lambda x: scaled(sin, 100, x),
    "TAN": lambda x: scaled(tan, 100, x),
    "MSB": lambda x: x.bit_length() - 1,
    "FACTORIAL": bounded_factorial,
    "BNOT": lambda x: ~x,
    "SORT": lambda s: sequence_of(sorted_elements(s)),
    "SQUASH": squashed,
    "SCCS": components,
}
LIBRARY_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "RADD": lambda x, y: x + y,
    "RSUB": lambda x, y: x - y,
    "RMUL": lambda x, y: x * y,
    "RDIV": over,
    "RMAX": max,
    "RMIN": min,
    "RLT": lambda x, y: int(x < y),
    "RLEQ": lambda x, y: int(x <= y),
    "RGT": lambda x, y: int(x > y),
    "RGEQ": lambda x, y: int(x >= y),
    "REQ": lambda x, y: int(x == y),
    "RNEQ": lambda x, y: int(x != y),
    "STRING_APPEND": lambda s, t: s + t,
    "STRING_JOIN": lambda s, t: t.join(items(s)),
    "STRING_SPLIT": split,
    "STRING_CONTAINS_STRING": lambda s, t: int(t in s),
    "STRING_EQUAL_CASE_INSENSITIVE": lambda s, t: int(s.casefold() == t.casefold()),
    "INT_TO_DEC_STRING": to_decimal,
    "DEC_STRING_TO_INT": from_decimal,
    "COSx": lambda m, x: scaled(cos, m, x),
    "SINx": lambda m, x: scaled(sin, m, x),
    "TANx": lambda m, x: scaled(tan, m, x),
    "GCD": gcd,
    "BAND": int.__and__,
    "BOR": int.__or__,
    "BXOR": int.__xor__,
    "BLSHIFT": shifted,
    "BRSHIFT": lambda a, n: shifted(a, -n),
    "FDIV": quotient(False),
    "CDIV": quotient(True),
    "FORMAT_TO_STRING": formatted,
    "LESS": lambda a, b: int(a != b and in_order(a, b)),
    **dict.fromkeys(("LEQ_SYM", "LEQ_SYM_BREAK"), lambda a, b: int(in_order(a, b))),
    "SUB_STRING": part_of,
    "STRING_REPLACE": lambda s, pair: s.replace(*pair),
    "STRING_PADLEFT": padded,
    "LOGx": scaled_logarithm,
}
