"""Verilog through Yosys: run it in a process of its own, take its JSON netlist with word-level cells.

Yosys is the ``yosys`` on the path or the pyosys wheel (extra ``verilog``).  Its own reader of Verilog is asked first;
slang reads more of SystemVerilog, where one of the two has it (command or module ``slang``).  An error inside Yosys
ends its process, so it never runs in ours.  The netlist is taken before technology mapping: two-input gates would hide
the symmetries.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from quorbit.languages.circuits.assertions.rewrite import rewrite_assertions
from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.languages.circuits.yosys.cells import ManyClocks, read_json
from quorbit.languages.circuits.yosys.for_slang import labels_of_checks, said_for_slang
from quorbit.languages.circuits.yosys.labels import declared_labels
from quorbit.languages.circuits.yosys.written import Written, write_tokens
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span

__all__ = ["find_slang", "find_yosys", "read_through_yosys"]

# No opt_clean: properties name any wire.  With -formal a word that nothing writes is unknown, but stays what it is.
SCRIPT = "proc; flatten; memory_collect; {moments}memory_map -formal"
MOMENTS = "clk2fflogic; "  # clocks become inputs, registers and memories compare them with what they were a step ago
MANY_CLOCKS = (
    "the registers do not tick together, so a step is a moment in which any input may change, clocks too; "
    "an assumption can say how the clocks run"
)
PYOSYS = "import sys; from pyosys import libyosys as ys; d = ys.Design(); [ys.run_pass(p, d) for p in sys.argv[1:]]"
TIMEOUT = 300
WORD = re.compile(r"[A-Za-z_]\w*")
VALUE = re.compile(r"""-?\d+|\d*'[sS]?[bBoOdDhH][0-9a-fA-F_]+|"[\w .,:/+-]*\"""")  # of a parameter
COMPLAINT = re.compile(r"(?:([^\s:]+):(\d+)(?:\.(\d+)-\d+\.\d+)?: )?ERROR: (.*)")
IMPLICIT = re.compile(r"(?:[^\s:]+:(\d+): )?Warning: Identifier `\\(\S+)' is implicitly declared")
PLACE = re.compile(r"\S*design\.v:(\d+)(?:\.(\d+)-\d+\.\d+)?:? ?")


@cache
def find_yosys() -> tuple[str, ...] | None:
    """How to start Yosys with passes as arguments; None if it is not installed."""
    return next(iter(installed()), None)


def installed() -> list[tuple[str, ...]]:
    path = shutil.which("yosys")
    found: list[tuple[str, ...]] = [(path,)] if path else []
    return [*found, (sys.executable, "-c", PYOSYS)] if find_spec("pyosys") is not None else found


@cache
def find_slang() -> tuple[str, ...] | None:
    """How to start a Yosys that has slang."""
    for command in installed():
        plugin = [] if PYOSYS in command else [(*command, "-m", "slang")]
        for each in (command, *plugin):
            asked = subprocess.run(started(each, ["help read_slang"]), capture_output=True, text=True, check=False)
            if not asked.returncode and "read_slang" in asked.stdout and "No such command" not in asked.stdout:
                return each
    return None


def started(command: tuple[str, ...], passes: list[str]) -> list[str]:
    return [*command, *passes] if PYOSYS in command else [*command, "-p", "; ".join(passes)]


def read_through_yosys(tokens: list[Token], path: Path, options: LoadOptions, by_slang: bool = False) -> Netlist:
    """A design that was preprocessed; ``path`` is the first of its files."""
    if all(token.kind == "end" for token in tokens):
        raise UserError(tokens[-1].span, "there is no module in this file")
    command = find_slang() if by_slang else find_yosys()
    if command is None:
        raise UserError(None, f"{path}: this Verilog needs Yosys: pip install 'quorbit[verilog]'")
    refuse_unknown(tokens, options)
    written = written_for(tokens, options, by_slang)
    labels, checks = declared_labels(tokens), labels_of_checks(tokens)
    try:
        return read_json(*netlist_of(command, written, path, options, "", by_slang), written, labels, checks)
    except ManyClocks:
        written = written_for(tokens, options, by_slang, clocked=True)
        netlist = read_json(*netlist_of(command, written, path, options, MOMENTS, by_slang), written, labels, checks)
        return replace(netlist, notes=(*netlist.notes, MANY_CLOCKS))


def refuse_unknown(tokens: list[Token], options: LoadOptions) -> None:
    """A parameter that nobody declares: slang would pass over it."""
    given = {name.text for name, sign in pairwise(tokens) if sign.text == "="}
    for name, value in options.parameters:
        if name not in given:
            raise UserError(None, f"-P {name}={value}: no module has a parameter {name}")


def written_for(tokens: list[Token], options: LoadOptions, by_slang: bool, clocked: bool = False) -> Written:
    plain = rewrite_assertions(tokens, bool(options.parameters), clocked)
    return write_tokens(said_for_slang(plain) if by_slang else plain)


def netlist_of(
    command: tuple[str, ...], written: Written, path: Path, options: LoadOptions, moments: str, by_slang: bool
) -> tuple[dict[str, Any], dict[str, Span | None]]:
    """What Yosys makes of a text, and the nets that it declared by itself."""
    with tempfile.TemporaryDirectory() as folder:
        # The text is copied under a name of ours, so that no path can be taken for a command.
        (Path(folder) / "design.v").write_text(written.text, encoding="utf-8")
        check_words(options)  # before they stand in a command
        read = f"read_verilog -sv -formal {folder}/design.v"
        if options.parameters and not options.top and not by_slang:  # -auto-top would leave the parameters as they are
            run(command, [read, "hierarchy -auto-top", f"select -write {folder}/top A:top"], written, path)
            options = replace(options, top=(Path(folder) / "top").read_text(encoding="utf-8").split("/")[0].strip())
        opened = [read, *hierarchy(options)]
        if by_slang:
            opened = [f"read_slang {' '.join(slang_options(options))} {folder}/design.v"]
        passes = [*opened, *SCRIPT.format(moments=moments).split("; "), f"write_json {folder}/design.json"]
        implicit = run(command, passes, written, path)
        text = (Path(folder) / "design.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text.replace(f"{folder}/design.v", shown_name(path)))
    return data, implicit


def check_words(options: LoadOptions) -> None:
    for name in (options.top or "top", *(name for name, _ in options.parameters)):
        if not WORD.fullmatch(name):
            raise UserError(None, f"{name} is not the name of a module or parameter")
    for name, value in options.parameters:
        if not VALUE.fullmatch(value):
            raise UserError(None, f"-P {name}={value}: the value of a parameter is a number, or words in double quotes")


def hierarchy(options: LoadOptions) -> list[str]:
    """The passes that choose the top module and its parameters.  Requires: it has a name if it has parameters."""
    if not options.top:
        return ["hierarchy -auto-top"]
    values = " ".join(f"-set {name} {value}" for name, value in options.parameters)
    return [*([f"chparam {values} {options.top}"] if values else []), f"hierarchy -top {options.top}"]


def slang_options(options: LoadOptions) -> list[str]:
    top = ["--top", options.top] if options.top else []
    return [*top, *(f"-G {name}={value}" for name, value in options.parameters)]


def shown_name(path: Path) -> str:
    """What Yosys's names say instead of the file that was made for it."""
    return re.sub(r"[^\w.-]", "_", path.name)


def run(command: tuple[str, ...], passes: list[str], written: Written, path: Path) -> dict[str, Span | None]:
    """Run Yosys; which names it took for nets that are declared implicitly, and where."""
    arguments = started(command if PYOSYS in command else (*command, "-q"), passes)
    directory = path.resolve().parent
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, cwd=directory, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(None, f"{path}: Yosys did not finish within {TIMEOUT} s") from None
    output = done.stdout + done.stderr
    if done.returncode:
        raise complaint(written, path, output)
    implicit = {m.group(2): written.span(int(m.group(1)), 1) if m.group(1) else None for m in IMPLICIT.finditer(output)}
    for name, span in implicit.items():
        if "." in name:  # it would become a net of its own that nobody drives
            raise UserError(span, f"Yosys takes {name} for a new net, not for one inside an instance")
    return implicit


def complaint(written: Written, path: Path, output: str) -> UserError:
    """What Yosys found wrong, with the place in the user's file if it names one."""
    match = COMPLAINT.search(output)
    if match is None:
        return UserError(None, f"{path}: Yosys failed: {output.strip()[-200:]}")
    text = match.group(4)
    if match.group(2):
        return UserError(written.span(int(match.group(2)), int(match.group(3) or 1)), f"Yosys: {text}")
    named = PLACE.search(text)
    span = written.span(int(named.group(1)), int(named.group(2) or 1)) if named else None
    return UserError(span, f"Yosys: {PLACE.sub('', text)}")
