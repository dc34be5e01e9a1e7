"""``quorbit completion``: a script that completes commands, options and files in the user's shell."""

from __future__ import annotations

from argparse import Namespace

from quorbit.cli.registry import build_parser
from quorbit.source.errors import UserError

__all__ = ["run"]

FILES = {"MODEL", "CIRCUIT", "FILE", "TRACE"}
FOLDERS = {"DIR", "FOLDER"}


def run(options: Namespace) -> int:
    try:
        from shtab import DIRECTORY, FILE, complete
    except ImportError as error:
        raise UserError(None, "completion needs shtab: pip install 'quorbit[completion]'") from error
    program = build_parser()
    for command in program.commands.values():
        for action in command.actions():
            kind = FILE if action.metavar in FILES else DIRECTORY if action.metavar in FOLDERS else None
            if kind is not None:
                vars(action)["complete"] = kind  # where shtab looks
    print(complete(program, options.shell))
    return 0
