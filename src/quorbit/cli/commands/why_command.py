"""``quorbit why``: the lines of a model that break a permutation, or every exchange of two processes that fails."""

from __future__ import annotations

from argparse import Namespace

from quorbit.cli.answer import print_json, print_text
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import load_options
from quorbit.cli.progress import progress_line
from quorbit.pipeline.explanations import why
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]


def run(options: Namespace) -> int:
    with stoppable(options.timeout) as stopper, progress_line(stopper, "comparing"):
        try:
            return answer(options)
        except Interrupted as reason:
            message = str(reason)
    if options.json:
        print_json({"verdict": "unknown", "message": message})
    else:
        print(f"UNKNOWN: {message}")
    return 3


def answer(options: Namespace) -> int:
    asked = CheckOptions(properties=tuple(options.properties))
    found = why(load(options.model, load_options(options)), options.permutation, asked)
    if options.json:
        print_json(found.to_json())
    else:
        print_text(str(found))
    return 0 if found.is_symmetry else 1
