"""Traces as JSON: what is written is read again."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.system.command import Command
from quorbit.model.system.system import System
from quorbit.report.saved_trace import (
    NotATrace,
    digest_of,
    read_options,
    read_trace,
    read_value,
    save_trace,
    value_object,
)
from quorbit.result.outcome import Step, Trace

VALUES = st.recursive(
    st.integers(-5, 300),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(st.integers(0, 9), max_size=4),
    max_leaves=8,
)


@given(VALUES)
@settings(max_examples=60)
def test_values(value: object) -> None:
    assert read_value(json.loads(json.dumps(value_object(value)))) == value  # type: ignore[arg-type]


def test_texts_are_no_tuples() -> None:
    assert read_value(json.loads(json.dumps(value_object(("ab", frozenset({"c"})))))) == ("ab", frozenset({"c"}))


def test_a_trace(tmp_path: Path) -> None:
    model = tmp_path / "m.edges"
    model.write_text("x", encoding="utf-8")
    system = System("m", (), (), (Command("go"), Command("stop")))
    options = LoadOptions(defines=(("N", "3"),), count_like="spin", set_sizes=(("S", 4),), max_int=7, bounds=2)
    trace = Trace((1, (2, 3)), (Step((Firing(0, (5,)), Firing(1, ())), (2, ())),), 0)
    found = read_trace(json.loads(json.dumps(save_trace(system, model, options, trace, "p", "message"))))
    assert (found.options, found.start, found.loop) == (options, trace.start, 0)
    assert [[(f.label, f.firing) for f in step] for step in found.steps] == [
        [("go", Firing(0, (5,))), ("stop", Firing(1, ()))]
    ]
    assert (found.property, found.message, found.digest) == ("p", "message", digest_of(model))


def test_digests_tell_texts_apart(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("x", encoding="utf-8")
    b.write_text("y", encoding="utf-8")
    assert digest_of(a).startswith("sha256:")
    assert digest_of(a) != digest_of(b)
    assert digest_of(tmp_path / "missing") == ""


@pytest.mark.parametrize(
    "wrong",
    [[], {"bounds": "2"}, {"defines": [["N"]]}, {"defines": [["N", 3]]}, {"set_sizes": [["S", "4"]]}, {"odd": 1}],
)
def test_wrong_options(wrong: object) -> None:
    with pytest.raises(NotATrace):
        read_options(wrong)


def test_every_way_to_read_a_model_is_saved() -> None:
    """A new option must be read back too, else a trace would be replayed on another System."""
    changed = {
        "defines": (("N", "3"),),
        "count_like": "plain",
        "set_sizes": (("S", 4),),
        "max_int": 9,
        "min_int": -2,
        "bounds": 4,
        "lossy": True,
        "language": "promela",
        "deadlock": "off",
        "stepwise": True,
        "preferences": (("MAXINT", "4"),),
        "ignore": ("goal", "deadlock"),
        "machine": "M1",
        "refines": "M2",
        "deadlock_free": True,
        "files": ("b.v",),
        "includes": ("include",),
        "top": "m",
        "parameters": (("WIDTH", "4"),),
        "dialect": "vis",
        "task": "prove",
        "follow_memories": True,
    }
    assert set(changed) == {f.name for f in fields(LoadOptions)}
    for name, value in changed.items():
        options = replace(LoadOptions(), **{name: value})  # type: ignore[arg-type]
        assert read_options(json.loads(json.dumps(asdict(options)))) == options
