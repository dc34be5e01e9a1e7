"""Verilog through Yosys: run it in a process of its own, take its JSON netlist with word-level cells.

Yosys is the ``yosys`` on the path or the pyosys wheel (extra ``verilog``).  An error inside Yosys ends its process, so
it never runs in ours.  The netlist is taken before technology mapping: two-input gates would hide the symmetries.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from quorbit.languages.circuits.verilog.concurrent_assertions import rewrite_assertions
from quorbit.languages.circuits.yosys.cells import ManyClocks, read_json
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span

__all__ = ["find_yosys", "read_through_yosys"]

SCRIPT = "hierarchy -auto-top; proc; flatten; memory_collect; memory_map"  # no opt_clean: properties name any wire
MOMENTS = "clk2fflogic"  # clocks become inputs, registers compare them with what they were a step ago
MANY_CLOCKS = (
    "the registers do not tick together, so a step is a moment in which any input may change, clocks too; "
    "an assumption can say how the clocks run"
)
PYOSYS = "import sys; from pyosys import libyosys as ys; d = ys.Design(); [ys.run_pass(p, d) for p in sys.argv[1:]]"
TIMEOUT = 300
WORD = re.compile(r"[A-Za-z_]\w*$")
MEANING = re.compile(r"[\w']*$")
COMPLAINT = re.compile(r"(?:[^\s:]+:(\d+)(?:\.\d+-\d+\.\d+)?: )?ERROR: (.*)")


@cache
def find_yosys() -> tuple[str, ...] | None:
    """How to start Yosys with passes as arguments; None if it is not installed."""
    if path := shutil.which("yosys"):
        return (path,)
    if find_spec("pyosys") is not None:
        return (sys.executable, "-c", PYOSYS)
    return None


def read_through_yosys(path: Path, defines: tuple[tuple[str, str], ...]) -> Netlist:
    source = read_source(path)
    command = find_yosys()
    if command is None:
        raise UserError(None, f"{path}: this Verilog needs Yosys: pip install 'quorbit[verilog]'")
    directory = path.resolve().parent
    try:
        return read_json(netlist_of(command, source, directory, defines, ""), source)
    except ManyClocks:
        netlist = read_json(netlist_of(command, source, directory, defines, MOMENTS), source)
        return replace(netlist, notes=(*netlist.notes, MANY_CLOCKS))


def netlist_of(
    command: tuple[str, ...], source: Source, directory: Path, defines: tuple[tuple[str, str], ...], more: str
) -> dict[str, Any]:
    """What Yosys makes of a text, with further passes at the end."""
    with tempfile.TemporaryDirectory() as folder:
        # The text is copied under a name of ours, so that no path can be taken for a command.
        (Path(folder) / "design.v").write_text(rewrite_assertions(source), encoding="utf-8")
        passes = [f"read_verilog -sv -formal {options(defines)} {folder}/design.v", *SCRIPT.split("; ")]
        passes += [more] if more else []
        passes.append(f"write_json {folder}/design.json")
        run(command, passes, source, directory)
        text = (Path(folder) / "design.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text.replace(f"{folder}/design.v", shown_name(source)))
    return data


def shown_name(source: Source) -> str:
    """What Yosys's names say instead of the file that was made for it."""
    return re.sub(r"[^\w.-]", "_", Path(source.name).name)


def options(defines: tuple[tuple[str, str], ...]) -> str:
    for name, value in defines:
        if not WORD.match(name) or not MEANING.match(value):
            raise UserError(None, f"-D {name}={value}: a macro for Yosys is a name and a number")
    return " ".join(f"-D{name}={value}" if value else f"-D{name}" for name, value in defines)


def run(command: tuple[str, ...], passes: list[str], source: Source, directory: Path) -> None:
    arguments = [*command, "-q", "-p", "; ".join(passes)] if len(command) == 1 else [*command, *passes]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, cwd=directory, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(None, f"{source.name}: Yosys did not finish within {TIMEOUT} s") from None
    if done.returncode:
        raise complaint(source, done.stdout + done.stderr)


def complaint(source: Source, output: str) -> UserError:
    """What Yosys found wrong, with the line if it names one."""
    match = COMPLAINT.search(output)
    if match is None:
        return UserError(None, f"{source.name}: Yosys failed: {output.strip()[-200:]}")
    span = line_span(source, int(match.group(1))) if match.group(1) else None
    return UserError(span, f"Yosys: {match.group(2)}")


def line_span(source: Source, line: int) -> Span | None:
    if not 1 <= line <= len(source.line_starts):
        return None
    start = source.line_starts[line - 1]
    return Span(source, start, start + max(1, len(source.line_text(line))))
