"""How the values of options are read: a converter of texts for each kind, which complains in the user's words."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
T = TypeVar("T")


def checked(what: str, convert: Callable[[str], T], is_good: Callable[[T], bool]) -> Callable[[str], T]:
    """A converter of texts that complains in the user's words."""

    def read(text: str) -> T:
        try:
            value = convert(text)
        except (ValueError, KeyError, OverflowError):
            raise argparse.ArgumentTypeError(f"expected {what}, not {text!r}") from None
        if not is_good(value):
            raise argparse.ArgumentTypeError(f"expected {what}, not {text!r}")
        return value

    return read


def bytes_in(text: str) -> int:
    number = text.upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in UNITS else ""
    return int(float(number.removesuffix(unit)) * UNITS[unit])


def pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise ValueError(text)
    return name.strip(), value.strip()


def defined(text: str) -> tuple[str, str]:
    """A constant without a value is 1, as C compilers and Verilog simulators have it."""
    return pair(text if "=" in text else f"{text}=1")


def sized_pair(text: str) -> tuple[str, int]:
    name, value = pair(text)
    return name, int(value)


probability = checked("a probability from 0 to 1", float, lambda p: 0 <= p <= 1)
port = checked("a port from 1 to 65535", int, lambda n: 0 < n < 65536)
positive = checked("a positive whole number", int, lambda n: n > 0)
seconds = checked("a positive number of seconds", float, lambda s: 0 < s < 1e9)
size = checked("an amount of memory such as 512M", bytes_in, lambda n: n > 0)
definition = checked("NAME or NAME=VALUE", defined, lambda p: True)
sized = checked("NAME=SIZE", sized_pair, lambda p: p[1] > 0)
