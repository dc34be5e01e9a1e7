"""All decimal digits of a very large number.

Python's own ``str`` takes time that grows with the square of the length and refuses some thousand digits or more; the
order of S_100000 has 456574.  Here halves are joined by products of ``decimal``, which are nearly linear.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

SHORT = 4096  # bits that are converted at once


def decimal(n: int) -> str:
    if n.bit_length() <= SHORT:
        return str(n)
    if n < 0:
        return "-" + decimal(-n)
    import decimal as numbers  # here and below: few runs have numbers that are so long

    with numbers.localcontext(numbers.Context(prec=numbers.MAX_PREC, Emax=numbers.MAX_EMAX)):
        return f"{convert(n, n.bit_length()):f}"


def convert(n: int, bits: int) -> Decimal:
    """n, which has at most so many bits."""
    if bits <= SHORT:
        from decimal import Decimal

        return Decimal(n)
    half = bits // 2
    high = n >> half
    return convert(high, bits - half) * power_of_two(half) + convert(n - (high << half), half)


@cache
def power_of_two(k: int) -> Decimal:
    from decimal import Decimal

    return Decimal(1 << k) if k <= SHORT else power_of_two(k // 2) * power_of_two(k - k // 2)
