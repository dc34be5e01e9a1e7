"""Which engine runs, and one way to call it.

An engine is a module ``engines/<name>/explore.py`` that is imported when it is used.  It has

    explore(system, properties, plan, layout, options, progress) -> Outcome      plan None: no reduction
    refusal(system, properties, options) -> str                                  why it cannot serve these, "" if it can

but for the reference engine, which takes the plan as a function, the symbolic one, which has ``check_all``, and the
adaptive one, which takes the partitions of the commands instead of a plan.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.canon.plan import Plan
from quorbit.groups.permutation import Permutation
from quorbit.machine.options import SearchOptions
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Apply, Atoms, Elements, Expr, Interval, Literal, Operator
from quorbit.model.system.formula import AllPaths, is_ltl, is_propositional
from quorbit.model.system.partitions import Partitions
from quorbit.model.system.system import Property, System, Temporal
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen

Progress = Callable[[Statistics], bool]
ENGINES = ("explicit", "reference", "symbolic", "adaptive", "temporal")
AUTOMATIC = ("explicit", "reference", "symbolic")  # tried in this order
MOST_CHOICES = 2**14  # of one command, for an engine that takes them one by one
DEPTH_FIRST = ("adaptive", "explicit")  # these can search depth first
TRACELESS = ("adaptive",)  # these can do without traces
REDUCING = ("explicit", "reference", "temporal")  # these use a plan
TEMPORAL_FIRST, SYMBOLIC_FIRST = ("temporal", "symbolic"), ("symbolic", "temporal")
WORST_FIRST = (Verdict.FAILS, Verdict.UNKNOWN, Verdict.HOLDS)


@frozen
class Work:
    """What an engine is to do: a plan or partitions guide it, or nothing."""

    system: System
    properties: tuple[Property, ...]
    guide: Plan | Partitions | None
    options: SearchOptions
    progress: Progress


def find_engines(
    wanted: str, system: System, properties: tuple[Property, ...], options: SearchOptions
) -> tuple[str, ...]:
    """The engine asked for, or one that can serve and those to try after it, of which nobody knows yet if they can:
    to ask would load them.  Refuses what cannot be done."""
    if wanted not in ("auto", *ENGINES):
        raise UserError(None, f"unknown engine {wanted}; choose one of auto, {', '.join(ENGINES)}")
    names = automatic(system, properties) if wanted == "auto" else (wanted,)
    reasons = []
    for k, name in enumerate(names):
        if not (reason := why_not(name, system, properties, options)):
            return names[k : k + 1] if names == SYMBOLIC_FIRST else names[k:]
        reasons.append(f"the {name} engine {reason}")
    raise UserError(None, "; ".join(reasons))


def automatic(system: System, properties: tuple[Property, ...]) -> tuple[str, ...]:
    """The engines to try.  Circuits make one step together, and their formulas are best checked symbolically; so are
    all properties where a step has too many choices to take them one by one."""
    if any(isinstance(p, Temporal) for p in properties):
        has_processes = any(atom.sort == "process" for atom in system.atoms)
        one_step = len(system.commands) == 1 and not system.commands[0].actors and not has_processes
        return SYMBOLIC_FIRST if one_step else TEMPORAL_FIRST
    most = max((choices(command) for command in (*system.commands, *system.start)), default=1)
    return AUTOMATIC if most <= MOST_CHOICES else ("symbolic", *AUTOMATIC[:-1])


def choices(command: Command) -> int:
    """How many values the parameters of a command have together, as far as that is written down."""
    total = 1
    for parameter in command.parameters:
        match parameter.domain:
            case Atoms(atoms):
                total *= len(atoms)
            case Interval(low, high):
                total *= max(1, high - low + 1)
            case Elements(set=Apply(Operator.POWERSET, (whole,))):
                total *= 2 ** written_size(whole)
    return total


def written_size(e: Expr) -> int:
    match e:
        case Apply(Operator.SET, operands):
            return len(operands)
        case Literal(frozenset(elements)):
            return len(elements)
        case _:
            return 0


def can_reduce(name: str) -> bool:
    """Whether an engine uses a plan."""
    return name in REDUCING


def why_not(name: str, system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why an engine cannot serve, "" if it can."""
    if find_spec(f"quorbit.engines.{name}") is None or find_spec(f"quorbit.engines.{name}.explore") is None:
        return "is not part of this version"
    if options.fairness != "none" and name != "temporal":
        return "knows no fairness of processes; it is for temporal formulas"
    if options.search == "dfs" and name not in DEPTH_FIRST:
        return "searches breadth first"
    if not options.trace and name not in TRACELESS:
        return "keeps what a trace needs"
    if name != "explicit" and (missing := refusal_of_extras(options)):
        return missing
    if name == "reference":
        return refusal_of_formulas(properties) or ("" if options.threads == 1 else "runs in one thread")
    try:
        module = module_of(name)
    except (ImportError, OSError) as error:
        return f"cannot be loaded ({error})"
    if hasattr(module, "refusal"):
        reason: str = module.refusal(system, properties, options)
        return reason
    return "" if name == "symbolic" else refusal_of_formulas(properties)


def refusal_of_extras(options: SearchOptions) -> str:
    """What only the explicit engine can do."""
    if options.checkpoint or options.resume or options.spill:
        return "keeps its states in memory, without checkpoints"
    if options.search == "mixed" or options.alpha is not None or options.seed is not None:
        return "has no mixed search"
    if options.hash_compact:
        return "has no hash compaction"
    return "does not count the states represented" if options.represented else ""


def refusal_of_formulas(properties: tuple[Property, ...]) -> str:
    if any(isinstance(p, Temporal) for p in properties):
        return "checks invariants, assertions and deadlocks, not temporal formulas"
    return ""


def module_of(name: str) -> ModuleType:
    return import_module(f"quorbit.engines.{name}.explore")


def explore_with(
    names: tuple[str, ...],
    system: System,
    properties: tuple[Property, ...],
    guide: Plan | Partitions | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Outcome:
    """Run the first of the engines, which can serve; if it refuses the model after all, the next one that can."""
    first, *others = names
    try:
        return run_guarded(first, system, properties, guide, options, progress)
    except UserError:
        left = tuple(name for name in others if not why_not(name, system, properties, options))
        if not left:
            raise
    return explore_with(left, system, properties, guide, options, progress)


def run_guarded(
    name: str,
    system: System,
    properties: tuple[Property, ...],
    guide: Plan | Partitions | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Outcome:
    """Run an engine; the memory limit is watched here, for all engines alike."""
    guard = MemoryGuard(None if name == "explicit" else options.memory, progress)  # that engine counts its own memory
    outcome = RUNNERS.get(name, run_engine)(module_of(name), Work(system, properties, guide, options, guard))
    if guard.exceeded and outcome.verdict is Verdict.UNKNOWN:
        outcome = replace(outcome, message=f"the memory limit of {options.memory} bytes was reached")
    statistics = outcome.statistics
    if not statistics.memory_bytes:
        outcome = replace(outcome, statistics=replace(statistics, memory_bytes=peak_memory()))
    return outcome


def run_engine(module: ModuleType, work: Work) -> Outcome:
    outcome: Outcome = module.explore(
        work.system, work.properties, work.guide, layout_of(work.system), work.options, work.progress
    )
    return outcome


def run_reference(module: ModuleType, work: Work) -> Outcome:
    reduce = reducer(layout_of(work.system), work.guide) if isinstance(work.guide, Plan) else None
    outcome: Outcome = module.explore(work.system, work.properties, reduce, work.options, work.progress)
    return outcome


def run_symbolic(module: ModuleType, work: Work) -> Outcome:
    """The worst of the answers about the single properties; when all hold, the answer is about all of them."""
    return worst_of(check_each(work.system, work.properties, work.options, work.progress))


def worst_of(outcomes: list[Outcome]) -> Outcome:
    worst = min(outcomes, key=lambda outcome: WORST_FIRST.index(outcome.verdict))
    return worst if worst.verdict is Verdict.FAILS or len(outcomes) == 1 else replace(worst, property="")


def check_each(
    system: System,
    properties: tuple[Property, ...],
    options: SearchOptions,
    progress: Progress | None,
    witnesses: bool = False,
    generators: tuple[Permutation, ...] = (),
) -> list[Outcome]:
    """The symbolic engine's answer to each of many properties, which share what they can."""
    module = module_of("symbolic")
    asked = tuple(map(on_all_paths, properties))
    how = module.SymbolicOptions(witnesses=witnesses, generators=generators, isolate=True)
    found: list[Outcome] = module.check_all(system, asked, options, how, progress)
    return found


def on_all_paths(p: Property) -> Property:
    """A formula of LTL is meant for all runs; the symbolic engine wants that written."""
    if isinstance(p, Temporal) and is_ltl(p.formula) and not is_propositional(p.formula):
        return replace(p, formula=AllPaths(p.formula))
    return p


def run_adaptive(module: ModuleType, work: Work) -> Outcome:
    outcome: Outcome = module.explore(work.system, work.properties, work.guide, work.options, work.progress)
    return outcome


def run_temporal(module: ModuleType, work: Work) -> Outcome:
    """The states come from the compiled engine where that can serve."""
    quick = import_module("quorbit.engines.temporal.compiled_space").explored_space
    plain = import_module("quorbit.engines.temporal.stored").stored_space
    plan = work.guide if isinstance(work.guide, Plan) else None
    layout = layout_of(work.system)
    outcome: Outcome = module.explore(
        work.system, work.properties, plan, layout, work.options, work.progress, (quick, plain)
    )
    return outcome


RUNNERS = {"temporal": run_temporal, "reference": run_reference, "symbolic": run_symbolic, "adaptive": run_adaptive}


class MemoryGuard:
    """Passes reports of progress on, and stops the search when the process holds too much memory."""

    def __init__(self, limit: int | None, progress: Progress | None) -> None:
        self.limit = limit
        self.progress = progress
        self.exceeded = False

    def __call__(self, statistics: Statistics) -> bool:
        self.exceeded = self.limit is not None and memory_now() > self.limit
        return self.exceeded or (self.progress is not None and self.progress(statistics))


def memory_now() -> int:
    """The memory the process holds now, in bytes; where that is not known, the most it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return peak_memory()
    return pages * resource.getpagesize()


def peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
