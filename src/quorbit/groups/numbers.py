"""The little arithmetic of whole numbers that group orders need."""

from __future__ import annotations


def prime_powers(n: int) -> tuple[tuple[int, int], ...]:
    """Pairs (p, q) of different primes p and their powers q whose product is n."""
    found, p = [], 2
    while p * p <= n:
        q = 1
        while n % p == 0:
            n, q = n // p, q * p
        if q > 1:
            found.append((p, q))
        p += 1
    return (*found, (n, n)) if n > 1 else tuple(found)
