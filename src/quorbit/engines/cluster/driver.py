"""The driver of a shared search: it owns no states; it leads the workers from level to level and keeps what is certain.

A level is expanded by all owners, in turns with what they send each other.  When nothing is on its way any more all of
them prepare; when all have prepared, all commit.  While few states are open one worker goes on alone, for then most of
the time would go into waiting; it hands over what belongs to the others when there are more (``spread``).

If a worker is lost the level is left: another takes its place and gets its states from the files of the checkpoint or
from the copies its peer has kept (``recover``); the others go back to that level.  So nothing is counted twice, and
nothing is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from quorbit.engines.cluster import level_files
from quorbit.engines.cluster.copies import Copies
from quorbit.engines.cluster.exchange import exchange
from quorbit.engines.cluster.job import Job, refusal_of
from quorbit.engines.cluster.level_files import LevelFiles
from quorbit.engines.cluster.native_code import Compiling
from quorbit.engines.cluster.totals import RANK, Failure, Totals, added, with_alone
from quorbit.engines.cluster.transport import Answer, Call, Lost, Transport, WorkerError
from quorbit.engines.cluster.worker import Greeting
from quorbit.machine import library
from quorbit.machine.options import SearchOptions
from quorbit.machine.owner import Owner, Prepared
from quorbit.result.outcome import Statistics
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.limits import time_reached

TICK = 0.1  # seconds between two looks at limits
SLICE = 0.5  # seconds that one worker goes alone without a word
MOST_LEVELS = 2_000  # of them
NO_LIMIT = 2**62
LONG = 3600.0  # seconds that reading or writing all states of a worker may take
MOST_ALONE = 4_000_000  # states that one worker keeps for all
MOST_SETBACKS = 5  # in a row that lead to no new level
SHARE_OF_MEMORY = 0.9  # of a machine's, for all its workers


@frozen
class Settings:
    """``alone``: states that may be open before all workers take part."""

    replicas: int = 0
    alone: int = 100_000
    patience: float = 60.0  # seconds a worker may be silent


class Ended(Exception):
    """The search has ended before it was complete: a limit, an interrupt, workers that are lost again and again.
    ``status``: of the machine, where that is the reason."""

    def __init__(self, message: str, status: int = library.RUNNING) -> None:
        super().__init__(message)
        self.message, self.status = message, status


class Driver:
    """One search.  ``own``: a shard of the driver's, which reads and compares states and has none."""

    def __init__(
        self,
        transport: Transport,
        job: Job,
        own: Owner,
        settings: Settings,
        limits: SearchOptions,
        files: LevelFiles | None = None,
        progress: Callable[[Statistics], bool] | None = None,
    ) -> None:
        self.transport, self.job, self.own, self.settings = transport, job, own, settings
        self.limits, self.files, self.progress = limits, files, progress
        self.copies = Copies() if settings.replicas else None
        self.owners = 1  # workers that own states
        self.epoch = 0
        self.totals = Totals()  # of the levels that are committed
        self.latest = Totals()  # with the level that was prepared last
        self.counts: list[int] = []  # states on each level that is committed
        self.furthest = 0  # the most levels that were ever complete
        self.setbacks = 0
        self.notes: list[str] = []  # what went wrong on the way
        self.greetings: dict[int, Greeting] = {}
        self.native = Compiling(own.run.program, job.options.native)
        self.opened: set[int] = set()  # workers that have the job
        self.is_started = self.is_complete = False
        self.states_of: dict[int, int] = {}  # that each worker has stored
        self.bytes_of: dict[int, int] = {}
        self.cpu_of: dict[int, float] = {}
        self.earlier_cpu = 0.0  # of workers that are lost
        self.critical = 0.0  # seconds: of each level, those of the worker that computed longest
        self.sent_states = self.sent_bytes = 0
        self.began, self.cpu_began = time.monotonic(), time.process_time()
        self.next_look = 0.0

    # Calls.

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float | None = None) -> Call:
        patience = self.settings.patience if patience is None else max(patience, self.settings.patience)
        return self.transport.call(worker, method, *args, parcels=parcels, patience=patience)

    def finish(self, calls: Iterable[Call]) -> list[Answer]:
        """The answers to all calls, in their order."""
        listed = list(calls)
        waiting, answers = set(listed), dict[Call, Answer]()
        while waiting:
            for call in self.wait(list(waiting)):
                waiting.remove(call)
                answers[call] = self.answer(call)
        return [answers[call] for call in listed]

    def wait(self, calls: Sequence[Call]) -> list[Call]:
        self.look()
        return self.transport.wait(calls, TICK)

    def answer(self, call: Call) -> Answer:
        """What a worker has answered; where the machine has ended the search it ends."""
        try:
            return self.transport.answer(call)
        except WorkerError as error:
            match error.kind:
                case "status":
                    raise Ended("", error.number) from None
                case "refused":
                    raise UserError(None, f"{self.place_of(call.worker)}: {error.text}") from None
                case "bug":
                    raise RuntimeError(f"in {self.place_of(call.worker)}: {error.text}") from None
                case _:
                    raise

    def ask_all(self, method: str, *args: Any, patience: float | None = None) -> list[Any]:
        """The answers of all owners to the same call."""
        calls = [self.call(k, method, *args, patience=patience) for k in range(self.owners)]
        return [answer.result for answer in self.finish(calls)]

    def place_of(self, worker: int) -> str:
        greeting = self.greetings.get(worker)
        return f"worker {worker}" if greeting is None else f"worker {worker} on {greeting.host}"

    def look(self) -> None:
        """Limits, interrupts, progress and the compiler, now and then."""
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + TICK
        options, spent = self.limits, now - self.began
        if options.timeout is not None and spent > options.timeout:
            raise Ended(time_reached(options.timeout))
        if self.progress is not None and self.progress(self.statistics()):
            raise Ended("interrupted")
        stored = sum(self.states_of.get(k, 0) for k in range(self.owners))
        if options.max_states is not None and max(stored, self.totals.states) > options.max_states:
            raise Ended("", library.STATES)
        if self.native.advance(spent):
            self.send_native(range(self.transport.workers))

    def send_native(self, workers: Iterable[int]) -> None:
        if self.native.made is not None:
            for k in workers:
                self.call(k, "use_native", *self.native.made)  # nobody waits: it is used from the next call on

    def statistics(self) -> Statistics:
        """What is known so far."""
        stored = sum(self.states_of.get(k, 0) for k in range(self.owners))
        return Statistics(
            states=self.latest.states if self.is_complete else max(stored, self.latest.states),
            transitions=self.latest.transitions,
            depth=max(0, len(self.counts) - 1),
            memory_bytes=sum(self.bytes_of.values()),
            explore_seconds=self.earlier_cpu + sum(self.cpu_of.values()) + time.process_time() - self.cpu_began,
            levels=tuple(self.counts),
            fired=self.latest.fired,
            errors=self.latest.errors,
        )

    # Beginning.

    def open_workers(self, workers: Sequence[int]) -> None:
        """Greet them, refuse those that are not like this program, and give them the job."""
        calls = [self.call(k, "greet") for k in workers]
        for k, answer in zip(workers, self.finish(calls), strict=True):
            self.greetings[k] = answer.result
            if reason := refusal_of(answer.result.identity, self.place_of(k)):
                raise UserError(None, reason)
        self.finish([self.call(k, "open", self.job, self.memory_of(k), patience=LONG) for k in workers])
        self.opened.update(workers)
        self.send_native(workers)

    def memory_of(self, worker: int) -> int:
        """Bytes that a worker may use: its share of the limit, or of its machine."""
        if self.limits.memory is not None:
            return self.limits.memory // self.transport.workers
        host = self.greetings[worker].host
        there = sum(greeting.host == host for greeting in self.greetings.values())
        return int(self.greetings[worker].memory * SHARE_OF_MEMORY / there)

    def start(self) -> None:
        """The initial states, or the levels of an earlier run."""
        self.open_workers([k for k in range(self.transport.workers) if k not in self.opened])
        if self.files is not None and self.files.totals.levels:
            self.totals = self.latest = self.files.totals
            self.counts = list(self.files.counts)
            self.furthest = max(self.furthest, len(self.counts))
            is_small = self.counts[-1] <= self.settings.alone and self.totals.states <= MOST_ALONE
            self.owners = 1 if is_small else self.transport.workers
            self.restore(range(self.owners))
        else:
            self.begin_again()
        self.is_started = True

    def begin_again(self) -> None:
        """From the initial states, which are a level like any other."""
        self.epoch += 1
        self.owners = 1 if self.settings.alone else self.transport.workers
        self.totals, self.latest, self.counts = Totals(), Totals(), []
        self.finish([self.call(k, "own", k, self.owners) for k in range(self.owners)])
        self.ask_all("seed", self.epoch, patience=LONG)

    # Levels.

    def search(self) -> None:
        """Level after level until none is left or one has an error; raises ``Ended`` if the search is cut short."""
        if not self.is_started:
            self.settle(self.start)
        while not self.is_complete:
            self.settle(self.advance)

    def settle(self, step: Callable[[], Any]) -> Any:
        """A step; if a worker is lost on the way, it is replaced, and the search goes on from the last safe level."""
        try:
            return step()
        except Lost as lost:
            self.recover(lost)
        except WorkerError as error:
            self.recover(Lost(-1, error.text))
        return None

    def advance(self) -> None:
        """One level, or as many as one worker can go alone."""
        if self.owners == 1 and self.counts:
            return self.advance_alone()
        sent = exchange(self) if self.counts else [[0] * self.owners for _ in range(self.owners)]
        told = self.prepare(sent)
        failure, found = self.least_failure(told, len(self.counts)), sum(p.found for p in told)
        self.latest = added(self.totals, told, failure)
        self.is_complete = found == 0 or (failure is not None and not self.limits.all_errors)
        if not self.is_complete:
            self.commit(found)
        return None

    def advance_alone(self) -> None:
        most = MOST_LEVELS if self.limits.max_depth is None else self.limits.max_depth + 1 - len(self.counts)
        call = self.call(0, "go_alone", self.limits.all_errors, self.most_open(), most, SLICE)
        alone, cpu = self.finish([call])[0].result
        self.critical += cpu - self.cpu_of.get(0, 0.0)
        self.cpu_of[0], self.states_of[0], self.bytes_of[0] = cpu, alone.states, alone.memory
        failure = None
        if alone.failing is not None:
            level, told = alone.failing
            failure = self.least_failure([told], len(self.counts) + level)
        self.totals = self.latest = with_alone(self.totals, alone, failure)
        self.counts += alone.counts
        if alone.counts:
            self.go_on()
        if alone.end is not None:
            self.latest = added(self.totals, [alone.end], self.least_failure([alone.end], len(self.counts)))
            self.is_complete = True

    def most_open(self) -> int:
        """States that one worker may have open before it comes back."""
        return self.settings.alone if self.transport.workers > 1 else NO_LIMIT

    def prepare(self, sent: list[list[int]]) -> list[Prepared]:
        """What all owners have found; ``sent``: how many messages each has got from each."""
        calls = [self.call(k, "prepare", sent[k], patience=LONG) for k in range(self.owners)]
        answers = [answer.result for answer in self.finish(calls)]
        spent = [cpu - self.cpu_of.get(k, 0.0) for k, (_, cpu) in enumerate(answers)]
        self.critical += max(spent)
        for k, (prepared, cpu) in enumerate(answers):
            self.cpu_of[k], self.bytes_of[k] = cpu, prepared.memory
        return [prepared for prepared, _ in answers]

    def least_failure(self, told: Sequence[Prepared], level: int) -> Failure | None:
        """The failure that is told of the owners' reports; ``level``: that of the states that were found."""
        failing = [p for p in told if p.errors]
        if not failing:
            return None
        least = failing[0]
        for p in failing[1:]:
            if RANK[p.failure_kind] != RANK[least.failure_kind]:
                is_less = RANK[p.failure_kind] < RANK[least.failure_kind]
            else:
                is_less = self.own.is_before(p.failure, least.failure)
            least = p if is_less else least
        at = level if least.failure_kind == library.IN_STATE else level - 1
        return Failure(least.failure_kind, at, least.failure)

    def commit(self, found: int) -> None:
        """All owners have prepared: the states that were found are the next level."""
        self.epoch += 1
        self.ask_all("commit", self.epoch)
        self.counts.append(found)
        self.totals = self.latest
        self.go_on()

    def go_on(self) -> None:
        """After levels were committed: look at the limits, make them safe, share the states if they are many."""
        if len(self.counts) > self.furthest:
            self.furthest, self.setbacks = len(self.counts), 0
        self.refuse_limits()
        self.make_safe()
        if self.owners < self.transport.workers and self.is_much():
            self.spread()

    def refuse_limits(self) -> None:
        options = self.limits
        reached = options.max_depth is not None and len(self.counts) > options.max_depth
        beyond = options.max_states is not None and self.totals.states > options.max_states
        if reached or beyond:
            self.make_safe(at_once=True)
            raise Ended("", library.DEPTH if reached else library.STATES)

    def is_much(self) -> bool:
        return self.counts[-1] > self.settings.alone or self.totals.states > MOST_ALONE

    def spread(self) -> None:
        """One worker has all states: the others get what belongs to them.  It keeps all until they have it; from then
        on they are owners, and whoever is lost is rebuilt as one of them."""
        workers, levels = self.transport.workers, range(len(self.counts))
        handed = [self.call(0, "hand_over", levels, k, workers, parcels=1, patience=LONG) for k in range(1, workers)]
        parcels = [answer.parcels[0] for answer in self.finish(handed)]
        calls = []
        for k, parcel in enumerate(parcels, start=1):
            self.call(k, "own", k, workers)
            calls.append(self.call(k, "restore", [[0]], len(levels), parcel, patience=LONG))
        restored = [answer.result for answer in self.finish(calls)]
        self.owners = workers
        kept = self.finish([self.call(0, "own_again", 0, workers, patience=LONG)])[0].result
        self.check_counts([kept, *restored])
        self.begin_epoch()
        self.make_safe(anew=True)

    def check_counts(self, restored: Sequence[Sequence[int]]) -> None:
        """What came back must be what was there."""
        if [sum(level) for level in zip(*restored, strict=True)] != self.counts:
            raise Ended("the states that were restored are not those that were saved: the files or copies are damaged")

    def begin_epoch(self) -> None:
        """All owners go back to the last level, and drop what is on its way."""
        self.epoch += 1
        self.ask_all("abort", len(self.counts), self.epoch, patience=LONG)

    # Safety.

    def make_safe(self, at_once: bool = False, anew: bool = False) -> None:
        """Write complete levels, if it is time, and have peers keep copies.  ``anew``: other workers own them now."""
        if self.copies is not None:
            self.copies.make(self, anew)
        files = self.files
        if files is None or files.totals.levels == len(self.counts) or not (level_files.due(files) or at_once):
            return
        if files.problem:
            return
        began, names = time.monotonic(), [level_files.file_name(files, k, self.owners) for k in range(self.owners)]
        levels = range(files.totals.levels, len(self.counts))
        calls = [self.call(k, "save", str(files.folder), name, levels, patience=LONG) for k, name in enumerate(names)]
        try:
            self.finish(calls)
            level_files.commit(files, names, self.totals, self.counts, began)
        except WorkerError as error:
            files.problem = f"no more checkpoints were written: {error.text}"
        except OSError as why:
            files.problem = f"no more checkpoints were written to {files.folder.parent}: {why.strerror}"

    def make_last_safe(self) -> None:
        """The same when the search is complete: a worker that is lost now takes nothing from the answer."""
        try:
            self.make_safe(at_once=True)
        except Lost as lost:
            if self.files is not None:
                self.files.problem = f"the last levels were not written: {lost.reason}"

    def recover(self, lost: Lost) -> None:
        """Replace workers that are lost, and go back to the last level that is safe."""
        gone = dict[int, str]()
        while True:
            self.setbacks += 1
            if lost.worker >= 0:
                gone[lost.worker] = lost.reason
                self.note_loss(lost)
            else:
                self.notes.append(f"level {len(self.counts)} was expanded again: {lost.reason}")
            if self.setbacks > MOST_SETBACKS:
                raise Ended(f"{self.notes[-1]}; given up after {MOST_SETBACKS} attempts")
            try:
                return self.rebuild(gone)
            except Lost as more:
                lost = more
            except WorkerError as error:
                raise Ended(f"a lost worker could not be replaced: {error.text}") from None

    def note_loss(self, lost: Lost) -> None:
        self.notes.append(f"{self.place_of(lost.worker)} was lost at level {len(self.counts)} ({lost.reason})")
        self.earlier_cpu += self.cpu_of.pop(lost.worker, 0.0)
        self.states_of.pop(lost.worker, None)

    def rebuild(self, gone: dict[int, str]) -> None:
        self.transport.forget()
        for k in gone:
            self.transport.renew(k)
            self.opened.discard(k)
        if not self.is_started:
            return self.start()
        self.open_workers(sorted(gone))
        in_files = self.files.totals if self.files is not None else Totals()
        copied = self.copies is not None and self.copies.serves(gone, self)
        if all(k >= self.owners for k in gone):  # no state is lost
            self.go_back(self.totals)
        elif copied and self.copies is not None and self.copies.totals.levels >= in_files.levels:
            self.go_back(self.copies.totals)
        elif in_files.levels:
            copied = False
            self.go_back(in_files)
        else:
            return self.start_over()
        self.restore([k for k in sorted(gone) if k < self.owners], copied)
        if self.copies is not None:
            self.copies.make(self, anew=True)
        return None

    def start_over(self) -> None:
        if self.counts:
            self.notes.append("the search began again; --checkpoint DIR or --replicas 1 would have kept what was known")
        if self.copies is not None:
            self.copies.totals = Totals()
        self.is_complete = False
        self.begin_again()

    def go_back(self, totals: Totals) -> None:
        self.totals = self.latest = totals
        self.is_complete = False
        del self.counts[totals.levels :]

    def restore(self, workers: Sequence[int], from_copies: bool = False) -> None:
        """Give these workers their states of the levels that are known."""
        calls, levels = [], len(self.counts)
        for k in workers:
            self.call(k, "own", k, self.owners)
            parts, parcels = self.sources_for(k, from_copies)
            calls.append(self.call(k, "restore", parts, levels, *parcels, patience=LONG))
        restored = [answer.result for answer in self.finish(calls)]
        if len(workers) == self.owners:
            self.check_counts(restored)
        self.begin_epoch()

    def sources_for(self, worker: int, from_copies: bool) -> tuple[Any, list[Any]]:
        """The packages with a worker's states, as ``Worker.restore`` takes them."""
        if from_copies and self.copies is not None:
            return self.copies.sources(self, worker)
        assert self.files is not None
        return level_files.sources_for(self.files, worker, self.owners), []
