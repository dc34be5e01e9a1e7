"""Certificates: written, checked, and refused when anything in them is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main
from quorbit.papers.mutex_families import peterson, simple_mutex
from quorbit.papers.promela_families import email, hypercube, load_balancer

MODELS = {
    "mutex": simple_mutex(4),
    "peterson": peterson(2),
    "cube": hypercube(2),
    "balancer": load_balancer((2,), 2),
}


def certificate_of(text: str, folder: Path, *options: str) -> tuple[str, str, dict[str, Any]]:
    model, certificate = folder / "model.pml", folder / "model.certificate"
    model.write_text(text)
    assert main(["check", str(model), "--certificate", str(certificate), *options]) == 0
    return str(model), str(certificate), json.loads(certificate.read_text())


@pytest.mark.parametrize("name", list(MODELS))
@pytest.mark.parametrize("count_like", ["own", "spin"])
def test_a_good_certificate(name: str, count_like: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate, found = certificate_of(MODELS[name], tmp_path, "--count-like", count_like)
    assert found["answers"][0]["generators"]
    capsys.readouterr()
    assert main(["verify-certificate", model, certificate]) == 0
    assert "orbits: every generator is a symmetry of the state graph" in capsys.readouterr().out


def test_a_step_from_value_to_value(tmp_path: Path) -> None:
    """`1 - turn` is the same exchange whichever of the two values is called 0."""
    text = (
        "bit turn; active proctype P() { do :: turn = 1 - turn od }\nactive proctype Q() { bit x; do :: x = turn od }"
    )
    model, certificate, found = certificate_of(text, tmp_path)
    assert found["answers"][0]["generators"]
    assert main(["verify-certificate", model, certificate]) == 0


MASK = """byte mask, c; proctype p(byte id) {
  do :: atomic { !(mask & (1 << id)) -> mask = mask | (1 << id) }
     :: atomic { mask & (1 << id) -> mask = mask & ~(1 << id) } od }
init { atomic { run p(0); run p(1); run p(2) } }
"""


def test_a_model_worded_in_another_way(tmp_path: Path) -> None:
    """Sets kept as bits are spread out, so that the processes can be exchanged."""
    model, certificate, found = certificate_of(MASK, tmp_path)
    assert found["answers"][0]["generators"]
    assert main(["verify-certificate", model, certificate]) == 0


PASSED = """byte x; active [2] proctype p() { assert(x < 5); x++; end: false }
ltl grows { [] (x < 3) }
"""


@pytest.mark.parametrize("more", [(), ("--property", "grows"), ("--all-errors",)])
def test_runs_that_go_past_assertions(more: tuple[str, ...], tmp_path: Path) -> None:
    model, certificate, found = certificate_of(PASSED, tmp_path, *more)
    assert found["answers"][0]["generators"]
    assert main(["verify-certificate", model, certificate]) == 0


def swap_commands(answer: dict[str, Any]) -> None:
    commands = answer["generators"][0]["witness"]["commands"]
    commands[-1], commands[-2] = commands[-2], commands[-1]


def forget_a_command(answer: dict[str, Any]) -> None:
    answer["generators"][0]["witness"]["commands"][-1] = 0


def another_order(answer: dict[str, Any]) -> None:
    answer["order"] = "25"


def not_exact(answer: dict[str, Any]) -> None:
    answer["plan"]["exact"] = False


def no_strategy(answer: dict[str, Any]) -> None:
    answer["plan"]["strategy"] = "none"


def other_names(answer: dict[str, Any]) -> None:
    answer["atoms"].reverse()


def no_generators(answer: dict[str, Any]) -> None:
    answer["generators"].clear()


def no_permutation(answer: dict[str, Any]) -> None:
    answer["generators"][0]["images"][0] = answer["generators"][0]["images"][1]


def other_kinds(answer: dict[str, Any]) -> None:
    images = answer["generators"][0]["images"]
    init, user = answer["atoms"].index("init"), answer["atoms"].index("user[1]")
    images[init], images[user] = images[user], images[init]


def missing_plan(answer: dict[str, Any]) -> None:
    del answer["plan"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (swap_commands, "is not mapped to"),
        (forget_a_command, "not a bijection"),
        (another_order, "not 25"),
        (not_exact, "exact here"),
        (no_strategy, "no strategy"),
        (other_names, "the names of the atoms differ"),
        (no_generators, "of order 1"),
        (no_permutation, "not a permutation"),
        (other_kinds, "another kind"),
        (missing_plan, "not a certificate"),
    ],
)
def test_a_spoiled_certificate(spoil: Any, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate, found = certificate_of(MODELS["mutex"], tmp_path)
    spoil(found["answers"][0])
    Path(certificate).write_text(json.dumps(found))
    capsys.readouterr()
    assert main(["verify-certificate", model, certificate]) == 1
    assert message in capsys.readouterr().out


def test_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate, _ = certificate_of(simple_mutex(3), tmp_path)
    Path(model).write_text(simple_mutex(3).replace("at[3] != critical", "at[2] != critical", 1))
    capsys.readouterr()
    assert main(["verify-certificate", model, certificate]) == 1
    assert "another model" in capsys.readouterr().out


def test_many_states_are_not_gone_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate, _ = certificate_of(email(2), tmp_path)
    capsys.readouterr()
    assert main(["verify-certificate", model, certificate, "--max-states", "50"]) == 0
    assert "more than 50 states" in capsys.readouterr().out


def test_a_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = simple_mutex(3) + "ltl first { [] (at[1] != critical || at[2] != critical) }\n"
    model, certificate, found = certificate_of(text, tmp_path, "--property", "first")
    assert found["answers"][0]["order"] == "2"
    assert main(["verify-certificate", model, certificate]) == 0


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '{"format": "quorbit certificate 1"}'])
def test_no_certificate(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate = tmp_path / "model.pml", tmp_path / "bad.certificate"
    model.write_text(simple_mutex(2))
    certificate.write_text(text)
    assert main(["verify-certificate", str(model), str(certificate)]) == 2
    assert "certificate" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ping_pong.v", "encoded.v"], ids=["by what functions compute", "indices decoded"])
def test_certificates_of_circuits(name: str, tmp_path: Path) -> None:
    model, certificate = str(Path(__file__).parents[3] / "examples" / "circuits" / name), str(tmp_path / "kept")
    assert main(["check", model, "--certificate", certificate]) == 0
    assert json.loads(Path(certificate).read_text())["answers"][0]["generators"]
    assert main(["verify-certificate", model, certificate, "--max-states", "10"]) == 0
