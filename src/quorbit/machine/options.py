"""What a user can ask of a search; an engine refuses what it cannot honour."""

from __future__ import annotations

from quorbit.source.frozen import frozen

__all__ = ["MOST_THREADS", "SearchOptions"]

MOST_THREADS = 16


@frozen
class SearchOptions:
    all_errors: bool = False  # go on after errors and count them
    max_states: int | None = None
    max_depth: int | None = None
    timeout: float | None = None  # seconds of wall time
    memory: int | None = None  # bytes
    threads: int = 1
    native: bool = True  # compile the model's code where that pays and a compiler is there
    compile_first: bool = False  # and that before the search begins, which waits for it
    checkpoint: str | None = None  # a directory to write complete levels to
    resume: str | None = None  # a directory to go on from; checkpoints are written there too
    fairness: str = "none"  # or weak, strong: which runs a temporal property is about
    search: str = "bfs"  # or dfs, mixed: in which order states are expanded; shortest traces only with bfs
    alpha: float | None = None  # mixed: the probability to take the newest open state, else the oldest (None: 0.5)
    seed: int | None = None  # mixed: of the random choices (None: 1)
    hash_compact: bool = False  # remember states that were expanded by a hash alone
    bitstate: int | None = None  # remember them by bits of an array of so many bytes: some states may be missed
    no_parents: bool = False  # do not keep how states were reached: a trace is found by expanding levels again
    represented: bool = False  # count the states of the unreduced model that the stored ones stand for
    pieces: int | None = None  # adaptive: give up when orbits fall into more pieces than this
    trace: bool = True  # whether an error comes with a run that leads to it
    por: str = "off"  # or on, auto: partial-order reduction; auto looks at the first states and decides
    cluster: str | None = None  # a Ray cluster: local, auto or its address; None: processes on this machine
    workers: int | None = None  # processes that share the states
    replicas: int | None = None  # how many peers keep a copy of a worker's states: 1 or none
    spill: str | None = None  # a directory for the states, so that memory need not hold them all
