"""A short run loads little: an engine, a language, a file that is written are imported when they are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_IN_A_SHORT_RUN = {
    "multiprocessing",
    "dataclasses",
    "inspect",
    "igraph",
    "rich",
    "html",
    "subprocess",
    "hashlib",
    "shutil",
    "difflib",
    "textwrap",
    "tempfile",
    "zipfile",
    "quorbit.detection.indices",
    "quorbit.detection.netlists.graph",
    "quorbit.netlists.netlist",
    "quorbit.languages.b.eventb.load",
    "quorbit.languages.b.refine.load",
    "quorbit.engines.symbolic.explore",
    "quorbit.engines.adaptive.explore",
    "quorbit.machine.native.swap",
    "quorbit.machine.checkpoint",
    "quorbit.machine.resume",
    "quorbit.pipeline.generators",
    "quorbit.pipeline.partitions",
    "quorbit.cli.check_files",
    "quorbit.report.notebook",
    "quorbit.report.page.write",
    "quorbit.explorer.serve",
    "starlette",
    "uvicorn",
    "quorbit.detection.reasons.why",
}


@pytest.mark.parametrize("model", ["promela/floors.pml", "b/SeatBooking.mch", "mutex.edges"])
def test_a_short_run_does_without(model: str) -> None:
    path = ROOT / "examples" / model
    run = f"main(['check', {str(path)!r}, '--no-native', '--property', 'safety'])"
    program = f"import sys; from quorbit.cli.main import main; {run}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not NOT_IN_A_SHORT_RUN & set(done.stdout.splitlines()[-1].split())
