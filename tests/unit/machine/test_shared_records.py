"""A record or a number that Python and C see differently is refused when the library is loaded."""

from __future__ import annotations

import ctypes

import pytest

from quorbit.machine import library
from quorbit.machine.shared_records import check_constants, check_records, runtime_layouts
from quorbit.source.errors import UserError

pytestmark = pytest.mark.skipif(not library.is_available(), reason="the runtime was not built")


class LongerReport(ctypes.Structure):
    _fields_ = [*library.ReportRecord._fields_, ("extra", ctypes.c_uint64)]


class SwappedUnit(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("is_set", "count", "first")]


@pytest.mark.parametrize(
    ("name", "record", "told"),
    [
        ("qb_report", LongerReport, "qb_report: its size, extra"),
        ("qb_unit", SwappedUnit, "qb_unit: count, first"),
        ("qb_unknown", SwappedUnit, "qb_unknown: its size"),
    ],
)
def test_a_record_that_differs_is_refused(name: str, record: type[ctypes.Structure], told: str) -> None:
    with pytest.raises(UserError, match=told):
        check_records(library.runtime(), {name: record})


def test_a_kind_that_the_runtime_does_not_have_is_refused() -> None:
    with pytest.raises(UserError, match="constants: QB_LABEL"):
        check_constants(library.runtime(), {**library.CONSTANTS, "QB_LABEL": 11})
    with pytest.raises(UserError, match="constants: QB_SORT"):
        check_constants(library.runtime(), {**library.CONSTANTS, "QB_SORT": 5})


def test_every_record_the_runtime_tells_of_has_all_its_bytes() -> None:
    for name, layout in runtime_layouts(library.runtime()).items():
        ends = [offset + size for member, (offset, size) in layout.items() if member]
        assert layout[""][1] - max(ends) < 8, f"{name} has members that runtime/records.c leaves out"
