"""The orders of search, hash compaction and the states represented, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
PETERSON = str(EXAMPLES / "promela" / "peterson.pml")


def answer(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, object]]:
    code = main(["check", PETERSON, "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def test_orders_of_search(capsys: pytest.CaptureFixture[str]) -> None:
    _, wide = answer(capsys)
    for options in (("--search", "dfs"), ("--search", "mixed", "--alpha", "0.7", "--seed", "3")):
        code, found = answer(capsys, *options)
        assert code == 0
        assert [found[key] for key in ("verdict", "states", "transitions")] == [
            wide[key] for key in ("verdict", "states", "transitions")
        ]


def test_hash_compaction_says_what_holds_means(capsys: pytest.CaptureFixture[str]) -> None:
    _, exact = answer(capsys)
    code, found = answer(capsys, "--hash-compact")
    assert (code, found["verdict"], found["states"]) == (0, "holds", exact["states"])
    assert exact["loss_probability"] is None
    assert isinstance(found["loss_probability"], float)
    assert "hash compaction" in str(found["message"])
    main(["check", PETERSON, "--hash-compact"])
    out = capsys.readouterr().out
    assert "lost states" in out
    assert "hash compaction" in out.splitlines()[0]


def test_a_search_by_bits_finds_errors_and_proves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, exact = answer(capsys, "--por", "off")
    code, found = answer(capsys, "--bitstate", "1M")
    assert (code, found["verdict"], found["states"]) == (3, "unknown", exact["states"])
    assert exact["bitstate_coverage"] is None
    assert 0.999 < float(str(found["bitstate_coverage"])) < 1
    assert "may miss states" in str(found["message"])
    main(["check", PETERSON, "--bitstate", "1M"])
    assert "coverage    about 9" in capsys.readouterr().out
    wrong = tmp_path / "wrong.pml"
    wrong.write_text("byte x; active [2] proctype P() { do :: x < 90 -> x++ :: x > 0 -> x--; assert(x < 80) od }")
    assert main(["check", str(wrong), "--bitstate", "64K", "--property", "<> (x == 90)"]) == 2
    capsys.readouterr()
    code = main(["check", str(wrong), "--bitstate", "64K", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["verdict"]) == (1, "fails")
    assert found["trace"]


def test_a_small_array_of_bits_loses_states_and_says_about_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    _, exact = answer(capsys, "--por", "off", "--symmetry", "off")
    _, found = answer(capsys, "--bitstate", "2K", "--symmetry", "off")
    reached = int(str(found["states"])) / int(str(exact["states"]))
    assert reached < 0.999
    assert abs(float(str(found["bitstate_coverage"])) - reached) < 0.1


def test_without_parents_a_trace_is_found_by_expanding_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.pml"
    wrong.write_text("byte x; active [2] proctype P() { do :: x < 90 -> x++ :: x > 0 -> x--; assert(x < 80) od }")
    found = []
    for options in ([], ["--no-parents"]):
        assert main(["check", str(wrong), "--por", "off", "--json", *options]) == 1
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["trace"] == found[1]["trace"]
    assert found[0]["memory_bytes"] > found[1]["memory_bytes"]


def test_states_represented(capsys: pytest.CaptureFixture[str]) -> None:
    _, whole = answer(capsys, "--symmetry", "off", "--por", "off")
    _, found = answer(capsys, "--represented")
    assert found["represented"] == str(whole["states"])
    assert found["states"] != whole["states"]
    main(["check", PETERSON, "--represented"])
    assert f"represents  {whole['states']:,} unreduced states" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        ["--alpha", "0.5"],
        ["--search", "dfs", "--threads", "2"],
        ["--hash-compact", "--engine", "reference"],
        ["--bitstate", "1M", "--engine", "reference"],
        ["--bitstate", "1M", "--hash-compact"],
        ["--bitstate", "1M", "--threads", "2"],
        ["--bitstate", "1M", "--search", "dfs"],
        ["--bitstate", "1M", "--memory", "1M"],
        ["--bitstate", "1M", "--represented"],
        ["--bitstate", "1M", "--por", "on"],
        ["--bitstate", "1M", "--checkpoint", "here"],
        ["--spill", "here", "--engine", "reference"],
        ["--no-parents", "--engine", "reference"],
        ["--no-parents", "--hash-compact"],
        ["--no-parents", "--bitstate", "1M"],
        ["--no-parents", "--search", "dfs"],
        ["--no-parents", "--checkpoint", "here"],
        ["--no-parents", "--property", "[] <> true"],
        ["--represented", "--strategy", "local"],
    ],
)
def test_what_cannot_be_honoured_is_refused(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    assert main(["check", PETERSON, *options]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_resume_where_nothing_was_written_yet_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, first = answer(capsys, "--resume", str(tmp_path / "run"))
    assert (code, first["verdict"]) == (0, "holds")
    begun = f"there is no checkpoint in {tmp_path / 'run'} yet, so the search started from the beginning"
    assert first["notes"] == [begun]
    code, again = answer(capsys, "--resume", str(tmp_path / "run"))
    assert (code, again["states"], again["notes"]) == (0, first["states"], [])
