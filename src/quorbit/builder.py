"""Write a model in Python: ``from quorbit.builder import Builder, how_many`` (docs/python-api.md)."""

from __future__ import annotations

from quorbit.languages.python.builder import Builder, Family, Rule
from quorbit.languages.python.values import (
    Change,
    Sort,
    Value,
    either,
    every,
    how_many,
    nobody,
    set_of,
    size_of,
    some,
    total,
)

__all__ = [
    "Builder",
    "Change",
    "Family",
    "Rule",
    "Sort",
    "Value",
    "either",
    "every",
    "how_many",
    "nobody",
    "set_of",
    "size_of",
    "some",
    "total",
]
