"""A module that stands in for another is loaded when something of it is used; a short run loads little."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from quorbit.source.later import later

ROOT = Path(__file__).parents[3]
NOT_IN_A_SHORT_RUN = {
    "multiprocessing",
    "igraph",
    "rich",
    "html",
    "subprocess",
    "hashlib",
    "quorbit.engines.symbolic",
    "quorbit.engines.adaptive",
    "quorbit.machine.native.swap",
    "quorbit.machine.checkpoint",
    "quorbit.steps.circuits",
    "quorbit.steps.adapt",
    "quorbit.report.html",
    "quorbit.detection.why",
}


def test_it_is_loaded_when_something_of_it_is_used() -> None:
    name = "colorsys"
    sys.modules.pop(name, None)
    module = later(name)
    assert name not in sys.modules
    assert module.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert name in sys.modules
    with pytest.raises(AttributeError):
        _ = module.no_such_thing


@pytest.mark.parametrize("model", ["promela/floors.pml", "b/SeatBooking.mch", "mutex.edges"])
def test_a_short_run_does_without(model: str) -> None:
    path = ROOT / "examples" / model
    run = f"main(['check', {str(path)!r}, '--no-native'])"
    program = f"import sys; from quorbit.cli.main import main; {run}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not NOT_IN_A_SHORT_RUN & set(done.stdout.splitlines()[-1].split())
