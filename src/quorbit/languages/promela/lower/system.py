"""Program to System."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorbit.languages.promela.lower.claims import claim_properties
from quorbit.languages.promela.lower.commands import allowed_at_end, preempt_commands, process_commands
from quorbit.languages.promela.lower.control_flow import Flow, control_flow, passes_of
from quorbit.languages.promela.lower.formulas import formula_properties
from quorbit.languages.promela.lower.places import OWNER, Placement, families, place_program, runs_of
from quorbit.languages.promela.lower.prelude import (
    MOST_WORK,
    LeftOutMoves,
    Settled,
    bindings_of,
    settle,
    settled_start,
    stage_commands,
    stage_variables,
)
from quorbit.languages.promela.lower.priorities import levels_of
from quorbit.languages.promela.lower.processes import release_command, start_command
from quorbit.languages.promela.lower.remote import all_statements, remote_uses
from quorbit.languages.promela.lower.trace_events import check_trace
from quorbit.languages.promela.lower.values import StrangeNumber
from quorbit.languages.promela.parse.program import (
    Assertion,
    Assignment,
    Constant,
    Guard,
    Print,
    Program,
    Receive,
    Send,
)
from quorbit.languages.promela.reduce.births import start_at_once
from quorbit.languages.promela.reduce.choices import write_choices
from quorbit.languages.promela.reduce.hidden import forget_scratch
from quorbit.languages.promela.reduce.reach import reachable, runs_in
from quorbit.languages.promela.reduce.turns import write_turns
from quorbit.languages.promela.reduce.unread import forgetful
from quorbit.languages.promela.telling import telling_of
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.system.command import Performed
from quorbit.model.system.expression import FALSE, Expr, Read, atom, equal, negation
from quorbit.model.system.system import Assertions, NoDeadlock, Property, System
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen_distinct, replace

__all__ = ["lower"]

NUMBERED = re.compile(r"\[(\d+)\]$")
FIRST_GUESS = 4  # processes that one process may start in a loop, before we are told that there are more


@frozen_distinct
class Lowered:
    """A System and the placement that tells what its places stand for."""

    system: System
    placement: Placement


def lower(program: Program, count_like: str = "own", bounds: int = 1, stepwise: bool = False) -> Lowered:
    """The System of a model; bounds multiplies the guess of how many processes live at once."""
    refuse_unsupported(program)
    if count_like == "own" and not stepwise and not remote_uses(program)[1]:
        program = start_at_once(write_turns(write_choices(program)))
    numbers = 0
    while True:
        try:
            return lower_with(program, count_like, bounds, stepwise, numbers)
        except StrangeNumber as strange:
            numbers = strange.most


def lower_with(program: Program, count_like: str, bounds: int, stepwise: bool, numbers: int) -> Lowered:
    """Channel variables may hold all numbers up to ``numbers``."""
    if stepwise:
        return lower_stepwise(program, bounds, numbers)
    flows = all_flows(program, count_like)
    if not any(True for _ in runs_of(program)):
        return lower_fixed(program, flows, count_like, numbers)
    while True:
        placement = place_program(program, flows, guess_counts(flows, bounds), count_like, None, numbers)
        try:
            settled = settle_early(placement)
        except BoundExceeded:
            system = assemble(placement)
            if bindings_of(system) > MOST_WORK // 400:
                return Lowered(system, placement)
            bounds *= 2
            continue
        return Lowered(assemble_settled(settled), settled.placement)


def settle_early(placement: Placement) -> Settled:
    """The processes that are fixed.  In the beginning mostly those move that are there from the start: the commands of
    the others are only made if they are asked for, or if priorities compare them all."""
    later = tuple(name for name, flow in placement.flows.items() if not flow.proctype.active)
    if len({n for levels in placement.levels.values() for n in levels}) > 1:
        later = ()
    try:
        return settle(placement, assemble(placement, later), later)
    except LeftOutMoves:
        return settle(placement, assemble(placement))


def lower_fixed(program: Program, flows: dict[str, Flow], count_like: str, numbers: int) -> Lowered:
    """Without any run the active processes are all there are, numbered in the order of the text."""
    counts = {name: flow.proctype.active for name, flow in flows.items()}
    pids = {k: k for k in range(sum(counts.values()))}
    placement = place_program(program, flows, counts, count_like, pids, numbers)
    return Lowered(assemble(placement), placement)


def lower_stepwise(program: Program, bounds: int, numbers: int) -> Lowered:
    """For simulation: every statement is a step, the creation of processes included, and every variable is stored."""
    flows = all_flows(program, "plain")
    counts, called = guess_counts(flows, bounds), names_elsewhere(program, bounds)
    placement = place_program(program, flows, counts, "plain", None, numbers, called=called)
    return Lowered(assemble(placement), placement)


def names_elsewhere(program: Program, bounds: int) -> dict[tuple[str, int], int]:
    """The numbers by which other commands call processes that are started at the beginning: their pids.  Processes that
    only a simulation leaves room for have the numbers after these."""
    if not any(True for _ in runs_of(program)):
        return {}
    lowered = lower(program, bounds=bounds)
    found: dict[tuple[str, int], int] = {}
    for name, slots in lowered.placement.slots.items():
        matches = [NUMBERED.search(lowered.system.atoms[slot].name) for slot in slots]
        numbers = [int(match[1]) for match in matches if match is not None]
        if len(numbers) == len(slots) > 1:
            later = range(max(numbers) + 1, max(numbers) + 256)
            found.update({(name, k): n for k, n in enumerate((*numbers, *later))})
    return found


def all_flows(program: Program, count_like: str) -> dict[str, Flow]:
    watched, remote_variables = remote_uses(program)
    passes = passes_of(program, count_like, remote_variables)
    flows = {
        proctype.name: control_flow(program, proctype, passes, watched)
        for proctype in program.proctypes
        if proctype.role in {"proctype", "init"}
    }
    if count_like != "own" or remote_variables:
        return flows
    return {name: forgetful(flow) for name, flow in flows.items()}


def guess_counts(flows: dict[str, Flow], bounds: int) -> dict[str, int]:
    """Active processes, one for each run, and a few where a run is in a loop or a proctype starts itself."""
    counts = {name: flow.proctype.active for name, flow in flows.items()}
    for _ in range(len(flows) + 1):
        started = {name: flow.proctype.active for name, flow in flows.items()}
        for name, flow in flows.items():
            for proctype, many in started_by(flow):
                started[proctype] += counts[name] + (FIRST_GUESS - 1 if many and counts[name] else 0)
        if started == counts:
            break
        counts = {name: min(count, 255) for name, count in started.items()}
    else:
        counts = {name: min(count, flows[name].proctype.active + FIRST_GUESS) for name, count in counts.items()}
    return {name: min(count * bounds, 255) for name, count in counts.items()}


def started_by(flow: Flow) -> Iterator[tuple[str, bool]]:
    """The proctypes that a process starts, and whether it may do so more than once at that place."""
    for state, edges in flow.edges.items():
        for edge in edges:
            for run in runs_in(edge):
                yield run.proctype, state in reachable(flow, {edge.target})


def assemble(placement: Placement, left_out: tuple[str, ...] = ()) -> System:
    """``left_out``: proctypes whose commands are not needed."""
    commands = process_commands(placement, left_out)
    transient: Expr = FALSE
    if placement.trace is not None:
        check_trace(placement, placement.trace)
    if placement.has_atomic:
        commands.append(release_command(placement))
        commands.extend(preempt_commands(placement))
        transient = negation(equal(Read(OWNER), atom(NONE)))
    properties: tuple[Property, ...] = (
        Assertions(),
        NoDeadlock("end states", allowed_at_end(placement), "invalid end state"),
        *formula_properties(placement),
        *claim_properties(placement),
    )
    system = System(
        placement.program.name,
        placement.atoms,
        tuple(families(placement)),
        tuple(commands),
        (start_command(placement),),
        properties=properties,
        transient=transient,
        forgettable=placement.forgettable,
        statements=tuple(statements_of_text(placement.program)),
        telling=telling_of(placement),
    )
    return forget_scratch(placement, system)


def statements_of_text(program: Program) -> Iterator[Performed]:
    """What coverage is counted in: everything but jumps and skips, which may leave no step."""
    for statement in all_statements(program):
        empty = isinstance(statement, Guard) and isinstance(statement.condition, Constant)
        if isinstance(statement, Assignment | Guard | Assertion | Print | Send | Receive) and not empty:
            yield Performed(0, "", statement.span)


def assemble_settled(settled: Settled) -> System:
    """The System of a model whose processes are fixed."""
    system = assemble(settled.placement)
    return replace(
        system,
        variables=(*system.variables, *stage_variables(settled)),
        commands=(*stage_commands(settled), *system.commands),
        start=(settled_start(settled),),
    )


def refuse_unsupported(program: Program) -> None:
    for proctype in program.proctypes:
        if proctype.role in {"trace", "notrace"} and program.lossy:
            raise UserError(proctype.span, f"{proctype.role} assertions are not supported where messages may be lost")
    levels_of(program)
