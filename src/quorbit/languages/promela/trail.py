"""Traces in the format of SPIN's trails, so that ``spin -t -p`` replays them.

A trail has a line ``step:process:statement`` for every statement.  SPIN numbers the statements itself; what it calls
them is read from the transition table (pan.t) it writes for the verifier.  The states of that table have the numbers
our control-flow graphs have, since both link the elements of a body in the same way.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import defines_of
from quorbit.languages.promela.lower.places import PID
from quorbit.languages.promela.parse.preprocess import preprocess
from quorbit.languages.promela.parse.tokens import Token
from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.system.command import Performed
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Trace
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Span

SECTION = re.compile(r"/\* proctype \d+: (\S+) \*/")
ENTRY = re.compile(r"trans\[\s*\d+\]\[(\d+)\]\s*=\s*settr\((\d+),")
PATIENCE = 30  # seconds for spin
Ids = dict[str, int]  # "P:7": what SPIN calls the statement of state 7 of proctype P


def write_trail(path: Path, options: LoadOptions, system: System, trace: Trace) -> str:
    """The trail of a trace of the System that was lowered stepwise from this file.  Needs spin."""
    if not options.stepwise:
        raise UserError(None, "a trail needs a trace of single statements")
    ids = statement_ids(path, options)
    lines = trail_lines(Meaning(system), trace, ids)
    return "".join(f"{k}:{process}:{number}\n" for k, (process, number) in enumerate(lines, 1))


def trail_lines(meaning: Meaning, trace: Trace, ids: Ids) -> Iterator[tuple[int, int]]:
    s = trace.start
    for step in trace.steps:
        for firing in step.firings:
            for performed in meaning.system.commands[firing.command].performs:
                if performed.number:
                    yield process_of(meaning, s, firing, performed), ids[performed.number]
            s = meaning.fire(s, firing)[0]


def process_of(meaning: Meaning, s: State, firing: Firing, performed: Performed) -> int:
    """The number SPIN gives to the process that performs a statement."""
    actor = meaning.system.commands[firing.command].actors[performed.actor]
    process = meaning.value_of(actor)(s, meaning.environment(firing))
    number = s[meaning.system.index[PID, (process,), ()]]
    assert isinstance(number, int)
    return number


def statement_ids(path: Path, options: LoadOptions) -> Ids:
    """Ask spin for its numbers; the model is given to it after our own preprocessing, under a name of ours."""
    spin = which("spin")
    if spin is None:
        raise UserError(None, "spin is not installed; only it can tell the numbers of its statements")
    tokens = preprocess(read_source(path), defines_of(options))
    with TemporaryDirectory() as folder:
        (Path(folder) / "model.pml").write_text(written_out(tokens), encoding="utf-8")
        command = [spin, "-a", "-o3", "-Pcat", "model.pml"]  # -o3: no statement merging; -P: no preprocessor
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
            table = (Path(folder) / "pan.t").read_text(encoding="utf-8", errors="replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(None, f"spin does not tell its statement numbers: {error}") from None
    if done.returncode:
        raise UserError(None, f"spin refuses {path}: {done.stdout.strip()[:500]}")
    return read_table(table)


def written_out(tokens: list[Token]) -> str:
    """Tokens as a text; where a line began one begins, since a line's end may close a statement."""
    parts: list[str] = []
    last: Span | None = None
    for token in tokens:
        touches = last is not None and last.source is token.span.source and last.end == token.span.start
        parts.append(("\n" if token.first else "" if touches else " ") + token.text)
        last = token.span
    return "".join(parts) + "\n"


def read_table(table: str) -> Ids:
    found: Ids = {}
    proctype = ""
    for line in table.splitlines():
        if section := SECTION.search(line):
            proctype = section[1]
        elif entry := ENTRY.search(line):
            found.setdefault(f"{proctype}:{entry[1]}", int(entry[2]))
    return found
