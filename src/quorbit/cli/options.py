"""From the options of the command line to those of the pipeline."""

from __future__ import annotations

import sys
from argparse import Namespace
from functools import cache
from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.languages.registry import language_of
from quorbit.languages.unused import unused_names
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.options import CheckOptions
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

__all__ = ["check_options", "load_options", "load_options_of_check", "simulate_options", "warn_of_unused"]


def load_options(options: Namespace) -> LoadOptions:
    refuse_for_others(options)
    warn_of_unused(options.model, tuple(name for name, _ in options.defines))
    return LoadOptions(
        defines=tuple(options.defines),
        count_like=options.count_like,
        deadlock=options.deadlock,
        set_sizes=tuple(options.sets),
        max_int=options.maxint,
        min_int=options.minint,
        preferences=tuple(options.preferences),
        ignore=tuple(options.ignore),
        lossy=options.lossy,
        language=options.language,
        machine=options.machine,
        refines=options.refines,
        files=tuple(options.files),
        includes=tuple(options.includes),
        top=options.top,
        task=options.task,
        parameters=tuple(options.parameters),
        dialect=options.dialect,
    )


def load_options_of_check(options: Namespace) -> LoadOptions:
    """How ``check`` reads a model, and so ``compile``, which prepares what that will run."""
    return replace(load_options(options), follow_memories=True)


def simulate_options(options: Namespace) -> LoadOptions:
    """For commands that show every statement and every variable."""
    warn_of_unused(options.model, tuple(name for name, _ in options.defines))
    return LoadOptions(
        defines=tuple(options.defines),
        set_sizes=tuple(options.sets),
        max_int=options.maxint,
        min_int=options.minint,
        preferences=tuple(options.preferences),
        ignore=tuple(options.ignore),
        stepwise=True,
        lossy=options.lossy,
        language=options.language,
        machine=options.machine,
        refines=options.refines,
        files=tuple(options.files),
        includes=tuple(options.includes),
        top=options.top,
        task=options.task,
        parameters=tuple(options.parameters),
        dialect=options.dialect,
    )


def refuse_for_others(options: Namespace) -> None:
    """Options about Verilog say nothing to models in other languages."""
    given = {
        "--source": options.files,
        "-I": options.includes,
        "--top": options.top,
        "--task": options.task,
        "-P": options.parameters,
        "--dialect": options.dialect != "auto",
    }
    for name, value in given.items():
        if value and language_of(Path(options.model), options.language).name != "circuits":
            raise UserError(None, f"{name} is about Verilog; {options.model} is not a circuit")


def por_of(options: Namespace) -> str:
    """Who asks for exact counts gets them."""
    exact = options.count_like != "own" or options.represented
    if exact and options.por == "on":
        asked = "--represented" if options.represented else f"--count-like {options.count_like}"
        raise UserError(None, f"{asked} counts states that --por on leaves out; ask for one of them")
    return "off" if exact or (options.all_errors and options.por == "auto") else options.por


def check_options(options: Namespace) -> CheckOptions:
    return CheckOptions(
        properties=tuple(options.properties),
        symmetry=options.symmetry,
        strategy=options.strategy,
        engine=options.engine,
        quotient=options.quotient,
        witnesses=bool(getattr(options, "vcd", None)),
        search=SearchOptions(
            all_errors=options.all_errors,
            max_states=options.max_states,
            max_depth=options.max_depth,
            timeout=options.timeout,
            memory=options.memory,
            threads=options.threads,
            fairness=options.fairness,
            native=options.native,
            checkpoint=options.checkpoint,
            resume=options.resume,
            cluster=options.cluster,
            workers=options.workers,
            replicas=options.replicas,
            spill=options.spill,
            search=options.search,
            alpha=options.alpha,
            seed=options.seed,
            hash_compact=options.hash_compact,
            bitstate=options.bitstate,
            no_parents=options.no_parents,
            represented=options.represented,
            trace=options.keep_trace,
            por=por_of(options),
        ),
    )


@cache
def warn_of_unused(model: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Constants that are set for nothing; each is told once, and the warnings are the answer."""
    unused = unused_names(Path(model), names)
    found = tuple(f"-D {name}: the model does not mention {name}{meant}" for name, meant in unused)
    for warning in found:
        print(f"warning: {warning}", file=sys.stderr)
    return found
