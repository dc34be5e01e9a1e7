"""The search for a run that breaks a formula, while the states are found.

Three searches take turns on one graph, in rounds of twice the size.  One expands states in breadth-first order and then
looks for an accepting cycle among all that are expanded (runtime/trim.h): what is wrong near the start is found there,
after few states.  The others go depth-first through the product with the automaton (runtime/product.h) and so come to
cycles that are far away, about as soon as SPIN does; one lets the first process run as long as it can, the other the
last one, as SPIN does.  They need many bytes for a node, so their share is small where there are many states.  Rounds
are counted in states and nodes, never in time.  Whoever finds a cycle, the counterexample is made of the nearest one.

A run-time error counts where the automaton follows a run to it, as in SPIN: whether the formula holds must not depend
on how far a search looked beside the product.  An error that the first search meets elsewhere ends that search alone.
"""

from __future__ import annotations

from contextlib import ExitStack

from quorbit.engines.temporal.compiled_graph import Graph
from quorbit.engines.temporal.compiled_lasso import find_lasso
from quorbit.engines.temporal.compiled_product import FIND_FIRST, Ask, Search, opened_product
from quorbit.engines.temporal.space import Broken, Stopped
from quorbit.logic.graphs.lasso import Lasso
from quorbit.logic.graphs.product import Steps
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.system.system import State

__all__ = ["Unfinished", "search_for_lasso"]

FIRST_ROUND = 64  # states
EQUAL = 1 << 13  # a deep search has as many nodes as the wide one has states up to here
SHARE = 64  # and beyond, of so many states one


class Unfinished(Exception):
    """The search has come to as many states as it may look at."""


def search_for_lasso(graph: Graph, asked: Ask, first: int | None = None, most: int | None = None) -> Lasso | None:
    """A fair path from a root that the automaton accepts.  ``first``: states of the first round, if there were
    rounds before; ``most``: when there are as many, the search is left unfinished."""
    size = FIRST_ROUND if first is None else first
    with ExitStack() as opened:
        deep = [
            opened.enter_context(opened_product(graph, asked, FIND_FIRST, expands=True, last_first=last_first))
            for last_first in orders(asked)
        ]
        while True:
            try:
                limit, everything = widen(graph, size)
            except Broken as broken:
                if is_followed(graph, asked, broken.path):
                    raise
                return find_lasso(graph, asked) if deep[0].search() is Search.FOUND else None
            if deep[0].may_accept() and (lasso := find_lasso(graph, asked)) is not None:
                return lasso
            if everything:
                return None
            if limit is not None:
                raise limit
            if most is not None and size >= most:
                raise Unfinished
            for product in deep:
                match product.search(nodes_for(size)):
                    case Search.FOUND:
                        return find_lasso(graph, asked)
                    case Search.DONE:
                        return None
            size *= 2


def orders(asked: Ask) -> tuple[bool, ...]:
    """Whether the last edge comes first, for each deep search; with fairness the processes move in turn, in one."""
    return (False, True) if asked.fairness == "none" else (False,)


def widen(graph: Graph, size: int) -> tuple[Stopped | None, bool]:
    """The limit that was hit on the way, if any, and whether all states are expanded."""
    try:
        return None, graph.widen(size)
    except Stopped as stopped:
        return stopped, False


def nodes_for(size: int) -> int:
    return min(size, max(EQUAL, size // SHARE))


def is_followed(graph: Graph, asked: Ask, path: list[State]) -> bool:
    """Whether the automaton goes this way to its end."""
    meaning, steps, at = Meaning(graph.run.system), Steps(asked.automaton), {asked.automaton.initial}
    for s in path:
        try:
            true = (meaning.holds(p.expression, s) for p in asked.propositions)  # type: ignore[arg-type]
            bits = sum(1 << k for k, holds in enumerate(true) if holds)
        except Fault:
            return True  # the formula asks for something that has no value
        at = {t.target for q in at for t in steps.of(q, asked.letter(bits))}
        if not at:
            return False
    return True
