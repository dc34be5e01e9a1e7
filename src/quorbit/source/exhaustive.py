"""The end of a ``match`` over a closed set of cases: the type checker sees that every case was named."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["assert_never"]


def assert_never(case: NoReturn) -> NoReturn:
    """As typing.assert_never of Python 3.11."""
    raise AssertionError(f"no case for {case!r}")
