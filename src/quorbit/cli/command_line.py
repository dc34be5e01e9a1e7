"""Run the command that a command line asks for."""

from __future__ import annotations

import sys
from argparse import Namespace
from io import StringIO, TextIOWrapper
from pathlib import Path

from quorbit.cli.arguments.parser import about_unknown
from quorbit.cli.registry import COMMANDS, build_parser
from quorbit.source.errors import UserError

MISTAKE = 2


def run(given: list[str]) -> int:
    """Run the command that these words ask for."""
    prepare_streams()
    try:
        options = read_words(given)
    except SystemExit as done:  # after --help and --version
        return int(done.code or 0)
    if options.command is None:
        build_parser().print_help()
        return MISTAKE
    code = COMMANDS[options.command].run(options)
    if not sys.stdout.closed:  # a server closes the stream on which it answered
        sys.stdout.flush()
    return code


def read_words(given: list[str]) -> Namespace:
    """The options that these words name."""
    if given and given[0] not in COMMANDS and not given[0].startswith("-") and Path(given[0]).exists():
        raise UserError(None, f"say what to do with {given[0]}: quorbit check {given[0]}, or another command")
    wants_help = len(given) > 2 and not {"--help", "-h"}.isdisjoint(given)  # about a model, perhaps
    command = given[0] if given and given[0] in COMMANDS else None
    options, unknown = build_parser(command, language_named(given) if wants_help else None).parse_known_args(given)
    if unknown:
        raise UserError(None, about_unknown(unknown[0], options.command, build_parser()))
    return options


def language_named(given: list[str]) -> str | None:
    """The language of the model among these words."""
    from quorbit.languages.registry import is_model, language_of

    models = [Path(word) for word in given if is_model(Path(word))]
    return language_of(models[0]).name if models else None


def prepare_streams() -> None:
    """A stream that was closed is one that nobody reads; a terminal that lacks a letter is no reason to fail."""
    sys.stdout, sys.stderr = sys.stdout or StringIO(), sys.stderr or StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
