"""Rodin's projects: three classical developments with all refinements, each with a mistake that is found; and files
that nobody should trust."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.refine import refine
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

EXAMPLES = Path(__file__).parents[4] / "examples" / "eventb"
DEVELOPMENTS = {
    "bridge": ("Traffic", "Lights", ["Bridge refines Traffic", "Lights refines Bridge"]),
    "transfer": ("Transfer", "Channel", ["Pieces refines Transfer", "Channel refines Pieces"]),
    "ring": ("Election", "Messages", ["Messages refines Election"]),
}
MISTAKES = {
    "bridge/BridgeWrong": ("Traffic", "inv5: a = 0 or c = 0 would not hold"),
    "bridge/LightsWrong": ("Bridge", "ML_tl_green is convergent and does not decrease the variant"),
    "transfer/ChannelWrong": ("Pieces", "inv4: s = r + 1 => d = f(r) would not hold"),
    "ring/MessagesWrong": ("Election", "elect of Election cannot occur here"),
}


@pytest.mark.parametrize("folder", DEVELOPMENTS)
def test_developments(folder: str) -> None:
    first, last, pairs = DEVELOPMENTS[folder]
    answers = refine(first, EXAMPLES / folder / f"{last}.bum").results
    assert [(a.asked, a.verdict) for a in answers] == [(pair, "holds") for pair in pairs]


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_found(name: str) -> None:
    first, reason = MISTAKES[name]
    path = EXAMPLES / f"{name}.bum"
    answer = refine(EXAMPLES / name.split("/")[0] / f"{first}.bum", path).worst
    assert answer.verdict == "fails"
    assert reason in answer.outcome.message
    runs = answer.to_json()["runs"]
    assert [run["machine"] for run in runs] == [path.stem, first]
    assert len(runs[0]["trace"]) == len(runs[1]["trace"]) > 1


def test_pair_keeps_symmetry() -> None:
    """The data of a file are exchanged in both machines; the same verdict with and without."""
    pair = load(EXAMPLES / "transfer" / "Channel.bum", LoadOptions(refines="Pieces", set_sizes=(("DATA", 3),)))
    reduced, plain = check(pair), check(pair, CheckOptions(symmetry="off"))
    assert (reduced.verdict, plain.verdict) == ("holds", "holds")
    assert reduced.worst.states < plain.worst.states


def test_lines_are_those_of_the_file() -> None:
    """A step is told with the line of its element in the file."""
    path = EXAMPLES / "bridge" / "BridgeWrong.bum"
    trace = check(load(path)).worst.to_json()["trace"]
    source = trace[-1]["source"]
    assert source["file"] == str(path)
    assert 'label="ML_out"' in path.read_text().splitlines()[source["line"] - 1]


def copied(folder: Path, name: str, *without: str) -> Path:
    for file in (EXAMPLES / name).iterdir():
        if file.stem not in without:
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


def test_folder_and_zip(tmp_path: Path) -> None:
    """Of a project the machine that no other one refines is meant."""
    folder = copied(tmp_path, "ring", "MessagesWrong")
    archive = tmp_path / "ring.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.glob("*.bu?")):
            file.write(path, f"ring/{path.name}")
    names = {load(path).system.name for path in (folder, archive)}
    assert names == {"Messages"}
    assert load(archive, LoadOptions(machine="Election")).system.name == "Election"


def test_several_last_machines(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"2 machines that no other machine refines .Messages, MessagesWrong."):
        load(copied(tmp_path, "ring"))


def test_what_is_missing(tmp_path: Path) -> None:
    copied(tmp_path, "bridge", "Limit")
    with pytest.raises(UserError, match=r"there is no Limit\.buc"):
        load(tmp_path / "Bridge.bum")
    with pytest.raises(UserError, match="no such file"):
        load(tmp_path / "Other.bum")


def test_mistake_in_a_formula(tmp_path: Path) -> None:
    """Line of the file, label and caret; all mistakes of a file at once."""
    path = copied(tmp_path, "bridge") / "Traffic.bum"
    text = path.read_text().replace("n ∈ ℕ", "n ∈").replace("n ≔ n + 1", "n ≔ n +")
    path.write_text(text)
    with pytest.raises(UserError) as found:
        load(path)
    said = found.value.render()
    assert "inv1: n ∈" in said
    assert "act1: n ≔ n +" in said
    assert 'label="inv1"' in text.splitlines()[found.value.span.line - 1]


BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (BOMB, "document type or entities"),
        (OUTSIDE, "document type or entities"),
        ("<a><b></a>", "not well-formed XML"),
        ("", "not well-formed XML"),
        ("<a/>", "neither a machine nor a context"),
        ("<a>" * 1000, "nested more than"),
        ("\0\1\2", "not well-formed XML"),
    ],
)
def test_files_nobody_should_trust(tmp_path: Path, data: str, message: str) -> None:
    path = tmp_path / "M.bum"
    path.write_text(data)
    with pytest.raises(UserError, match=message):
        load(path)


def test_every_cut_of_a_file(tmp_path: Path) -> None:
    path = copied(tmp_path, "bridge") / "Lights.bum"
    data = path.read_bytes()
    for k in range(0, len(data) - 30, 211):
        path.write_bytes(data[:k])
        with pytest.raises(UserError):
            load(path)


def test_zip_bombs(tmp_path: Path) -> None:
    """What unpacks to too much is refused, whatever the table of the zip says."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("M.bum", b" " * (65 * 2**20))
    with pytest.raises(UserError, match="more than 64 MiB"):
        load(path)
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 100)  # the size in the table
    path.write_bytes(bytes(data))
    with pytest.raises(UserError):
        load(path)
    path.write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(UserError, match="cannot be unpacked"):
        load(path)
