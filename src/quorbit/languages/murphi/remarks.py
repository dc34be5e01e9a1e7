"""What a user may want to know about the types of a model: which are names, and why others are not."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.murphi.facts import Facts, RangeClass
from quorbit.languages.murphi.resolve import Scope
from quorbit.languages.murphi.types import Multiset, Range, Scalarset, Union, show_type
from quorbit.source.span import Span

__all__ = ["remarks_about"]


def remarks_about(scope: Scope, facts: Facts) -> Iterator[str]:
    """One line for each named type that could be a set of names."""
    seen: set[int] = set()
    for name, type in scope.named.items():
        match type:
            case Scalarset(size, _, _, span):
                yield f"{name}: {size} names, declared as a scalarset{at(span)}"
            case Union(members, _, span):
                yield f"{name}: the names of {', '.join(map(show_type, members))}{at(span)}"
            case Range() if type in facts.classes and id(facts.classes[type]) not in seen:
                seen.add(id(facts.classes[type]))
                yield f"{name}: {about_range(facts.classes[type])}"
            case Multiset(size, _, span):
                yield f"{name}: {size} interchangeable places{at(span)}"
            case _:
                pass


def about_range(found: RangeClass) -> str:
    size = found.high - found.low + 1
    if found.is_sort():
        kept = sorted(found.mentioned)
        apart = f", but {', '.join(map(str, kept))} mentioned{at(found.mentioned[kept[0]])}" if kept else ""
        return f"{size} numbers that are only names{apart}"
    if found.ordered is not None:
        return f"numbers, not names: {found.ordered.reason}{at(found.ordered.span)}"
    return f"numbers, not names: of its {size} values {len(found.mentioned)} are mentioned in the text"


def at(span: Span) -> str:
    return f" (line {span.line})"
