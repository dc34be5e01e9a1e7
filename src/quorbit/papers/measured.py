"""What a benchmark found: lines for a person, rows for a machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorbit.source.frozen import fields_by_name, frozen, names_of_fields

__all__ = ["Benched", "as_object"]


@frozen
class Benched:
    lines: list[str]
    rows: list[dict[str, Any]]


def as_object(found: Any) -> Any:
    """Records, lists and numbers as JSON knows them; what is not data (functions) is left out."""
    if names_of_fields(type(found)):
        named = {name: as_object(value) for name, value in fields_by_name(found).items()}
        return {name: value for name, value in named.items() if not callable(value)}
    if isinstance(found, Mapping):
        return {str(key): as_object(value) for key, value in found.items()}
    if isinstance(found, Sequence) and not isinstance(found, str):
        return [as_object(value) for value in found]
    return found
