"""The C kernel of the adaptive search, loaded with ctypes; where it was not built, the search runs in Python."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int, c_int32, c_uint32, c_uint64, c_void_p
from functools import lru_cache
from pathlib import Path

NAME = "_runtime"
Words = POINTER(c_uint32)
Bits = POINTER(c_uint64)
ASK = ctypes.CFUNCTYPE(c_int32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, Words, c_uint32)
SIGNATURES: dict[str, tuple[object, tuple[object, ...]]] = {
    "open": (c_void_p, (c_uint32, c_int, c_int, c_uint32, ASK)),
    "close": (None, (c_void_p,)),
    "partition": (c_int, (c_void_p, Words)),
    "condition": (c_int32, (c_void_p, c_uint32, c_uint32, c_int, c_int, c_uint32, Words, Bits)),
    "rule": (c_int, (c_void_p, c_uint32, c_uint32, c_uint32, c_int, c_int, Words, Words, Bits)),
    "error": (c_int, (c_void_p, c_uint32, Words, c_uint32, Words, Bits)),
    "limits": (None, (c_void_p, c_uint32, c_int, c_int)),
    "expect_letter": (c_int, (c_void_p, c_uint32)),
    "answer": (c_int, (c_void_p, Words, c_uint64)),
    "fail": (None, (c_void_p,)),
    "start": (c_int, (c_void_p, c_uint32, c_uint32, Words, c_uint32)),
    "run": (c_int, (c_void_p, c_uint64)),
    "current": (c_uint32, (c_void_p,)),
    "node_count": (c_uint32, (c_void_p,)),
    "node": (Words, (c_void_p, c_uint32, Words)),
    "figures": (None, (c_void_p, Bits)),
    "fired": (Bits, (c_void_p,)),
    "levels": (Bits, (c_void_p,)),
}


@lru_cache(maxsize=1)
def load() -> ctypes.CDLL | None:
    """The library; None if this package was installed without it."""
    found = sorted(Path(__file__).parent.glob(f"{NAME}*.so")) + sorted(Path(__file__).parent.glob(f"{NAME}*.pyd"))
    if not found:
        return None
    try:
        library = ctypes.CDLL(str(found[0]))
    except OSError:
        return None
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(library, f"adaptive_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def words(values: list[int]) -> ctypes.Array[c_uint32]:
    return (c_uint32 * len(values))(*values)


def bits(sets: list[frozenset[int]], n: int) -> ctypes.Array[c_uint64]:
    """Sets of numbers below n as bits, one after the other."""
    length = (n + 63) // 64
    found = (c_uint64 * (length * len(sets) + 1))()
    for at, members in enumerate(sets):
        for k in members:
            found[at * length + k // 64] |= 1 << k % 64
    return found
