"""The program ``quorbit``: read the command line, run the command, answer with an exit code and never a traceback.

``main`` runs a command in this process; ``program`` is the whole program and runs it in a child (supervise.py).  What
commands need is imported when one runs, so that an import that fails is answered, too.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import NoReturn

from quorbit.cli.supervise import begin_answer, supervise
from quorbit.cli.unknown import explain, print_unknown

__all__ = ["program"]

HOLDS, FAILS, MISTAKE, UNKNOWN = range(4)


def program() -> NoReturn:
    """The whole process.  It ends at once: to take apart all that a run has made lasts as long as to read a model."""
    try:
        gc.set_threshold(1_000_000, 20, 50)  # most of what is made here lives to the end: look for garbage seldom
        os._exit(supervise(run_and_flush, sys.argv[1:]))
    except BaseException as error:  # nothing works, not even to say so as usual
        os.write(1, f"UNKNOWN: {type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(UNKNOWN)


def run_and_flush() -> int:
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, RawIOBase):
        # PYTHONUNBUFFERED: a write that a signal interrupts would lose its rest
        sys.stdout = TextIOWrapper(BufferedWriter(sys.stdout.detach()), encoding="utf-8", write_through=True)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody reads on
            stream.flush()
    return code


def main(arguments: list[str] | None = None) -> int:
    """Run a command in this process: the exit code, after an answer, whatever happens."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        return answered(given)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on; say nothing more
        return UNKNOWN
    except (Exception, KeyboardInterrupt) as error:
        begin_answer()
        print_unknown(explain(error), "--json" in given)
        sys.stdout.flush()
        return UNKNOWN


def answered(given: list[str]) -> int:
    """The exit code of a command that ends as commands should, or because of the user."""
    from quorbit.cli.answer import print_error
    from quorbit.cli.command_line import run
    from quorbit.source.errors import UserError

    try:
        return run(given)
    except UserError as error:
        print_error(error, "--json" in given)
    except RecursionError:
        print_error(UserError(None, "the input is nested too deeply"), "--json" in given)
    except OSError as error:
        if error.errno not in (ENOSPC, EDQUOT):
            raise
        print(f"error: the answer cannot be written: {error.strerror}", file=sys.stderr)
    return MISTAKE
