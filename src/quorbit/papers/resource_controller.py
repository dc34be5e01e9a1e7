"""The resource controller of [W07, section 9]: the model for any priority scheme, closed forms, published numbers.

A server grants a resource to one of the requesting processes of the highest priority class.  Local states: N idle,
T requesting, G granted, C using, R releasing; requests wait while the resource is in use.  The numbers of states
fix two local states outside and three inside; with these all published numbers come out.

Short names: m sizes of the classes, the highest priority first; L the number of processes of lower priority.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from quorbit.source.frozen import frozen

HOLDER_STATES = 3  # G, C, R


def resource_controller(sizes: tuple[int, ...]) -> str:
    """The edge diagram; its error is Table 1's: a process holds the resource while it is recorded to be free."""
    names = [f"class{k}" for k in range(1, len(sizes) + 1)]
    spans = list(class_spans(sizes))
    classes = ", ".join(f"{name}: {low}..{high}" for name, (low, high) in zip(names, spans, strict=True))
    lines = [f"processes {classes}", "states N, T, G, C, R", "shared free: bool = true", ""]
    lines.append("N -> T when free and #G = 0")
    for name, (low, _) in zip(names, spans, strict=True):
        first = f" and forall j < {low}: s[j] != T" if low > 1 else ""
        lines.append(f"{name}: T -> G when free and #G = 0{first}")
    lines += ["G -> C do free := false", "C -> R", "R -> N do free := true", ""]
    lines.append("error held_while_free: free and #{C, R} > 0")
    return "\n".join(lines) + "\n"


def class_spans(sizes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    low = 1
    for m in sizes:
        yield low, low + m - 1
        low += m


def small_classes(n: int) -> tuple[int, ...]:
    """Figures 3 and 4, left: n/2 classes of two."""
    return (2,) * (n // 2)


def large_classes(n: int) -> tuple[int, ...]:
    """Figures 3 and 4, right: two classes of n/2."""
    return (n // 2, n - n // 2)


def fragmented(n: int, k: int, m: int) -> tuple[int, ...]:
    """Table 1: k classes, all but the last of m processes."""
    return (*(m,) * (k - 1), n - m * (k - 1))


# Closed forms for the number of reached states.


def lower(sizes: tuple[int, ...]) -> list[int]:
    return [sum(sizes[c + 1 :]) for c in range(len(sizes))]


def plain_states(sizes: tuple[int, ...]) -> int:
    holders = sum(m * 2 ** (m - 1) * 2**below for m, below in zip(sizes, lower(sizes), strict=True))
    return int(2 ** sum(sizes) + HOLDER_STATES * holders)


def standard_states(sizes: tuple[int, ...]) -> int:
    holders = sum(m * prod(d + 1 for d in sizes[c + 1 :]) for c, m in enumerate(sizes))
    return prod(m + 1 for m in sizes) + HOLDER_STATES * holders


def adaptive_states(sizes: tuple[int, ...]) -> int:
    holders = sum(m * (below + 1) for m, below in zip(sizes, lower(sizes), strict=True))
    return sum(sizes) + 1 + HOLDER_STATES * holders


# What the paper prints.


@frozen
class Published:
    """An entry of Table 1: k classes among 80 processes, all but the last of m; reached states and seconds."""

    k: int
    m: int
    states: int
    seconds: int


TABLE_1 = tuple(
    Published(k, m, states, seconds)
    for m, entries in (
        (1, ((558, 1), (792, 2), (1251, 4), (1698, 8), (2346, 14), (3366, 28), (4311, 44), (5181, 62))),
        (2, ((789, 1), (1245, 4), (2121, 13), (2949, 24), (4101, 45), (5781, 83), (7161, 118), (8241, 151))),
    )
    for k, (states, seconds) in zip((2, 3, 5, 7, 10, 15, 20, 25), entries, strict=True)
)
TABLE_1_PROCESSES = 80

# Reached states for n = 18: plain, standard, adaptive; the paper does not print the middle one of the second scheme.
EIGHTEEN_SMALL = (1_310_716, 78_729, 505)
EIGHTEEN_LARGE = (3_808_000, None, 316)
