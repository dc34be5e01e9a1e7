"""A computation in a process of its own: what it tells, when it is ended, what memory it held."""

from __future__ import annotations

import os
import signal
import time

import pytest

from quorbit.source.interrupted import Interrupted
from quorbit.source.isolate import Limits, Send, run_isolated


def tell_and_go_on(send: Send) -> None:
    send("first")
    while True:
        sum(range(1000))


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


def test_long_messages_and_many_come_whole_and_in_order() -> None:
    """Longer than a pipe holds at once."""
    sent = [bytes([k]) * (k * 70_001) for k in range(9)]

    def work(send: Send) -> None:
        for message in sent:
            send(message)

    found = run_isolated(work, Limits())
    assert (list(found.told), found.ended) == (sent, "finished")


def test_a_child_that_the_system_ends_is_out_of_memory() -> None:
    def work(send: Send) -> None:
        send("first")
        os.kill(os.getpid(), signal.SIGKILL)

    found = run_isolated(work, Limits())
    assert found.told == ("first",)
    assert isinstance(found.error, MemoryError)


def test_no_child_is_left() -> None:
    run_isolated(tell_and_sleep, Limits(memory=1))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_results_give_more_time() -> None:
    short, long = (run_isolated(tell_and_go_on, Limits(turn=0.1, more=more)) for more in (0.0, 0.6))
    assert (short.ended, long.ended) == ("time", "time")
    assert short.seconds < 0.6 < long.seconds
