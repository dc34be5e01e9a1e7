"""A verdict depends on the model and on what is asked of it, on no option.

The models of the tests, the examples and random programs full of errors are asked about safety in every way of
counting, by every engine, strategy and order of search that admits them, with threads, on disk, with hashes for states
and with code compiled for the model.  An option that a combination refuses is passed over; ``unknown`` is no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest
from promela_faulty_random import faulty_program
from promela_random import random_program

from quorbit.languages.options import LoadOptions
from quorbit.languages.registry import LANGUAGES, language_of
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[2]
SUFFIXES = {suffix for language in LANGUAGES for suffix in language.suffixes}
FOLDERS = (ROOT / "tests" / "models", ROOT / "examples")
MODELS = sorted(p for folder in FOLDERS for p in folder.rglob("*") if p.suffix in SUFFIXES)
COUNTS = ("own", "spin", "plain")
STRATEGIES = ("enumerate", "chain", "minimising", "sort", "local", "graph", "hash-marker", "orbit")
MOST_STATES = 3_000  # larger models take too long in this many ways
SECONDS = 20.0
FEW = 12  # one in so many of the ways is tried on a model by make test
ENDED = {  # what tells that a process has reached its end and is not gone yet
    "pc_value": "active proctype A() { skip; x = 1 } active proctype B() { x == 1; x == 1 && pc_value(0) > 1 }",
    "enabled": "active proctype B() { x == 1; assert(!enabled(1)) } active proctype A() { x = 1 }",
    "get_priority": "active proctype A() priority 4 { x = 1 } active proctype B() { x == 1; get_priority(0) == 4 }",
}
Asked = tuple[str, CheckOptions]  # how states are counted, and the rest


def ways(folder: Path) -> Iterator[tuple[str, Asked]]:
    """Every option by itself, with a name."""
    for count in COUNTS:
        yield f"count-like {count}", (count, plain())
        yield f"count-like {count}, symmetry off", (count, CheckOptions(symmetry="off", search=limits()))
    for engine in ("explicit", "reference", "adaptive", "symbolic"):
        yield f"engine {engine}", ("own", CheckOptions(engine=engine, search=limits()))
    for strategy in STRATEGIES:
        yield f"strategy {strategy}", ("own", CheckOptions(strategy=strategy, search=limits()))
    for search in ("dfs", "mixed"):
        yield f"search {search}", ("own", plain(search=search))
        yield f"search {search}, all errors", ("own", plain(search=search, all_errors=True))
    yield "threads 2", ("own", plain(threads=2))
    yield "all errors", ("own", plain(all_errors=True))
    yield "hash-compact", ("own", plain(hash_compact=True))
    yield "spill", ("own", plain(spill=str(folder / "spill")))
    yield "checkpoint", ("own", plain(checkpoint=str(folder / "checkpoint")))
    yield "native", ("own", plain(native=True))


def limits(native: bool = False, **others: object) -> SearchOptions:
    return SearchOptions(timeout=SECONDS, max_states=MOST_STATES * 10, native=native, **others)  # type: ignore[arg-type]


def plain(**others: object) -> CheckOptions:
    return CheckOptions(search=limits(**others))  # type: ignore[arg-type]


def verdict(path: Path, asked: Asked) -> str | None:
    """None: refused, or not known within the limits.  Engines that know no formulas leave those of a model out."""
    count, options = asked
    options = replace(options, properties=("safety",))
    try:
        found = check(load(path, LoadOptions(count_like=count)), options).worst.outcome.verdict.value
    except UserError:
        return None
    return None if found == "unknown" else found


def is_large(path: Path) -> bool:
    options = CheckOptions(symmetry="off", search=SearchOptions(timeout=SECONDS, max_states=MOST_STATES, native=False))
    try:
        return check(load(path), options).worst.outcome.verdict.value == "unknown"
    except UserError:
        return True  # what is refused is tested elsewhere


def verdicts(path: Path, folder: Path, part: str) -> dict[str, str]:
    """The verdict of every way; of a part only a few, which differ from model to model."""
    promela = language_of(path).name == "promela"
    found = {}
    for name, asked in ways(folder):
        chosen = part == "all" or crc32(f"{path.name} {name}".encode()) % FEW == 0
        if chosen and (promela or asked[0] == "own") and (answer := verdict(path, asked)) is not None:
            found[name] = answer
    return found


def one_verdict(path: Path, folder: Path, part: str = "all") -> None:
    if is_large(path):
        return
    first = verdict(path, ("own", plain()))
    for name, answer in verdicts(path, folder, part).items():
        assert answer == first, name


@pytest.mark.parametrize("path", MODELS[::9], ids=lambda path: path.name)
def test_some_models_in_some_ways(path: Path, tmp_path: Path) -> None:
    one_verdict(path, tmp_path, "few")


@pytest.mark.soak
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_all_models_in_all_ways(path: Path, tmp_path: Path) -> None:
    one_verdict(path, tmp_path)


@pytest.mark.parametrize("asks", list(ENDED))
def test_a_process_that_ended_is_there_if_that_can_be_seen(asks: str, tmp_path: Path) -> None:
    path = tmp_path / "ended.pml"
    path.write_text(f"byte x; {ENDED[asks]}")
    right = "fails" if asks == "enabled" else "holds"  # the youngest is enabled: it can die
    assert {count: verdict(path, (count, plain())) for count in COUNTS} == dict.fromkeys(COUNTS, right)


@pytest.mark.parametrize("seed", [7, 11, *(pytest.param(k, marks=pytest.mark.soak) for k in range(500))])
@pytest.mark.parametrize("write", [faulty_program, random_program], ids=["faulty", "plain"])
def test_random_programs(seed: int, write: object, tmp_path: Path) -> None:
    path = tmp_path / "random.pml"
    path.write_text(write(seed))  # type: ignore[operator]
    one_verdict(path, tmp_path)
