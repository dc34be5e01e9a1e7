"""Search over cells with finite domains. Knows no language: a test is a function of the domains.

A test answers True or False as soon as the domains decide it, else None. A cell whose domain shrinks wakes the tests
that look at it; a test that is undecided takes out the values that alone would make it false. What is left is tried,
the cells first that have few values and tests that often fail; after every choice the same again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quorbit.source.frozen import frozen

Domains = list[tuple[Any, ...]]  # the values a cell may still have, in order
Prune = Callable[[Domains], list[tuple[int, tuple[Any, ...]]] | None]
SMALL = 4
SELDOM = 8
SHAVED = 200  # values of the cells of one test that are tried one by one


@frozen
class Constraint:
    """``decide`` looks at these cells alone."""

    cells: tuple[int, ...]
    decide: Callable[[Domains], bool | None]
    prune: Prune | None = None  # what it leaves of the domains, None if it cannot be true; if it can tell by itself
    late: bool = False  # it says something only of cells that have one value


def solutions(domains: Domains, tests: list[Constraint]) -> Iterator[Domains]:
    """All choices of one value for every cell for which no test is false, each once."""
    watching: list[list[int]] = [[] for _ in domains]
    for k, test in enumerate(tests):
        for cell in test.cells:
            watching[cell].append(k)
    search = Search(list(domains), tests, watching)
    if all(domains) and search.settle(range(len(tests))):
        yield from search.run()


class Search:
    """``trail``: cells and the domains they had, to be given back."""

    def __init__(self, domains: Domains, tests: list[Constraint], watching: list[list[int]]) -> None:
        self.domains = domains
        self.tests = tests
        self.watching = watching
        self.eager = [[k for k in those if not tests[k].late] for those in watching]
        self.trail: list[tuple[int, tuple[Any, ...]]] = []
        self.small = [len(test.cells) <= SMALL for test in tests]  # they are asked before the others
        self.shaved = [[0, 0] for _ in tests]  # how often each test was asked for values to take out, and gave some
        self.failures = [1.0] * len(domains)  # of tests that look at a cell: such a cell is tried first

    def run(self) -> Iterator[Domains]:
        cell = self.next_cell()
        if cell is None:
            yield self.domains
            return
        for value in self.domains[cell]:
            mark = len(self.trail)
            if self.narrow(cell, (value,)):
                yield from self.run()
            self.undo(mark)

    def next_cell(self) -> int | None:
        best, least = None, 0.0
        failures = self.failures
        for cell, domain in enumerate(self.domains):
            n = len(domain)
            if n > 1 and (best is None or n / failures[cell] < least):
                best, least = cell, n / failures[cell]
        return best

    def narrow(self, cell: int, domain: tuple[Any, ...]) -> bool:
        self.trail.append((cell, self.domains[cell]))
        self.domains[cell] = domain
        return self.settle(self.watching[cell])

    def undo(self, mark: int) -> None:
        while len(self.trail) > mark:
            cell, domain = self.trail.pop()
            self.domains[cell] = domain

    def settle(self, woken: range | list[int]) -> bool:
        """Ask tests until none takes a value out; False if one is false."""
        domains, tests, small = self.domains, self.tests, self.small
        waiting: dict[int, None] = {k: None for k in woken if small[k]}
        costly: dict[int, None] = {k: None for k in woken if not small[k]}
        while waiting or costly:
            k, _ = waiting.popitem() if waiting else costly.popitem()
            test = tests[k]
            if test.prune is not None:
                changed = self.take(test.prune(domains))
            else:
                answer = test.decide(domains)
                changed = None if answer is False else [] if answer else self.shave(k, test)
            if changed is None:
                self.note_failure(test)
                return False
            if changed:
                for cell in changed:
                    for other in self.watching[cell] if len(domains[cell]) == 1 else self.eager[cell]:
                        (waiting if small[other] else costly)[other] = None
        return True

    def take(self, left: list[tuple[int, tuple[Any, ...]]] | None) -> list[int] | None:
        """Put smaller domains in; the cells that have them, None if there is nothing left."""
        if not left:
            return left  # type: ignore[return-value]
        for cell, domain in left:
            self.trail.append((cell, self.domains[cell]))
            self.domains[cell] = domain
        return None if any(not domain for _, domain in left) else [cell for cell, _ in left]

    def note_failure(self, test: Constraint) -> None:
        for cell in test.cells:
            self.failures[cell] += 1.0 / len(test.cells)

    def shave(self, k: int, test: Constraint) -> list[int] | None:
        """Take out the values that alone make the test false; None if a cell has none left.

        A test that seldom takes anything out is seldom asked, unless only one cell is open.
        """
        domains = self.domains
        open_cells = [cell for cell in test.cells if len(domains[cell]) > 1]
        if len(open_cells) > 1:
            asked, gave = count = self.shaved[k]
            count[0] += 1
            seldom = asked % SELDOM and gave * SELDOM < asked
            if seldom or sum(len(domains[cell]) for cell in open_cells) > SHAVED:
                return []
        changed: list[int] = []
        for cell in open_cells:
            before = domains[cell]
            kept: list[Any] = []
            for value in before:
                domains[cell] = (value,)
                if test.decide(domains) is not False:
                    kept.append(value)
            domains[cell] = before
            if not kept:
                return None
            if len(kept) < len(before):
                self.trail.append((cell, before))
                domains[cell] = tuple(kept)
                changed.append(cell)
        if changed:
            self.shaved[k][1] += 1
        return changed
