"""``quorbit compile``: fill the cache of native code with what a check of a model will run."""

from __future__ import annotations

import time
from argparse import Namespace

from quorbit.cli.answer import print_json
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import load_options_of_check, warn_of_unused
from quorbit.machine.native.build import KeptLibrary, cache_directory, find_compiler, kept_libraries
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

__all__ = ["run"]

FEWEST_STATES = 1  # the search itself is not wanted


def run(options: Namespace) -> int:
    if find_compiler() is None:
        raise UserError(None, "there is no C compiler: install gcc or clang, or pip install 'quorbit[native]'")
    if (directory := cache_directory()) is None:
        raise UserError(None, "native code cannot be kept: there is no folder that only this user can write")
    warn_of_unused(options.model, tuple(name for name, _ in options.defines))
    before, began = {each.path: each.used for each in kept_libraries(directory)}, time.monotonic()
    with stoppable(options.timeout):
        check(load(options.model, load_options_of_check(options)), question_of(options))
    used = [each for each in kept_libraries(directory) if each.used != before.get(each.path)]
    return answer(options, used, [each for each in used if each.path not in before], time.monotonic() - began)


def question_of(options: Namespace) -> CheckOptions:
    """A check that has the code compiled and then looks at next to nothing."""
    search = SearchOptions(
        max_states=FEWEST_STATES,
        timeout=options.timeout,
        fairness=options.fairness,
        compile_first=True,
        por="off" if options.count_like != "own" else options.por,
    )
    return CheckOptions(tuple(options.properties), options.symmetry, engine=options.engine, search=search)


def answer(options: Namespace, used: list[KeptLibrary], new: list[KeptLibrary], seconds: float) -> int:
    size = sum(each.size for each in used)
    if options.json:
        print_json({"libraries": [each.path.stem for each in used], "new": len(new), "bytes": size, "seconds": seconds})
    elif not used:
        print(f"{options.model}: no native code: no engine that uses it answers these questions")
    elif new:
        print(f"{options.model}: compiled in {seconds:.1f} s, {size / 1024:.1f} KiB")
    else:
        print(f"{options.model}: compiled already, {size / 1024:.1f} KiB")
    return 0 if used else 3
