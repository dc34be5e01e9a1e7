"""A check goes one way through the layers: no step enters a layer again after another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MODELS = ("promela/service.pml", "promela/load_balancer.pml", "b/PhoneBook.mch", "mutex.edges", "murphi/mesi.m")


@pytest.mark.parametrize("model", [*MODELS, "circuits/queue.v"])
def test_no_step_goes_back_and_forth(model: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / "layers.py"), "check", str(ROOT / "examples" / model)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "\ntell  " in done.stdout
    assert "back and forth" not in done.stdout
