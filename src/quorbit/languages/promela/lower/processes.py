"""Processes come and go: the start, run, and the end of a process."""

from __future__ import annotations

from quorbit.languages.promela.lower.expressions import converted
from quorbit.languages.promela.lower.places import (
    COUNT,
    MOST_PROCESSES,
    OWN_PID,
    OWNER,
    PID,
    PRIORITY,
    Leaf,
    Placement,
    has_channel,
    is_fixed_channel,
    pc_name,
    positions,
)
from quorbit.languages.promela.lower.priorities import ORDINARY
from quorbit.languages.promela.lower.trace_automaton import EVENT
from quorbit.languages.promela.lower.values import View, home, is_alive
from quorbit.languages.promela.parse.program import ChannelInit, Constant, Run
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.system.command import Assign, Command, Require, Step, Together, assign
from quorbit.model.system.expression import (
    FALSE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Fresh,
    Literal,
    Operator,
    Parameter,
    Read,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE, AtomOf, QueueOf
from quorbit.source.span import Span

O = Operator
RELEASE_RANK = 256  # after all that processes of any priority can do


def start_command(placement: Placement) -> Command:
    """The initial state: initial values, and the processes that are active from the start."""
    nobody = View(placement, "", atom(NONE))
    steps: list[Step] = []
    for leaf in placement.leaves_of(None):
        steps.extend(initial_steps(nobody, leaf))
    count = 0
    for name, flow in placement.flows.items():
        for k in range(min(flow.proctype.active, len(placement.slots[name]))):
            priority = flow.proctype.priority or ORDINARY
            steps.extend(birth(placement, name, atom(placement.slots[name][k]), number(count), (), priority))
            count += 1
        if placement.is_open(name):
            steps.extend(blank(placement, name, atom(slot)) for slot in placement.slots[name][flow.proctype.active :])
    if placement.counts_processes:
        steps.append(assign((Read(COUNT), number(count))))
    if placement.trace is not None:
        steps.append(assign((Read(EVENT), number(placement.trace.start))))
    return Command("start", effect=tuple(at_once(steps)))


def at_once(steps: list[Step]) -> list[Step]:
    """Assignments of constants to different places have no order: they happen together, so that no process is first."""
    together = [step for step in steps if isinstance(step, Together)]
    assignments = tuple(a for step in together for a in step.assignments)
    targets = {a.target for a in assignments}
    constant = all(isinstance(e, Literal) for a in assignments for e in (a.value, *a.target.owners, *a.target.indices))
    if len(together) < len(steps) or not constant or len(targets) < len(assignments):
        return steps
    return [Together(assignments)] if assignments else []


def birth(
    placement: Placement, name: str, process: Expr, pid: Expr, arguments: tuple[tuple[Read, Expr], ...], priority: int
) -> list[Step]:
    """A process begins: its state, number and parameters at once, then its locals in their order."""
    flow = placement.flows[name]
    first = [(Read(pc_name(name), (process,)), number(flow.start)), *arguments]
    if placement.counts_processes and placement.is_open(name):
        first.append((Read(PID, (process,)), pid))
    if placement.keeps_priorities:
        first.append((Read(PRIORITY, (process,)), number(priority)))
    if placement.writes_pid:
        first.append((Read(OWN_PID, (process,)), pid))
    steps: list[Step] = [assign(*first)]
    view = View(placement, name, process)
    for leaf in placement.leaves_of(name):
        if not leaf.variables[0].parameter:
            steps.extend(initial_steps(view, leaf) or zeros(view, leaf))
        elif not arguments:
            steps.extend(zeros(view, leaf))
    return steps


def zeros(view: View, leaf: Leaf) -> list[Step]:
    """The assignments that give a variable of a process the value 0, where it may have been forgotten."""
    placement, name = view.placement, view.proctype
    if is_fixed_channel(placement, leaf):
        return []
    forgets = is_forgotten(placement, name, leaf, placement.flows[name].start)
    if not forgets and not placement.is_open(name):
        return []
    return [Together(tuple(Assign(target, zero_of(placement, leaf), forgets) for target in targets(view, leaf)))]


def blank(placement: Placement, name: str, process: Expr) -> Step:
    """What a process has that does not exist: nothing that anybody reads."""
    view = View(placement, name, process)
    leaves = [leaf for leaf in placement.leaves_of(name) if not is_fixed_channel(placement, leaf)]
    pairs = [(target, zero_of(placement, leaf)) for leaf in leaves for target in targets(view, leaf)]
    return Together(tuple(Assign(target, zero, not placement.uses.watches_variables) for target, zero in pairs))


def targets(view: View, leaf: Leaf) -> list[Read]:
    """The places of a variable of a process."""
    span = leaf.declared.span
    return [Read(leaf.name, (view.me,), tuple(number(i) for i in k), span) for k in positions(leaf.sizes)]


def zero_of(placement: Placement, leaf: Leaf) -> Expr:
    return Literal(NONE, AtomOf((), True)) if isinstance(placement.type_of(leaf.type), AtomOf) else number(0)


def is_forgotten(placement: Placement, name: str, leaf: Leaf, state: int) -> bool:
    """Whether nobody reads what the variable holds when its process is in this state; 0: the process does not exist."""
    if placement.uses.watches_variables:
        return False
    if not state and (placement.is_open(name) or leaf.variables[0].parameter):
        return True
    tidy = len(leaf.variables) == 1 and leaf.declared in placement.tidy[name]
    return tidy and leaf.declared in placement.unread[name].get(state or placement.flows[name].start, ())


def initial_steps(view: View, leaf: Leaf) -> list[Step]:
    """The assignments that give a variable its initial value; 0 needs none."""
    placement = view.placement
    initial = leaf.declared.initial
    if initial is None or placement.is_hidden(leaf.variables[0]) or is_fixed_channel(placement, leaf):
        return []
    owners = () if leaf.variables[0].owner is None else (view.me,)
    assignments: list[Assign] = []
    for k, indices in enumerate(positions(leaf.sizes)):
        target = Read(leaf.name, owners, tuple(number(i) for i in indices), leaf.declared.span)
        if isinstance(initial, ChannelInit):
            value: Expr = home(view, leaf, tuple(number(i) for i in indices), leaf.declared.span)
        elif isinstance(initial, tuple):
            chosen = Constant(initial[min(k, len(initial) - 1)], leaf.declared.span)
            value = converted(view, chosen, leaf.type)
        else:
            value = converted(view, initial, leaf.type)
        assignments.append(Assign(target, value, owners != () and is_unread_at_birth(view, leaf, value)))
    zero = all(isinstance(a.value, Literal) and a.value.value == 0 for a in assignments)
    return [] if zero else [Together(tuple(assignments))]


def is_unread_at_birth(view: View, leaf: Leaf, value: Expr) -> bool:
    start = view.placement.flows[view.proctype].start
    return isinstance(value, Literal) and is_forgotten(view.placement, view.proctype, leaf, start)


def run_steps(view: View, run: Run, name: str) -> tuple[tuple[Step, ...], Parameter]:
    """The steps of ``run``; afterwards the new process has the number _nr_pr - 1."""
    placement = view.placement
    new = Bound(name)
    slots = placement.slots[run.proctype]
    free = Fresh(slots, equal(Read(pc_name(run.proctype), (Bound(name),)), number(0)))
    arguments = tuple(parameter_values(view, run, new))
    born = birth(placement, run.proctype, new, Read(COUNT), arguments, run.priority or ORDINARY)
    if not placement.counts_processes:
        return tuple(born), Parameter(name, free)
    room = Apply(O.LESS, (Read(COUNT), number(MOST_PROCESSES)), run.span)
    limit = Require(room, f"more than {MOST_PROCESSES} processes", FAULTS, run.span)
    one_more = assign((Read(COUNT), Apply(O.ADD, (Read(COUNT), number(1)))))
    return (limit, *born, one_more), Parameter(name, free)


def parameter_values(view: View, run: Run, new: Expr) -> list[tuple[Read, Expr]]:
    placement = view.placement
    places: list[tuple[Read, Leaf]] = []
    for leaf in placement.leaves_of(run.proctype):
        if leaf.variables[0].parameter:
            for indices in positions(leaf.sizes):
                places.append((Read(leaf.name, (new,), tuple(number(i) for i in indices), run.span), leaf))
    return [
        (place, converted(view, argument, leaf.type))
        for (place, leaf), argument in zip(places, run.arguments, strict=True)
    ]


def death_steps(placement: Placement, name: str, process: Expr, span: Span) -> list[Step]:
    """Everything a process had goes back to what an unused one has."""
    stays = placement.buries and placement.is_used_once(name)
    assignments = [Assign(Read(pc_name(name), (process,)), number(placement.flows[name].last if stays else 0))]
    if placement.counts_processes and placement.is_open(name):
        assignments.append(Assign(Read(PID, (process,)), number(0)))
    if placement.counts_processes:
        assignments.append(Assign(Read(COUNT), Apply(O.SUBTRACT, (Read(COUNT), number(1)))))
    if placement.keeps_priorities:
        assignments.append(Assign(Read(PRIORITY, (process,)), number(0)))
    if placement.writes_pid:
        assignments.append(Assign(Read(OWN_PID, (process,)), number(0)))
    view = View(placement, name, process)
    for leaf in placement.leaves_of(name):
        assignments.extend(reset(view, leaf, span))
    return [Together(tuple(assignments))]


def reset(view: View, leaf: Leaf, span: Span) -> list[Assign]:
    placement = view.placement
    found: list[Assign] = []
    zero = zero_of(placement, leaf)
    for indices in positions(leaf.sizes):
        at = tuple(number(i) for i in indices)
        if not is_fixed_channel(placement, leaf):
            found.append(Assign(Read(leaf.name, (view.me,), at, span), zero, not placement.uses.watches_variables))
        init = leaf.declared.initial
        is_lent = placement.buries and leaf.variables[0] in placement.uses.lent
        if isinstance(init, ChannelInit) and init.capacity and has_channel(leaf) and not is_lent:
            shape = next(
                s for s in placement.shapes if (s.capacity, s.fields) == (init.capacity, placement.fields_of(init))
            )
            empty = Literal((), QueueOf(placement.message_type(shape), shape.capacity))
            found.append(Assign(Read(shape.variable, (home(view, leaf, at, span),), (), span), empty))
    return found


# When processes that have reached their end die, where all of them are there from the beginning.  SPIN lets the
# youngest die first.  People ask only whether all are gone: `_nr_pr == 1` lets the oldest process wait for the others.
# Then it cannot be seen who died when, and by our own counting all but the oldest die in one step, once all of them
# have reached their end; no order tells them apart.


def may_die(placement: Placement, slot: int) -> Expr:
    """Whether it is the turn of a process to die which has reached its end; FALSE: it never is."""
    if placement.dies_in_order or is_oldest(placement, slot):
        return later_are_dead(placement, slot)
    return FALSE if any(not is_mortal(placement, name) for name, _ in others(placement)) else all_are_over(placement)


def dying_with(placement: Placement, name: str, parameter: Parameter, me: Expr) -> list[tuple[str, Expr]]:
    """The processes that die in one step with the one for which the parameter stands, itself included."""
    assert isinstance(parameter.domain, Atoms)
    if placement.dies_in_order or is_oldest(placement, parameter.domain.atoms[0]):
        return [(name, me)]
    return [(other, atom(slot)) for other, slot in others(placement)]


def others(placement: Placement) -> list[tuple[str, int]]:
    """All processes but the oldest, with their proctypes."""
    found = [(name, slot) for name, slots in placement.slots.items() for slot in slots]
    return [(name, slot) for name, slot in found if not is_oldest(placement, slot)]


def is_oldest(placement: Placement, slot: int) -> bool:
    assert placement.pids is not None
    return placement.pids[slot] == min(placement.pids.values())


def is_mortal(placement: Placement, name: str) -> bool:
    return placement.flows[name].last in placement.flows[name].edges


def all_are_over(placement: Placement) -> Expr:
    places = [(Read(pc_name(name), (atom(slot),)), placement.flows[name].last) for name, slot in others(placement)]
    return conjunction([equal(place, number(last)) for place, last in places])


def later_are_dead(placement: Placement, slot: int) -> Expr:
    """All processes with a higher number are gone."""
    assert placement.pids is not None
    later: list[Expr] = []
    for name, slots in placement.slots.items():
        for other in slots:
            if placement.pids[other] > placement.pids[slot]:
                later.append(negation(is_alive(name, atom(other))) if is_mortal(placement, name) else FALSE)
    return FALSE if FALSE in later else conjunction(later)


def release_command(placement: Placement) -> Command:
    """A process that cannot go on inside its atomic section loses control; that state is stored."""
    nobody = atom(NONE)
    held = Apply(O.NOT, (equal(Read(OWNER), nobody),))
    return Command("the atomic section is blocked", held, (assign((Read(OWNER), nobody)),), rank=RELEASE_RANK)
