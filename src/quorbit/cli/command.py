"""What a command of the program is: a record with its name, its options and what it does.

``cli/registry.py`` lists them.  Their functions import the command in their first line, so that ``--help`` is quick.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from quorbit.cli.arguments.parser import Commands
from quorbit.source.frozen import frozen


@frozen
class Command:
    """``add`` puts its options into the parser; ``run`` answers with the exit code."""

    name: str
    add: Callable[[Commands], None]
    run: Callable[[Namespace], int]
