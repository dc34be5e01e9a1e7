"""``quorbit lsp``: the language server, on standard input and output."""

from __future__ import annotations

from argparse import Namespace
from importlib.util import find_spec

from quorbit.source.errors import UserError

__all__ = ["run"]


def run(options: Namespace) -> int:
    if find_spec("pygls") is None:
        raise UserError(None, "the language server needs pygls: pip install 'quorbit[editor]'")
    start()
    return 0


def start() -> None:
    from quorbit.editor.server import serve

    serve()
