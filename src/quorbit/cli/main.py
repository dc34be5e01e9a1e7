"""The program ``quorbit``: read the command line, run the command, answer with an exit code and never a traceback.

``main`` runs a command in this process; ``program`` is the whole program and runs it in a child (supervise.py).  What
is needed for either is imported in ``main``, so that an import that fails is answered, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import NoReturn

from quorbit.cli.supervise import begin_answer, supervise
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted

HOLDS, FAILS, MISTAKE, UNKNOWN = range(4)


def program() -> NoReturn:
    """The whole process.  It ends at once: to take apart all that a run has made lasts as long as to read a model."""
    os._exit(supervise(run_and_flush, sys.argv[1:]))


def run_and_flush() -> int:
    write_whole_answers()
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody reads on
            stream.flush()
    return code


def write_whole_answers() -> None:
    """PYTHONUNBUFFERED: a write that a signal interrupts would lose its rest."""
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, RawIOBase):
        whole = BufferedWriter(sys.stdout.detach())
        sys.stdout = TextIOWrapper(whole, encoding="utf-8", errors="replace", write_through=True)


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    try:
        return answered(given)
    except BrokenPipeError:
        silence()
        return UNKNOWN


def answered(given: list[str]) -> int:
    """The exit code after an answer, whatever happens."""
    as_json = "--json" in given
    try:
        run = command_line()
    except (Exception, KeyboardInterrupt) as error:
        return told_unknown(error, as_json)
    try:
        return run(given)
    except UserError as error:
        return told_mistake(error, as_json)
    except RecursionError:
        return told_mistake(UserError(None, "the input is nested too deeply"), as_json)
    except Interrupted as reason:  # beside the part of a command that answers with what it knows
        return told_unknown(reason, as_json, str(reason))
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno not in (ENOSPC, EDQUOT):
            return told_unknown(error, as_json)
        print(f"error: the answer cannot be written: {error.strerror}", file=sys.stderr)
        return MISTAKE
    except (Exception, KeyboardInterrupt) as error:
        return told_unknown(error, as_json)


def command_line() -> Callable[[list[str]], int]:
    from quorbit.cli.command_line import run

    return run


def told_mistake(error: UserError, as_json: bool) -> int:
    from quorbit.cli.answer import print_error

    print_error(error, as_json)
    return MISTAKE


def told_unknown(error: BaseException, as_json: bool, reason: str = "") -> int:
    """The answer of a run that has none; a bug of ours leaves a report."""
    from quorbit.cli.unknown import explain, print_unknown

    begin_answer()
    print_unknown(reason or explain(error), as_json)
    sys.stdout.flush()
    return UNKNOWN


def silence() -> None:
    """Nobody reads on; say nothing more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
