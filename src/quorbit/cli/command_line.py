"""Run the command that a command line asks for."""

from __future__ import annotations

import gc
import sys
from io import StringIO, TextIOWrapper

from quorbit.cli.registry import COMMANDS, build_parser

MISTAKE = 2


def run(given: list[str]) -> int:
    """Run the command that these words ask for."""
    gc.set_threshold(1_000_000, 20, 50)  # most of what is made here lives to the end: look for garbage seldom
    prepare_streams()
    parser = build_parser(given[0] if given and given[0] in COMMANDS else None)
    try:
        options = parser.parse_args(given)
    except SystemExit as done:  # after --help and --version
        return int(done.code or 0)
    if options.command is None:
        parser.print_help()
        return MISTAKE
    code = COMMANDS[options.command].run(options)
    sys.stdout.flush()
    return code


def prepare_streams() -> None:
    """A stream that was closed is one that nobody reads; a terminal that lacks a letter is no reason to fail."""
    sys.stdout, sys.stderr = sys.stdout or StringIO(), sys.stderr or StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
