"""Natural symmetric and alternating groups of any degree, proved by one element and without a chain.

A transitive group on m points that has an element with a cycle of prime length p, m/2 < p < m - 2, is primitive (p does
not fit into blocks) and contains a cycle of length p (a power of that element), hence all even permutations (Jordan).
"""

from __future__ import annotations

from math import factorial

from quorbit.groups.compact import domain_of
from quorbit.groups.group import Group, moved_orbits
from quorbit.groups.moves import cycles_of_moves
from quorbit.groups.reach import check_room
from quorbit.groups.schreier_sims import RandomElements

TRIES = 60  # each succeeds with probability about ln 2 / ln m


def giant_order(group: Group) -> int | None:
    """m! or m!/2 if the group is seen to be symmetric or alternating on its one orbit of m points; else None."""
    if group.is_trivial or len(moved_orbits(group)) > 1 or len(group.moved) < 8:
        return None
    if not has_prime_cycle(group):
        return None
    is_even = all(sum(len(c) - 1 for c in cycles_of_moves(m)) % 2 == 0 for m in group.moves)
    return factorial(len(group.moved)) // (2 if is_even else 1)


def has_prime_cycle(group: Group) -> bool:
    domain = domain_of(group.degree, group.moved)
    size = len(domain.points)
    check_room(size * (len(group.moves) + 1))
    elements = RandomElements(domain, [domain.pack_moves(m) for m in group.moves])
    for _ in range(TRIES):
        lengths = map(len, cycles_of_moves(domain.unpack_moves(elements.next())))
        if any(size < 2 * p and p < size - 2 and is_prime(p) for p in lengths):
            return True
    return False


def is_prime(n: int) -> bool:
    return n > 1 and all(n % k for k in range(2, int(n**0.5) + 1))
