"""Strongly connected components of a graph (Tarjan 1972), without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["strong_components"]


def strong_components(count: int, targets: Callable[[int], Iterable[int]]) -> list[int]:
    """The number of every node's component; a component that can be reached from another has the smaller number."""
    numbers = [0] * count  # the order of discovery, from 1
    lows = [0] * count  # the earliest node on the stack that is known to be reachable
    component = [-1] * count
    stack: list[int] = []
    discovered = found = 0
    for root in range(count):
        if numbers[root]:
            continue
        discovered += 1
        numbers[root] = lows[root] = discovered
        stack.append(root)
        work = [(root, iter(targets(root)))]
        while work:
            s, rest = work[-1]
            t = next_open(s, rest, numbers, lows, component)
            if t >= 0:
                discovered += 1
                numbers[t] = lows[t] = discovered
                stack.append(t)
                work.append((t, iter(targets(t))))
                continue
            work.pop()
            if work and lows[s] < lows[work[-1][0]]:
                lows[work[-1][0]] = lows[s]
            if lows[s] == numbers[s]:
                close(s, stack, component, found)
                found += 1
    return component


def next_open(s: int, rest: Iterable[int], numbers: list[int], lows: list[int], component: list[int]) -> int:
    """The next undiscovered target of s, -1 if there is none; targets on the stack lower s."""
    low = lows[s]
    for t in rest:
        if not numbers[t]:
            lows[s] = low
            return t
        if component[t] < 0 and numbers[t] < low:
            low = numbers[t]
    lows[s] = low
    return -1


def close(s: int, stack: list[int], component: list[int], number: int) -> None:
    """Everything above s on the stack is its component."""
    while True:
        t = stack.pop()
        component[t] = number
        if t == s:
            return
