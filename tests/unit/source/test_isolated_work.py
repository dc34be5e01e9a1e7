"""A computation in a process of its own: what it tells, when it is ended, what memory it held."""

from __future__ import annotations

import gc
import os
import time

import pytest

from quorbit.source.errors import Diagnostic, UserError, raise_all
from quorbit.source.interrupted import Interrupted
from quorbit.source.isolate import Limits, Send, run_isolated
from quorbit.source.span import NOWHERE, Source, Span


def tell_and_go_on(send: Send) -> None:
    send("first")
    while True:
        sum(range(1000))


def tell_late_and_go_on(send: Send) -> None:
    while time.process_time() < 0.2:
        sum(range(1000))
    tell_and_go_on(send)


def tell_and_sleep(send: Send) -> None:
    send("first")
    time.sleep(60)


def test_results_and_memory_come_back() -> None:
    def work(send: Send) -> None:
        kept = bytearray(40 << 20)
        send(len(kept))

    found = run_isolated(work, Limits())
    assert (found.told, found.ended) == ((40 << 20,), "finished")
    assert found.peak > 40 << 20


def test_a_turn_is_about_computing() -> None:
    found = run_isolated(tell_and_go_on, Limits(seconds=50, turn=0.1))
    assert (found.told, found.ended) == (("first",), "time")
    began = time.monotonic()
    asleep = run_isolated(tell_and_sleep, Limits(seconds=0.5, turn=0.1))
    assert (asleep.told, asleep.ended) == (("first",), "time")
    assert time.monotonic() - began >= 0.5


def test_limits_end_it() -> None:
    assert run_isolated(tell_and_sleep, Limits(interrupted=lambda: True)).ended == "interrupted"
    assert run_isolated(tell_and_sleep, Limits(memory=1)).ended == "memory"


def test_an_error_comes_back() -> None:
    def work(send: Send) -> None:
        raise MemoryError

    found = run_isolated(work, Limits())
    assert found.ended == "error"
    assert isinstance(found.error, MemoryError)


def test_mistakes_of_the_user_come_back_whole() -> None:
    source = Source("model.v", "wire a;\nwire a;\n")
    told = [Diagnostic(Span(source, 13, 14), "a is declared twice"), Diagnostic(NOWHERE, "no clock")]

    found = run_isolated(lambda send: raise_all(told), Limits())
    assert isinstance(found.error, UserError)
    with pytest.raises(UserError) as direct:
        raise_all(told)
    assert found.error.render() == direct.value.render()


class Odd(Exception):
    """Pickle makes exceptions again from their ``args``, which do not suffice for this one."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first)


Odd.__module__ = "quorbit.odd"


def test_an_exception_that_pickle_cannot_make_again_comes_as_its_traceback() -> None:
    def work(send: Send) -> None:
        raise Odd("this", "that")

    found = run_isolated(work, Limits())
    assert isinstance(found.error, RuntimeError)
    assert "Odd: this" in str(found.error)


def test_a_child_looks_for_garbage_among_its_own_things_only() -> None:
    """Else the same work takes longer for a parent that holds much, at moments that nobody chooses."""
    held = [[k] for k in range(10_000)]
    gc.collect()
    found = run_isolated(lambda send: send(len(gc.get_objects())), Limits())
    assert found.told[0] < len(held) < len(gc.get_objects())


def test_what_was_told_stays_with_a_caller_who_is_interrupted() -> None:
    told: list[int] = []

    def work(send: Send) -> None:
        send(7)
        time.sleep(20)

    def interrupted() -> bool:
        if told:
            raise Interrupted("time is up")
        return False

    with pytest.raises(Interrupted):
        run_isolated(work, Limits(interrupted=interrupted), told)
    assert told == [7]


def test_long_results_come_whole_and_in_order() -> None:
    def work(send: Send) -> None:
        for k in range(3):
            send([k] * 300_000)  # more than a pipe holds

    found = run_isolated(work, Limits())
    assert found.ended == "finished"
    assert [(len(each), each[0]) for each in found.told] == [(300_000, 0), (300_000, 1), (300_000, 2)]


def test_a_child_that_dies_unasked_was_ended_by_the_system() -> None:
    def work(send: Send) -> None:
        send("first")
        os._exit(9)

    found = run_isolated(work, Limits())
    assert (found.told, found.ended) == (("first",), "error")
    assert isinstance(found.error, MemoryError)


def test_no_pipe_is_left_open() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    run_isolated(tell_and_go_on, Limits(turn=0.1))
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_no_child_is_left() -> None:
    run_isolated(tell_and_sleep, Limits(memory=1))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_results_give_more_time() -> None:
    short, long = (run_isolated(tell_late_and_go_on, Limits(turn=0.4, more=more)) for more in (0.0, 0.6))
    assert (short.ended, long.ended) == ("time", "time")
    assert short.seconds < 0.8 < long.seconds


def test_what_is_told_at_once_gives_little() -> None:
    ended = run_isolated(tell_and_go_on, Limits(turn=0.1, more=60))
    assert (ended.ended, ended.told) == ("time", ("first",))
    assert ended.seconds < 5
