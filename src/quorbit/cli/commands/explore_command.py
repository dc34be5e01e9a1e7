"""``quorbit explore``: step through a model in the browser."""

from __future__ import annotations

import sys
import webbrowser
from argparse import Namespace
from collections.abc import Callable
from importlib.util import find_spec

from quorbit.cli.answer import print_json
from quorbit.cli.options import load_options
from quorbit.cli.options import simulate_options as stepwise_options
from quorbit.pipeline.load import Model, load
from quorbit.source.errors import UserError

__all__ = ["run"]

NEEDED = ("starlette", "uvicorn")
NO_BROWSER = "no browser was found; --no-browser prints the address, so that you can open it yourself"


def run(options: Namespace) -> int:
    if any(find_spec(name) is None for name in NEEDED):
        raise UserError(None, "quorbit explore needs two more packages: pip install 'quorbit[explore]'")
    model = read(options)
    if options.browser:
        refuse_without_browser()

    def opened(address: str) -> None:
        if options.json:
            print_json({"address": address})
        else:
            print(f"exploring {options.model} at {address}  (Ctrl-C ends)")
        sys.stdout.flush()
        if options.browser and not webbrowser.open(address):
            raise UserError(None, NO_BROWSER)

    open_explorer(model, options, opened)
    return 0


def open_explorer(model: Model, options: Namespace, opened: Callable[[str], None]) -> None:
    """Requires: the packages that it needs are there."""
    from quorbit.explorer.serve import serve

    serve(model, options.port, options.seed, opened)


def read(options: Namespace) -> Model:
    """The model; a mistake in it is told in one line, for nobody looks at this terminal for long."""
    try:
        return load(options.model, stepwise_options(options) if options.stepwise else load_options(options))
    except UserError as error:
        first = error.diagnostics[0].render().splitlines()[0].removeprefix("error: ")
        raise UserError(None, first) from None


def refuse_without_browser() -> None:
    try:
        webbrowser.get()
    except webbrowser.Error:
        raise UserError(None, NO_BROWSER) from None
