"""Run a search in the C kernel: in slices, so that limits and interrupts are looked at in between."""

from __future__ import annotations

import ctypes

from quorbit.engines.adaptive.errors import check_deadlock, check_invariant, note_move
from quorbit.engines.adaptive.kernel import (
    ASK_ERRORS,
    ASK_EVENTS,
    ASK_PAUSE,
    ASK_STUCK,
    MORE,
    MOST_PROCESSES,
    NOTHING,
    TOO_DEEP,
    BeyondKernel,
    Kernel,
    bags_from,
    words_of,
)
from quorbit.engines.adaptive.library import load, words
from quorbit.engines.adaptive.limits import Progress, Stopped
from quorbit.engines.adaptive.rules import Event, Position
from quorbit.engines.adaptive.search import Search, start, watch_limits
from quorbit.engines.adaptive.store import Node
from quorbit.model.system.system import Invariant, NoDeadlock
from quorbit.source.limits import depth_reached

STATES_PER_SLICE = 100


def run_kernel(search: Search, progress: Progress | None) -> bool:
    """Whether the kernel could run the search; then it is done."""
    library = load()
    if library is None or search.transient is not None or search.context.cells.n > MOST_PROCESSES:
        return False
    kernel_search = KernelSearch(library, search)
    try:
        kernel_search.run(progress)
    except BeyondKernel:
        return False
    finally:
        kernel_search.kernel.close()
    return True


class KernelSearch:
    """A search in the kernel, and the Search that takes what it finds."""

    def __init__(self, library: ctypes.CDLL, search: Search) -> None:
        self.library, self.search, options = library, search, search.options
        self.kernel = Kernel(library, search.context, options.search == "dfs", not options.trace, self.note_violation)
        self.kernel.handlers = {
            ASK_EVENTS: self.find_events,
            ASK_ERRORS: self.find_errors,
            ASK_STUCK: self.find_deadlocks,
            ASK_PAUSE: self.pause,
        }
        self.tick = search.context.pause
        self.invariants = [k for k, p in enumerate(search.properties) if isinstance(p, Invariant)]
        for k in self.invariants:
            self.kernel.add_error(search.clauses[k])
        limit = NOTHING if options.max_depth is None else options.max_depth
        asks_stuck = any(isinstance(p, NoDeadlock) for p in search.properties)
        library.adaptive_limits(self.handle, limit, options.all_errors, asks_stuck)
        self.pieces = 0

    @property
    def handle(self) -> int:
        handle: int = self.kernel.handle
        return handle

    def run(self, progress: Progress | None) -> None:
        self.tick = watch_limits(self.search, progress)
        for node in start(self.search):
            self.kernel.register()
            self.kernel.expect_letters()
            listed = words_of(node.bags)
            self.library.adaptive_start(self.handle, node.shared, node.partition, words(listed), len(listed))
            self.raise_again()
        most = 1 if self.search.options.max_states is not None else STATES_PER_SLICE
        status = MORE
        while status == MORE:
            status = self.library.adaptive_run(self.handle, most)
            self.raise_again()
            self.note_figures()
            self.tick()
        if status == TOO_DEEP:
            raise Stopped(depth_reached(self.search.options.max_depth))
        if status != 0:
            raise MemoryError

    def raise_again(self) -> None:
        """What was raised while the kernel asked."""
        if self.kernel.raised is not None:
            self.note_figures()
            raise self.kernel.raised

    def note_figures(self) -> None:
        search, figures = self.search, (ctypes.c_uint64 * 6)()
        self.library.adaptive_figures(self.handle, figures)
        search.store.reached, search.store.dropped, search.transitions, pieces, search.store.bytes, depth = figures
        search.context.breaths += pieces - self.pieces
        self.pieces = pieces
        search.levels = self.library.adaptive_levels(self.handle)[:depth] if depth else []
        search.fired = self.library.adaptive_fired(self.handle)[: len(search.fired)]

    # Nodes.

    def nodes(self) -> list[Node]:
        """All of Reached, in the order of their discovery."""
        about = (ctypes.c_uint32 * 7)()
        found = []
        for k in range(self.library.adaptive_node_count(self.handle)):
            node = self.node(k, about)
            if not about[5]:
                found.append(node)
        return found

    def node(self, number: int, about: ctypes.Array[ctypes.c_uint32]) -> Node:
        listed = self.library.adaptive_node(self.handle, number, about)
        shared, partition, depth, _, edge, _, length = about
        return Node(shared, bags_from(listed[:length]), partition, depth, None, edge)

    def with_parents(self, number: int) -> Node:
        """The node with the path that leads to it, if paths are kept and nothing was found before."""
        about = (ctypes.c_uint32 * 7)()
        first = node = self.node(number, about)
        if self.search.failure is None and self.search.options.trace:
            while about[3] != NOTHING:
                node.parent = self.node(about[3], about)
                node = node.parent
        return first

    # Answers.

    def find_events(self, rule: int, _: int, u: Position) -> int:
        self.search.slow += 1
        for event in self.search.context.rules[rule].events_in(u):
            if event.violation is not None:
                self.note_violation(event)
                self.kernel.reply([0])
            else:
                self.kernel.expect_letters()
                listed = words_of(event.bags)
                self.kernel.reply([1, event.shared, len(listed), *listed])
        return 0

    def note_violation(self, event: Event) -> None:
        note_move(self.search, self.with_parents(self.library.adaptive_current(self.handle)), event)
        self.note_failure()

    def find_errors(self, number: int, node: int, at: Position) -> int:
        search, k = self.search, self.invariants[number]
        p = search.properties[k]
        assert isinstance(p, Invariant)
        check_invariant(search, self.with_parents(node), at, p, search.errors[k])
        self.note_failure()
        return 0

    def find_deadlocks(self, node: int, _: int, at: Position) -> int:
        check_deadlock(self.search, self.with_parents(node))
        self.note_failure()
        return 0

    def note_failure(self) -> None:
        if self.search.failure is not None:
            self.library.adaptive_fail(self.handle)

    def pause(self, *_: object) -> int:
        self.note_figures()
        self.tick()
        return 0
