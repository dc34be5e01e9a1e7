"""Rumur as an oracle: the verdict about a model and its number of states, without symmetry."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path


def is_installed() -> bool:
    return shutil.which("rumur") is not None and shutil.which("gcc") is not None


def verdict_of(model: Path) -> tuple[str, int]:
    """holds or fails, and how many states there are."""
    code, program = model.with_suffix(".c"), model.with_suffix(".x")
    # numbers of 32 bits: of its own accord Rumur takes a type in which a difference may not be negative
    options = ["--symmetry-reduction", "off", "--value-type", "int32_t"]
    subprocess.run(["rumur", *options, "--output", str(code), str(model)], check=True, capture_output=True)
    compiler = ["gcc", "-mcx16", "-O0", "-w", "-o", str(program), str(code), "-lpthread"]
    subprocess.run(compiler, check=True, capture_output=True)
    ran = subprocess.run([str(program)], check=False, capture_output=True, text=True, timeout=600)
    states = re.search(r"(\d+) states, \d+ rules fired in", ran.stdout)  # not those on the way
    assert states, ran.stdout + ran.stderr
    return "fails" if "error(s) found" in ran.stdout else "holds", int(states.group(1))
