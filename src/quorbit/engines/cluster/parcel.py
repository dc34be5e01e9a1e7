"""What passes between workers: parcels of bytes, and the packages of levels in them.

A package is a sequence of items, each the length of a message and the message (machine/runtime/cluster/message.h); the
length 0 ends a level.  A file of a checkpoint, a copy that a peer keeps and what a worker hands over to others are all
packages; one package may go on in the next parcel.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterable, Iterator
from typing import Any

LENGTH = struct.Struct("<Q")
LEVEL_END = LENGTH.pack(0)


class Parcel:
    """Bytes that whoever passes them on need not look at; they are pickled without being copied."""

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Parcel, (pickle.PickleBuffer(self.data) if protocol >= 5 else bytes(self.data),)


def packed(message: bytes) -> bytes:
    return LENGTH.pack(len(message)) + message


def items_in(parcels: Iterable[Parcel | memoryview]) -> Iterator[memoryview]:
    """The messages in parcels one after the other; an empty one for the end of a level."""
    for parcel in parcels:
        data = memoryview(parcel.data if isinstance(parcel, Parcel) else parcel).cast("B")
        at = 0
        while at < len(data):
            (length,) = LENGTH.unpack_from(data, at)
            at += LENGTH.size
            if length > len(data) - at:
                raise ValueError("a package is cut off")
            yield data[at : at + length]
            at += length
