"""Permutation groups: stabiliser chains and classification, beside sympy where it has the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import factorial
from time import perf_counter

from sympy.combinatorics import Permutation as SympyPermutation
from sympy.combinatorics import PermutationGroup

from quorbit.groups.chain import build_chain, cached_chain, cached_large_chain
from quorbit.groups.group import Group, direct_product, hypercube, orbits, symmetric, with_order, wreath_product
from quorbit.groups.permutation import from_cycles
from quorbit.groups.products import factors, factors_of_small
from quorbit.groups.structure import describe, structure, structures_of_small

Row = tuple[str, float, str]
CACHES = (cached_chain, cached_large_chain, factors_of_small, structures_of_small)


def run() -> list[Row]:
    return [*chains(), *beside_sympy(), *classification(), *high_degree()]


def chains() -> Iterator[Row]:
    for name, group in {"S20": swap_and_cycle(20), "S5 wr S40": wreath(5, 40), "cube 6d": hypercube(6)}.items():
        yield f"chain of {name}, order known", milliseconds(lambda group=group: build_chain(group)), "ms"
        unknown = Group(group.degree, group.generators)
        yield f"chain of {name}, order unknown", milliseconds(lambda unknown=unknown: build_chain(unknown)), "ms"


def beside_sympy() -> Iterator[Row]:
    for name, group in {"S20": swap_and_cycle(20), "S5 wr S8": wreath(5, 8), "cube 7d": hypercube(7)}.items():
        unknown = Group(group.degree, group.generators)
        theirs = milliseconds(lambda group=group: sympy_chain(group), repeats=3)
        for known, chosen in (("known", group), ("unknown", unknown)):
            ours = milliseconds(lambda chosen=chosen: build_chain(chosen))
            yield f"sympy's Schreier-Sims of {name} / ours, order {known}", theirs / ours, "times"


def classification() -> Iterator[Row]:
    slowest = 0.0
    for group in figure_5():
        taken = milliseconds(lambda group=group: describe(structure(group)))
        slowest = max(slowest, taken)
        yield f"classification of {describe(structure(group))}", taken, "ms"
    yield "slowest classification of [DM09] Figure 5", slowest, "ms"


def high_degree() -> Iterator[Row]:
    swaps = Group(100000, moves=[((x, x + 1), (x + 1, x)) for x in range(0, 100000, 2)])
    yield "orbits of 50000 swaps of 100000 points", milliseconds(lambda: orbits(swaps), repeats=1), "ms"
    yield "factors of 50000 swaps of 100000 points", milliseconds(lambda: factors(swaps), repeats=1), "ms"


def figure_5() -> list[Group]:
    """The groups of [DM09, Figure 5] on processes and channels, orders not given."""
    full = [symmetric(n) for n in (5, 10, 15, 20)] + [diagonal(n) for n in range(2, 10)]
    products = [direct_product(*[diagonal(n)] * k) for n, k in ((3, 2), (4, 2), (5, 2), (4, 3), (5, 3))]
    inner = {n: direct_product(diagonal(n), Group(2)) for n in (3, 4)}
    tiers = [wreath_product(inner[n], symmetric(m)) for n, m in ((3, 2), (4, 2), (3, 3), (4, 3))]
    cubes = [hypercube(d) for d in (3, 4, 5, 6)]
    return [Group(group.degree, group.generators) for group in (*full, *products, *tiers, *cubes)]


def diagonal(n: int) -> Group:
    """S_n on n processes and their channels."""
    return Group(2 * n, [(*g, *(n + x for x in g)) for g in symmetric(n).generators])


def swap_and_cycle(n: int) -> Group:
    return Group(n, [from_cycles(n, (0, 1)), from_cycles(n, range(n))], factorial(n))


def wreath(n: int, m: int) -> Group:
    group = wreath_product(swap_and_cycle(n), swap_and_cycle(m))
    return with_order(group, factorial(n) ** m * factorial(m))


def sympy_chain(group: Group) -> None:
    PermutationGroup([SympyPermutation(list(g)) for g in group.generators]).schreier_sims()


def milliseconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The quickest of several runs, nothing remembered between them."""
    return min(time_once(work) for _ in range(repeats)) * 1000


def time_once(work: Callable[[], object]) -> float:
    for cache in CACHES:
        cache.cache_clear()
    start = perf_counter()
    work()
    return perf_counter() - start
