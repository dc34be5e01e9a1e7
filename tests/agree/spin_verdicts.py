"""Verdicts of real SPIN about ltl blocks, never claims, accept cycles and non-progress cycles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

LABELS = ("accept", "progress")


def is_installed() -> bool:
    return shutil.which("spin") is not None and shutil.which("gcc") is not None


def properties_of(path: Path) -> list[str]:
    """The properties a model can be asked about: its formulas, or its claim, or its labels."""
    text = path.read_text(encoding="utf-8")
    if formulas := re.findall(r"^ltl\s+(\w+)", text, re.MULTILINE):
        return formulas
    return ["never"] if re.search(r"^never", text, re.MULTILINE) else [*LABELS]


class Pan:
    """The verifiers of one model, compiled when they are needed."""

    def __init__(self, model: Path, folder: Path) -> None:
        self.model, self.folder = model, folder
        self.built: dict[str, Path] = {}

    def verifier(self, kind: str) -> Path:
        if kind not in self.built:
            subprocess.run(["spin", "-a", str(self.model)], cwd=self.folder, check=True, capture_output=True)
            extra = {"progress": ["-DNP"]}.get(kind, [])
            program = self.folder / f"pan_{kind}"
            command = ["gcc", "-w", "-O0", "-DNOREDUCE", "-DNFAIR=4", *extra, "-o", str(program), "pan.c"]
            subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
            self.built[kind] = program
        return self.built[kind]

    def holds(self, name: str, fair: bool) -> bool:
        """End states are left out; the models have no assertions."""
        kind = name if name in LABELS else "claim"
        command = [str(self.verifier(kind)), "-E", "-w16", "-m20000", "-l" if name == "progress" else "-a"]
        command += ["-f"] if fair else []
        command += ["-N", name] if kind == "claim" and name != "never" else []
        ran = subprocess.run(command, cwd=self.folder, check=False, capture_output=True, text=True, timeout=60)
        found = re.search(r"errors: (\d+)", ran.stdout)
        assert found, ran.stdout + ran.stderr
        assert found[1] != "0" or "max search depth too small" not in ran.stdout
        return found[1] == "0"
