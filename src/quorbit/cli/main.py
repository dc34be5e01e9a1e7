"""The program ``quorbit``: read the command line, run the command, answer with an exit code and never a traceback.

Each command lives in a module of its own that is imported when it runs, so that ``--help`` is quick.
"""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn

from quorbit.cli.answer import print_error, print_unknown
from quorbit.cli.arguments import ADDERS, build_parser
from quorbit.source.errors import UserError

HOLDS, FAILS, MISTAKE, UNKNOWN = range(4)


def program() -> NoReturn:
    """The whole process.  It ends at once: to take apart all that a run has made lasts as long as to read a model."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads on
            stream.flush()
    os._exit(code)


def main(arguments: list[str] | None = None) -> int:
    gc.set_threshold(1_000_000, 20, 50)  # most of what is made here lives to the end: look for garbage seldom
    given = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in given
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to fail
    try:
        return run(given)
    except UserError as error:
        print_error(error, as_json)
        return MISTAKE
    except RecursionError:
        print_error(UserError(None, "the input is nested too deeply"), as_json)
        return MISTAKE
    except KeyboardInterrupt:  # before or after the part that answers with what it knows
        print_unknown("interrupted", as_json)
        return UNKNOWN
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on; say nothing more
        return UNKNOWN
    except OSError as error:
        if error.errno not in (ENOSPC, EDQUOT):
            raise
        print(f"error: the answer cannot be written: {error.strerror}", file=sys.stderr)
        return MISTAKE


def run(given: list[str]) -> int:
    parser = build_parser(given[0] if given and given[0] in ADDERS else None)
    try:
        options = parser.parse_args(given)
    except SystemExit as done:  # after --help and --version
        return int(done.code or 0)
    if options.command is None:
        parser.print_help()
        return MISTAKE
    code = command_of(options)(options)
    sys.stdout.flush()
    return code


def command_of(options: Namespace) -> Callable[[Namespace], int]:
    run_command: Callable[[Namespace], int] = import_module(
        f"quorbit.cli.commands.{module_name(options.command)}_command"
    ).run
    return run_command


def module_name(command: str) -> str:
    """The module of a command of several words is called after the last."""
    return command.rpartition("-")[2]
