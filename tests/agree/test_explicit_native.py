"""Native code gives the answers of the bytecode, whatever the model's names are."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from random_systems import random_system

from quorbit.engines.explicit.explore import answer, drive, explore
from quorbit.machine import library
from quorbit.machine.compile.instructions import Program
from quorbit.machine.native import build as native_build
from quorbit.machine.native.source import native_source
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import initial_words, opened, start
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import Apply, Operator, Read, number
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number
from quorbit.result.outcome import Outcome
from quorbit.source.errors import UserError

needs_compiler = pytest.mark.skipif(native_build.find_compiler() is None, reason="there is no C compiler")
OPTIONS = SearchOptions(all_errors=True, max_states=2000, native=False)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def compiled(program: Program) -> Any:
    """The library and the addresses of its functions."""
    build = native_build.begin(native_source(program))
    assert build is not None
    while not native_build.is_finished(build):
        time.sleep(0.01)
    found = native_build.load(build.target)
    assert found is not None
    return found


def explore_natively(system: System) -> Outcome:
    """Native code from the first state on."""
    with opened(system, system.properties, OPTIONS, own_store=True) as run:
        native = compiled(run.program)
        library.runtime().qb_set_native(run.engine, *native[1])
        start(run, initial_words(run))
        outcome = answer(run, drive(run))
        assert isinstance(outcome, Outcome)
        return outcome


@needs_compiler
def test_random_systems_agree_natively() -> None:
    compared = 0
    for seed in range(8):
        system = random_system(seed)
        try:
            plain = explore(system, system.properties, options=OPTIONS)
        except UserError:
            continue
        native = explore_natively(system)
        assert replace(native.statistics, explore_seconds=0, compile_seconds=0) == replace(
            plain.statistics, explore_seconds=0, compile_seconds=0
        )
        assert native.verdict is plain.verdict
        compared += 1
    assert compared > 5


@needs_compiler
@pytest.mark.parametrize("name", ["int", "printf", "größe", "x" * 500, 'a"; system("true"); //', "*/"])
def test_names_never_reach_the_compiler(name: str) -> None:
    step = Command(name, effect=(assign((Read(name), Apply(Operator.MODULO, (Read(name), number(3))))),))
    system = System(name, (), (Variable(name, Number(0, 5)),), (step,))
    with opened(system, (), OPTIONS) as run:
        assert name not in native_source(run.program) or name == "int"
    assert explore_natively(system).statistics.states == 1


@needs_compiler
def test_compiled_code_is_found_again_and_imports_nothing(tmp_path: Path) -> None:
    system = random_system(3)
    with opened(system, system.properties, OPTIONS, own_store=True) as run:
        source = native_source(run.program)
    build = native_build.begin(source)
    assert build is not None
    assert build.process is not None
    while not native_build.is_finished(build):
        time.sleep(0.01)
    assert native_build.find_cached(source) == build.target
    assert build.target.parent.stat().st_mode & 0o077 == 0
    assert sorted(f.suffix for f in build.target.parent.iterdir()) == [".so", ".txt"]  # the library, its model's name
    again = native_build.begin(source)
    assert again is not None
    assert again.process is None


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@needs_compiler
def test_a_compiler_that_outlives_its_run_fills_the_cache() -> None:
    system = random_system(1)
    with opened(system, system.properties, OPTIONS, own_store=True) as run:
        build = native_build.begin(native_source(run.program))
    assert build is not None
    assert build.folder is not None
    native_build.leave(build)
    until = time.monotonic() + 60
    while build.folder.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert native_build.load(build.target) is not None


@needs_compiler
def test_an_abandoned_compiler_leaves_nothing_behind() -> None:
    """The programs that the compiler has started are stopped too, and their files go."""
    body = "".join(f"x = x * {k} + (x ^ {k + 1}); if (x == {k}) return {k}; " for k in range(20_000))
    build = native_build.begin(f"int native_next(int x) {{ {body} return x; }}")
    assert build is not None
    assert build.process is not None
    group = build.process.pid
    time.sleep(0.2)
    native_build.abandon(build)
    assert list(build.target.parent.iterdir()) == []
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and is_alive(group):
        time.sleep(0.01)
    assert not is_alive(group)


@needs_compiler
def test_a_library_with_imports_is_refused(tmp_path: Path) -> None:
    build = native_build.begin('extern int puts(const char *); int native_next(void) { return puts(""); }')
    assert build is not None
    while not native_build.is_finished(build):
        time.sleep(0.01)
    assert not build.target.exists()


def test_a_cache_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "quorbit" / "native").mkdir(parents=True)
    (tmp_path / "quorbit" / "native").chmod(0o777)
    assert native_build.begin("int x;") is None


def test_without_a_compiler_the_bytecode_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(native_build.importlib.util, "find_spec", lambda name: None)
    assert native_build.find_compiler() is None
    system = random_system(3)
    assert explore(system, system.properties).statistics.states > 0
