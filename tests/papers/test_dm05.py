"""[DM05]: Table 1, the email model of Figure 1, and the lines that break a permutation (section 3.2)."""

from pathlib import Path

import pytest

from quorbit.cli.commands.bench_command import TABLE_1_MODELS, find_group
from quorbit.cli.main import main
from quorbit.papers.dm05 import TABLE_1, table_1
from quorbit.papers.promela_families import email_blocked, interleaved, resource_allocator
from quorbit.pipeline.load import load
from quorbit.pipeline.run import symmetry

EXAMPLE = Path(__file__).parents[2] / "examples" / "promela" / "email_blocked.pml"


@pytest.mark.parametrize("row", [p for p in TABLE_1 if p.model != "resource allocator"], ids=lambda p: p.model)
def test_table_1(row, tmp_path: Path) -> None:
    found = find_group(row, tmp_path)
    assert found.order == found.diagram_order == row.order
    assert found.complete
    assert str(row.order) in "\n".join(table_1([(row, found)]))


def test_table_1_resource_allocator(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(TABLE_1_MODELS["resource allocator"]())
    assert symmetry(load(path)).order == 576


def test_interleaved_priorities(tmp_path: Path) -> None:
    """Where no two neighbours may be exchanged the paper's search takes long; the syntax graph does not."""
    path = tmp_path / "model.pml"
    path.write_text(resource_allocator(interleaved((4, 4))))
    assert symmetry(load(path)).order == 576


def test_the_example_is_the_family() -> None:
    assert EXAMPLE.read_text().endswith(email_blocked(5, 3))


def test_the_group_of_the_email_model() -> None:
    assert symmetry(load(EXAMPLE)).order == 24


def test_the_lines_that_break_a_permutation(capsys: pytest.CaptureFixture[str]) -> None:
    """[DM05, 3.2]: the blocked client, labelled (1), and the property, labelled (5); nothing else."""
    assert main(["why", str(EXAMPLE), "(2 3)"]) == 1
    shown = capsys.readouterr().out
    assert "pid muted = 3;" in shown
    assert "[] (read_from != 3)" in shown
    assert shown.count("tells them apart") == 2
    assert "has no counterpart" not in shown


def test_a_permutation_of_the_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(EXAMPLE), "(2 4)"]) == 0
    assert "is a symmetry" in capsys.readouterr().out
