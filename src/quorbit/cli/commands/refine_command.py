"""``quorbit refine``: whether a machine refines another one."""

from __future__ import annotations

from argparse import Namespace

from quorbit.cli.commands.check_command import EXIT, answer, give_up
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import check_options, load_options
from quorbit.cli.progress import progress_line
from quorbit.pipeline.refine import refine
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]


def run(options: Namespace) -> int:
    loading = replace(load_options(options), deadlock_free=options.deadlock_free)
    with stoppable(options.timeout) as stopper, progress_line(stopper) as line:
        try:
            results = refine(options.abstract, options.model, loading, check_options(options), line)
        except Interrupted as reason:
            return give_up(options, str(reason), line.last)
        except MemoryError:
            return give_up(options, "out of memory", line.last)
    answer(options, results, None, stopper)
    return EXIT[results.verdict]
