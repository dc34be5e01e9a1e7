"""Circuits: all questions about one go to the symbolic engine together, since what is reachable is the same for all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from quorbit.detection.detect import detect
from quorbit.detection.netlists.joined_graph import Kept, join_graphs, latch_group
from quorbit.engines.select import check_each, why_not, worst_of
from quorbit.groups.permutation import Permutation
from quorbit.languages.circuits.load import read_netlist
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import Property, System, Temporal
from quorbit.report.record import CheckResult, Seconds, SymmetryResult
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated
from quorbit.steps.ask import Asked
from quorbit.steps.describe import describe_group
from quorbit.steps.model import Model
from quorbit.steps.options import CheckOptions
from quorbit.steps.prepare import not_looked_for
from quorbit.steps.search import remaining_time
from quorbit.steps.watch import Interrupted, Watch, in_search

SYMMETRY_SECONDS = 2.0  # to look for the symmetries of a circuit


def wants_circuit_engine(model: Model, questions: Sequence[Asked], options: CheckOptions) -> bool:
    """Whether all questions are about properties of a circuit that the symbolic engine answers together."""
    if options.engine not in ("auto", "symbolic") or options.strategy != "auto":
        return False
    return all(
        asked.properties and not why_not("symbolic", asked.system or model.system, asked.properties, options.search)
        for asked in questions
    )


def check_circuit(
    model: Model, questions: Sequence[Asked], options: CheckOptions, watch: Watch | None
) -> Iterator[CheckResult]:
    """The answers to all questions about a System come from one call, since what is reachable is the same for all."""
    systems = {id(system): system for asked in questions for system in (asked.system or model.system,)}
    answers: dict[int, CheckResult] = {}
    first = time.monotonic()
    for turn, (key, system) in enumerate(systems.items()):
        numbers = [k for k, asked in enumerate(questions) if id(asked.system or model.system) == key]
        together = [(k, p) for k in numbers for p in questions[k].properties]
        began = time.monotonic()
        search = share_of_time(remaining_time(options.search, model.parse_seconds + began - first), len(systems) - turn)
        known: dict[int, Outcome] = {}
        try:
            generators = circuit_symmetries(system, together, options)
            asked_now = tuple(p for _, p in together)
            outcomes = check_each(system, asked_now, search, in_search(watch), options.witnesses, generators, known)
        except Interrupted as interrupted:
            unknown = [Outcome(Verdict.UNKNOWN, p.name, str(interrupted)) for _, p in together]
            outcomes = [known.get(k, outcome) for k, outcome in enumerate(unknown)]
        seconds = Seconds(parse=model.parse_seconds, explore=time.monotonic() - began)
        seconds = replace(seconds, total=seconds.parse + seconds.explore)
        plain = not_looked_for(system, "the symbolic engine did not need it")
        for k in numbers:
            asked = questions[k]
            own = worst_of([outcome for (j, _), outcome in zip(together, outcomes, strict=True) if j == k])
            name = str(model.path)
            answers[k] = CheckResult(system, name, asked.words, own, plain, seconds, asked.notes, model.options)
    yield from (answers[k] for k in range(len(questions)))


def share_of_time(search: SearchOptions, left: int) -> SearchOptions:
    """The time for one of the Systems that are left; what it does not need, the next ones have."""
    return search if search.timeout is None else replace(search, timeout=search.timeout / left)


def symmetry_of_outputs(model: Model) -> SymmetryResult:
    """The symmetry of a circuit without latches: permutations of its inputs that its outputs do not notice."""
    netlist = read_netlist(model.path, model.options)
    group = latch_group(join_graphs(netlist, Kept((), ())))
    order, text = describe_group(group)
    reason = "there are no latches, so the symmetry is that of the outputs as functions of the inputs"
    return SymmetryResult(group, order, text, "none", True, reason, netlist.inputs, system=model.system)


def circuit_symmetries(
    system: System, together: Sequence[tuple[int, Property]], options: CheckOptions
) -> tuple[Permutation, ...]:
    """Symmetries that spare work where several formulas may be images of each other; looked for only for a moment."""
    if options.symmetry == "off" or sum(isinstance(p, Temporal) for _, p in together) < 2 or not CAN_FORK:
        return ()
    found = run_isolated(
        lambda send: send(detect(system, ()).group.generators), Limits(3 * SYMMETRY_SECONDS, SYMMETRY_SECONDS)
    )
    return tuple(found.told[0]) if found.told else ()
