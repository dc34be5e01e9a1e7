"""The adaptive search as it stands at one moment: how it is opened, where it starts, what is known about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.engines.adaptive.applicable import choose_classes
from quorbit.engines.adaptive.bags import Bags, bags_of, orbit_size
from quorbit.engines.adaptive.cells import Cells, on_processes
from quorbit.engines.adaptive.conditions import Test, tests_of
from quorbit.engines.adaptive.limits import Clock, Progress, Stopped
from quorbit.engines.adaptive.rules import Context
from quorbit.engines.adaptive.shape import shape_of
from quorbit.engines.adaptive.store import Node, Store
from quorbit.engines.adaptive.trace import Failure
from quorbit.groups.partition import by_label
from quorbit.machine.options import SearchOptions
from quorbit.model.system.expression import FALSE
from quorbit.model.system.partitions import Clause, Partitions
from quorbit.model.system.system import Property, System
from quorbit.result.outcome import Statistics
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable

PIECES_PER_STATE = 10  # are welcome
SLOW_PER_PIECE = 4  # so many more commands than pieces may be run in Python


@mutable
class Search:
    """What the search knows so far."""

    context: Context
    store: Store
    properties: tuple[Property, ...]
    clauses: tuple[tuple[Clause, ...], ...]  # of each property's error
    errors: tuple[tuple[Test, ...], ...]  # the same, as tests
    transient: tuple[Test, ...] | None
    options: SearchOptions
    levels: list[int] = field(default_factory=list)
    fired: list[int] = field(default_factory=list)
    transitions: int = 0
    found: int = 0
    failure: Failure | None = None
    slow: int = 0  # commands run in Python


def open_search(
    system: System, properties: tuple[Property, ...], partitions: Partitions, options: SearchOptions
) -> Search:
    chosen = choose_classes(system, partitions.classes)
    if not chosen.permuted:
        raise UserError(chosen.span, f"the adaptive engine cannot treat this model: {chosen.refusal}")
    shape = shape_of(system, chosen.permuted)
    cells = Cells(on_processes(partitions.classes, shape.atoms))
    context = Context(shape, partitions, cells)
    depth_first = options.search == "dfs"
    store = Store(cells, depth_first, not depth_first, not options.trace)
    errors = tuple(tests_of(context, clauses) for clauses in partitions.errors)
    transient = None if system.transient == FALSE else tests_of(context, partitions.transient)
    search = Search(context, store, properties, partitions.errors, errors, transient, options)
    search.fired = [0] * len(system.commands)
    return search


def watch_limits(search: Search, progress: Progress | None) -> Callable[[], None]:
    """A function to call now and then: it ends the search when a limit is hit."""
    clock = Clock(search.options, progress)

    def tick() -> None:
        check_pieces(search)
        clock.tick(search.store.reached, search.store.bytes, lambda seconds: summarise(search, seconds))

    search.context.pause = tick
    return tick


def check_pieces(search: Search) -> None:
    """Where orbits fall into very many pieces, this is the wrong way to search."""
    most = search.options.pieces
    if most is None:
        return
    if search.context.breaths > most + PIECES_PER_STATE * search.store.reached:
        raise Stopped("the orbits fall into too many pieces")
    if search.slow > SLOW_PER_PIECE * most:
        raise Stopped("too many commands must be run in Python")


def start(search: Search) -> Iterator[Node]:
    """The initial states as abstract ones.

    The coarsest annotation is right only if all permutations of a state are initial too; else a state starts with the
    processes in equal local states together, which represents nothing but itself."""
    context, cells = search.context, search.context.cells
    orbits: dict[tuple[int, Bags], list[tuple[int, ...]]] = {}
    for s in context.meaning.initial_states():
        search.transitions += 1
        shared, letters = context.shape.encode(s)
        orbits.setdefault((shared, bags_of(cells, cells.coarsest, letters)), []).append(letters)
    for (shared, bags), members in orbits.items():
        if len(members) == orbit_size(cells, cells.coarsest, bags):
            yield Node(shared, bags, cells.coarsest, 0)
            continue
        for letters in members:
            alike = cells.number(by_label(range(cells.n), letters))
            p = cells.meet(cells.coarsest, alike)
            yield Node(shared, bags_of(cells, p, letters), p, 0)


def summarise(search: Search, seconds: float) -> Statistics:
    return Statistics(
        states=search.store.reached,
        transitions=search.transitions,
        depth=max(0, len(search.levels) - 1),
        memory_bytes=search.store.bytes,
        explore_seconds=seconds,
        levels=tuple(search.levels),
        fired=tuple(search.fired),
        errors=search.found,
    )
