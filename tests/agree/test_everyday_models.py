"""Models written as people write them: the symmetry a reader sees, the verdict and the counts of their first lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.cli.main import main

FOLDER = Path(__file__).parents[1] / "models" / "everyday"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.pml")), ids=lambda path: path.stem)
def test_everyday_model(path: Path) -> None:
    assert main(["test", str(path)]) == 0


def test_a_broadcast_that_blocks_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(FOLDER / "broadcast_blocks.pml")]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert "`box[j]!id; j++` may block" in first
    assert "S3" in first


def test_a_formula_may_ask_for_a_bit_that_no_command_sets() -> None:
    """As SPIN says: it holds, also where the number of nobody is shifted by."""
    assert main(["check", str(FOLDER / "mask_and_nobody.pml")]) == 0
