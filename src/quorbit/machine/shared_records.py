"""Whether Python and the compiled runtime mean the same records and numbers; runtime/records.c tells."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from quorbit.source.errors import UserError

__all__ = ["check_records"]

Layout = dict[str, tuple[int, int]]  # offset and size of each member; of the whole record under the empty name


class MemberRecord(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_char_p) for name in ("record", "member")),
        *((name, ctypes.c_uint64) for name in ("offset", "size")),
    ]


class ConstantRecord(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


def check_records(library: Any, records: Mapping[str, type[ctypes.Structure]]) -> None:
    """Requires that each record, under its name in C, has the same members in the same places on both sides."""
    theirs = runtime_layouts(library)
    for name, record in records.items():
        refuse_difference(name, own_layout(record), theirs.get(name, {}))


def check_constants(library: Any, constants: Mapping[str, int]) -> None:
    """Requires that the runtime gives each name the same number."""
    theirs = {row.name.decode(): row.value for row in rows(library, "qb_constants", ConstantRecord)}
    refuse_difference("constants", constants, {name: theirs.get(name) for name in constants})


def runtime_layouts(library: Any) -> dict[str, Layout]:
    """The layout of every record that the runtime tells of."""
    found: dict[str, Layout] = {}
    for row in rows(library, "qb_members", MemberRecord):
        found.setdefault(row.record.decode(), {})[row.member.decode()] = (row.offset, row.size)
    return found


def own_layout(record: Any) -> Layout:
    members = {field[0]: getattr(record, field[0]) for field in record._fields_}
    return {"": (0, ctypes.sizeof(record)), **{name: (at.offset, at.size) for name, at in members.items()}}


def rows(library: Any, name: str, record: Any) -> Any:
    """A table of the runtime: the function answers where it is, and puts its length where it is told."""
    function = getattr(library, name, None)
    if function is None:
        raise other_version(f"it has no {name}")
    function.restype, function.argtypes = ctypes.POINTER(record), [ctypes.POINTER(ctypes.c_uint64)]
    count = ctypes.c_uint64()
    return function(ctypes.byref(count))[: count.value]


def refuse_difference(name: str, ours: Mapping[str, object], theirs: Mapping[str, object]) -> None:
    different = [key for key in (*ours, *(k for k in theirs if k not in ours)) if ours.get(key) != theirs.get(key)]
    if different:
        raise other_version(f"they differ in {name}: {', '.join(key or 'its size' for key in different)}")


def other_version(difference: str) -> UserError:
    return UserError(
        None,
        f"the compiled runtime belongs to another version of this package ({difference}): install it again",
    )
