"""What `init` does once need not be symmetric; steps written out for one process after the other are judged by what
they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.detection.beginning import after_the_beginning
from quorbit.detection.largest_subgroup import detect_by_diagram
from quorbit.detection.proof import Proof
from quorbit.detection.reveal import reveal
from quorbit.detection.steps_group import idle_atoms
from quorbit.groups.chain import order
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.ground import ground
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, symmetry

WALKERS = """byte busy[3];
proctype walker(byte at) {
  do
  :: d_step { busy[at]++; at = (at + 1) % 3; busy[0] = busy[0] % 3; busy[1] = busy[1] % 3; busy[2] = busy[2] % 3 }
  :: at == 2 && busy[0] == 2 -> BODY
  od
}
init { FIRST atomic { run walker(0); run walker(1); run walker(2) } }
"""
HOLDING = WALKERS.replace("BODY", "at = 0").replace("FIRST", "")
FAILING = WALKERS.replace("BODY", "assert(busy[1] == busy[2]); at = 1").replace("FIRST", "")
TWO_STAGES = WALKERS.replace("BODY", "at = 0").replace("FIRST", "busy[1] = 1;")
RUNNING_BEFORE = HOLDING + "active proctype early() { do :: busy[0] = (busy[0] + 1) % 3 od }\n"

ONE_STEP_EACH = """byte seen[3]; byte n;
proctype voter(byte me) { atomic { seen[me] = 1; n++ }; n == 3; assert(seen[0] + seen[1] + seen[2] == 3) }
init { atomic { run voter(0); run voter(1); run voter(2) } }
"""  # what each of them does once may be done in any order: no beginning

CLOCK = """byte t[3]; byte id;
active proctype p() { do :: t[0] == 0 -> id = 0 + 1 :: d_step { id == 1 -> t[0] = 2; id = 0 } od }
active proctype q() { do :: t[1] == 0 -> id = 1 + 1 :: d_step { id == 2 -> t[1] = 2; id = 0 } od }
active proctype r() { do :: t[2] == 0 -> id = 2 + 1 :: d_step { id == 3 -> t[2] = 2; id = 0 } od }
#define HALVED(k) t[k] = (t[k] == 2 -> 1 : 0)
active proctype clock() { do :: d_step { true; HALVED(1); HALVED(0); HALVED(2) } od }
"""
UNEVEN_CLOCK = CLOCK.replace("HALVED(0)", "t[0] = 0")
WAITING_CLOCK = CLOCK.replace("d_step { true; HALVED(1);", "atomic { true; t[1] == 0;")


def written(text: str, folder: Path) -> Path:
    path = folder / "model.pml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (HOLDING, 6),
        (FAILING, 6),
        (TWO_STAGES, 6),
        (RUNNING_BEFORE, 1),
        (ONE_STEP_EACH, 6),
        (CLOCK, 6),
        (UNEVEN_CLOCK, 2),
        (WAITING_CLOCK, 2),
    ],
    ids=[
        "holding",
        "failing",
        "two stages",
        "running before",
        "one step each",
        "clock",
        "uneven clock",
        "waiting clock",
    ],
)
def test_orders_and_verdicts(text: str, order: int, tmp_path: Path) -> None:
    path = written(text, tmp_path)
    assert symmetry(path).order == order
    whole = SearchOptions(all_errors=True)
    reduced, plain = (
        check(path, CheckOptions(("safety",), on, engine="explicit", search=whole)).results[0] for on in ("auto", "off")
    )
    assert reduced.verdict == plain.verdict
    assert (reduced.states < plain.states) is (order > 1)


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_a_trace_goes_through_the_beginning(engine: str, tmp_path: Path) -> None:
    """The beginning has no image under the symmetries that are used; it is told as it is written."""
    found = check(written(FAILING, tmp_path), CheckOptions(("safety",), engine=engine)).results[0]
    assert found.verdict == "fails"
    trace = found.outcome.trace
    assert trace is not None
    assert found.system.commands[trace.steps[0].firings[0].command].label == "start the processes"


def test_formulas(tmp_path: Path) -> None:
    text = HOLDING + "ltl never { [] (busy[0] < 2) }\nltl some { <> (busy[0] > 0) }\n"
    path = written(text, tmp_path)
    for name in ("never", "some"):
        assert len({check(path, CheckOptions((name,), on)).verdict for on in ("auto", "off")}) == 1


def test_what_is_represented_is_counted_of_what_keeps_the_beginning(tmp_path: Path) -> None:
    path = written(HOLDING, tmp_path)
    counted = check(path, CheckOptions(engine="explicit", search=SearchOptions(represented=True))).results[0]
    plain = check(path, CheckOptions(engine="explicit", symmetry="off")).results[0]
    assert counted.outcome.statistics.represented == plain.states


@pytest.mark.parametrize("text", [HOLDING, TWO_STAGES, CLOCK], ids=["holding", "two stages", "clock"])
def test_certificates(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate = written(text, tmp_path), tmp_path / "certificate.json"
    assert main(["check", str(model), "--engine", "explicit", "--certificate", str(certificate)]) == 0
    assert main(["verify-certificate", str(model), str(certificate)]) == 0
    assert "VALID" in capsys.readouterr().out


def test_a_guard_about_an_unknown_place_ends_no_beginning(tmp_path: Path) -> None:
    """Commands with very many instances keep their parameters; which place such a guard asks about is not known."""
    path = tmp_path / "places.m"
    path.write_text(
        "type id: 0 .. 2; var at: array [id] of 0 .. 2;\n"
        "startstate for i: id do at[i] := 0 end end;\n"
        "ruleset i: id do rule at[i] = 0 ==> at[i] := 1 end end;\n",
        encoding="utf-8",
    )
    system = load(path).system
    assert any(command.parameters for command in system.commands)
    assert after_the_beginning(system) is None


def test_what_only_the_beginning_names_stays(tmp_path: Path) -> None:
    """Channels that no step uses are not moved, so they do not make a beginning worth leaving aside."""
    text = """chan net = [1] of { pid }; chan box1 = [1] of { pid }; chan box2 = [1] of { pid };
chan box3 = [1] of { pid }; pid holder;
proctype user(chan mine) {
  pid who; do :: assert(holder != 2) :: atomic { net?who; holder = who; who = 0 } :: net!_pid od }
init { atomic { run user(box1); run user(box2); run user(box3) } }
"""
    system = load(written(text, tmp_path)).system
    chosen, found = reveal(system, system.properties)
    assert not found.late
    later = after_the_beginning(ground(chosen))
    assert later is not None
    boxes = {a for a, atom in enumerate(chosen.atoms) if atom.name.startswith("box")}
    assert len(boxes) == 3
    assert boxes.issubset(idle_atoms(Proof(later)))
    assert order(detect_by_diagram(later).group) == order(found.group) == 2
