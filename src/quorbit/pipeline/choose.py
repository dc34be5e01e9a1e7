"""Question -> Engines: which engine answers, and which ones follow if it cannot after all."""

from __future__ import annotations

from quorbit.engines.engine import Engine, Guide, Kind, why_not
from quorbit.engines.registry import ENGINES, find_engine
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Apply, Atoms, Elements, Expr, Interval, Literal, Operator
from quorbit.model.system.system import System
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import Question
from quorbit.source.errors import UserError

MOST_CHOICES = 2**14  # of one command, for an engine that takes them one by one


def choose(question: Question) -> tuple[Engine, ...]:
    """The engine asked for, or one that can serve and those to try after it, of which nobody knows yet if they can: to
    ask would load them.  Refuses what cannot be done."""
    wanted = wanted_engine(question.options)
    engines = automatic(question) if wanted == "auto" else (find_engine(wanted),)
    reasons = []
    for k, engine in enumerate(engines):
        if not (reason := why_it_cannot(engine, question)):
            return engines[k:]
        reasons.append(f"the {engine.name} engine {reason}")
    raise UserError(None, "; ".join(reasons))


def wanted_engine(options: CheckOptions) -> str:
    """The engine asked for by its name, or by an option that only one has."""
    shared = options.search.cluster is not None or options.search.workers is not None
    return "cluster" if options.engine == "auto" and shared else options.engine


def why_it_cannot(engine: Engine, question: Question) -> str:
    """Why an engine cannot answer a question, "" if it can."""
    options = question.options
    if options.strategy != "auto" and engine.guide is not Guide.PLAN:
        return f"cannot use strategy {options.strategy}"
    if options.quotient != "auto" and engine.guide is not Guide.GENERATORS:
        return f"cannot use --quotient {options.quotient}, which is for sets of states"
    if options.quotient in ("next", "relation") and not question.properties:
        return f"needs a property for --quotient {options.quotient}"
    if options.symmetry == "off" and engine.guide is Guide.PARTITIONS:
        return "cannot run with --symmetry off"
    return why_not(engine, question.system, question.properties, options.search)


def automatic(question: Question) -> tuple[Engine, ...]:
    """The engines to try; those that work on sets of states come first where these are better, else last."""
    able = [engine for engine in ENGINES if engine.automatic and question.kind in engine.kinds]
    sets_first = suits_sets(question)
    return tuple(sorted(able, key=lambda engine: engine.by_sets != sets_first))


def suits_sets(question: Question) -> bool:
    """Whether everything moves at once, or a step has too many choices to take them one by one."""
    system = question.system
    if question.kind is Kind.TEMPORAL:
        return is_one_step(system)
    if system.synchronous and question.properties:
        return True
    return any(choices(command) > MOST_CHOICES for command in (*system.commands, *system.start))


def is_one_step(system: System) -> bool:
    """Whether one command, which is nobody's, does everything."""
    has_processes = any(atom.sort == "process" for atom in system.atoms)
    return len(system.commands) == 1 and not system.commands[0].actors and not has_processes


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
            case Elements(set=listed):
                total *= max(1, written_size(listed))
    return total


def written_size(e: Expr) -> int:
    match e:
        case Apply(Operator.SET, operands):
            return len(operands)
        case Literal(frozenset(elements)):
            return len(elements)
        case _:
            return 0
