"""The sets of relations and functions: which relations belong to ``A +-> B`` and its kin, and a way to list them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

from quorbit.languages.b.meaning.operators import Set, domain, image_of_range, is_function, is_injective, subsets
from quorbit.model.meaning.operators import sorted_elements
from quorbit.source.frozen import frozen

__all__ = ["ARROW", "Arrow", "relations"]


@frozen
class Arrow:
    """What an arrow demands of a relation from A to B."""

    function: bool = True
    total: bool = False
    injective: bool = False
    surjective: bool = False


ARROW: dict[str, Arrow] = {
    "<->": Arrow(function=False),
    "<<->": Arrow(function=False, total=True),
    "<->>": Arrow(function=False, surjective=True),
    "<<->>": Arrow(function=False, total=True, surjective=True),
    "+->": Arrow(),
    "-->": Arrow(total=True),
    ">+>": Arrow(injective=True),
    ">->": Arrow(total=True, injective=True),
    "+->>": Arrow(surjective=True),
    "-->>": Arrow(total=True, surjective=True),
    ">+>>": Arrow(injective=True, surjective=True),
    ">->>": Arrow(total=True, injective=True, surjective=True),
}


def has_form(r: Set, arrow: Arrow) -> bool:
    """The demands that do not depend on A and B."""
    return (not arrow.function or is_function(r)) and (not arrow.injective or is_injective(r))


def covers(r: Set, a: Set | None, b: Set | None) -> bool:
    """Total on a, onto b, where these are asked for."""
    return (a is None or domain(r) == a) and (b is None or image_of_range(r) == b)


def relations(arrow: Arrow, a: Set, b: Set) -> Iterator[Set]:
    """All relations of this kind, smaller problems first; nothing is built that is not asked for."""
    if not arrow.function:
        found: Iterator[Set] = subsets(frozenset(product(a, b)))
    elif arrow.injective:
        found = injections(arrow.total, sorted_elements(a), sorted_elements(b))
    else:
        found = functions(arrow.total, sorted_elements(a), sorted_elements(b))
    for r in found:
        if covers(r, a if arrow.total else None, b if arrow.surjective else None):
            yield r


def functions(total: bool, a: list[Any], b: list[Any]) -> Iterator[Set]:
    sizes = range(len(a), len(a) + 1) if total else range(len(a) + 1)
    for k in sizes:
        for defined in combinations(a, k):
            for values in product(b, repeat=k):
                yield frozenset(zip(defined, values, strict=True))


def injections(total: bool, a: list[Any], b: list[Any]) -> Iterator[Set]:
    sizes = range(len(a), len(a) + 1) if total else range(len(a) + 1)
    for k in sizes:
        for defined in combinations(a, k):
            for values in permutations(b, k):
                yield frozenset(zip(defined, values, strict=True))
