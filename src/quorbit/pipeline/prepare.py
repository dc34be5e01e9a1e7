"""System -> simpler System -> Group -> Plan: the steps before a search, for each guide that an engine may want."""

from __future__ import annotations

from functools import partial
from itertools import islice

from quorbit.canon.classify import classify as classify_group
from quorbit.canon.layout import layout_of
from quorbit.detection.bags import only_bags
from quorbit.detection.detect import keeping_the_start
from quorbit.detection.effect.effective import effective
from quorbit.detection.reveal import reveal_wordings, to_search
from quorbit.engines.engine import Guide, Work
from quorbit.engines.explicit.engine import EXPLICIT
from quorbit.groups.group import Group, trivial
from quorbit.groups.reach import BeyondReach
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.specialise.specialise import searchable, settle, written_out
from quorbit.model.specialise.specialise import specialise as specialise_system
from quorbit.model.system.command import all_steps
from quorbit.model.system.system import System
from quorbit.pipeline.case import Case
from quorbit.pipeline.describe import describe_structure, find_structure
from quorbit.pipeline.steps import Steps
from quorbit.report.record import Found, NotLookedFor, Off
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

ONE_STATE = "the model has one state"


def specialise(case: Case) -> Case:
    """The System simplified for its properties, as far as what guides the engine needs it."""
    is_off = case.options.symmetry == "off" and not case.system.bags
    case = replace(case, symmetry=Off(case.system)) if is_off else case
    if case.options.symmetry == "off" and case.system.bags:
        case = replace(case, system=only_bags(case.system))
    with case.steps.step("specialise"):
        match case.guide:
            case Guide.PLAN if is_off:
                settled = settle(case.system)
                return replace(case, system=fewer_choices(settled) if settled.synchronous else settled)
            case Guide.PLAN | Guide.PARTITIONS:
                special = specialise_system(case.system)
                return replace(case, system=special.system, special=special)
            case Guide.GENERATORS | Guide.NOTHING:
                return case


def detect(case: Case) -> Case:
    """The symmetry that the properties leave."""
    if case.options.symmetry == "off" and not case.system.bags:
        return case
    if case.guide is Guide.PLAN and not case.system.places:
        return replace(case, system=searchable(case.system), symmetry=NotLookedFor(ONE_STATE))
    with case.steps.step("detect"):
        match case.guide:
            case Guide.PLAN:
                return detect_group(case)
            case Guide.PARTITIONS:
                return detect_partitions(case)
            case Guide.GENERATORS:
                return detect_generators(case)
            case Guide.NOTHING:
                return replace(case, symmetry=NotLookedFor("the engine does not use it", case.system))


def detect_group(case: Case) -> Case:
    """The start need not be kept; but then an orbit may be partly out of reach, so that nobody can tell how many states
    it stands for, and who wants to know that gets the symmetries that keep the start."""
    assert case.special is not None
    system, found = reveal_wordings(case.special)
    if case.options.search.represented and found.moving:
        found = replace(found, group=keeping_the_start(system, found), moving=())
    system = to_search(system, found)
    system = fewer_choices(system) if system.synchronous else system
    return replace(case, system=system, found=effective(system, found, partial(count_once, case.steps)))


def detect_partitions(case: Case) -> Case:
    from quorbit.pipeline.partitions import infer

    return infer(case, thorough=True)


def detect_generators(case: Case) -> Case:
    from quorbit.pipeline.generators import find_generators

    return find_generators(case)


def nothing_to_move(case: Case) -> Found:
    """What there is to say where nobody looked for symmetry, since there is one state."""
    names = tuple(a.name for a in case.system.atoms)
    return Found(trivial(len(names)), 1, "trivial", "none", True, ONE_STATE, names, (), case.system)


def classify(case: Case) -> Case:
    """The plan that uses the group; other guides need none."""
    if case.guide is Guide.PLAN and case.options.search.por == "on":
        case = replace(case, system=written_out(case.system))  # who disturbs whom is known of instances
    if case.found is None:
        return case
    with case.steps.step("classify"):
        group, notes = case.found.group, case.found.notes
        names = tuple(a.name for a in case.system.atoms)
        shape, is_trivial = find_structure(group), group.is_trivial
        order, structure = describe_structure(shape)
        layout = layout_of(case.system)
        try:
            plan = classify_group(layout, group, case.options.strategy, shape)
        except BeyondReach as reason:
            notes = (*notes, f"the symmetry is not used: {reason}")
            why = "every state represents itself"
            found = Found(group, order, structure, "none", True, why, names, notes, case.system, case.found.moving)
            return replace(case, symmetry=found)
        told = plan.name, plan.exact, plan.reason, names, notes, case.system, case.found.moving, case.found.composed
        found = Found(group, order, structure, *told)
        return replace(case, symmetry=found, plan=None if is_trivial else plan, layout=layout)


def fewer_choices(system: System) -> System:
    """Circuits choose their inputs; of choices that do the same one is left."""
    from quorbit.detection.functions.choices import fewer_choices as fewer

    return fewer(system)


FEW_STATES = 10_000  # that may be counted to see whether a symmetry has an effect
FEW_STEPS = 5_000  # of all commands together: what has more takes longer to compile than a glance may


def count_once(run: Steps, system: System, group: Group) -> int | None:
    """What ``count`` answers; questions about one model that differ in their properties alone have the same states."""
    asked = replace(system, properties=())
    for other, moves, states in run.counted:
        if moves == group.moves and other == asked:
            return states
    states = count(asked, group)
    run.counted.append((asked, group.moves, states))
    return states


def count(system: System, group: Group) -> int | None:
    """How many states there are, one of each orbit; None if they are more than a few, the commands very long, or there
    is not room for all processes.
    Requires: nothing is asked of them."""
    steps = (step for command in system.commands for step in all_steps(command.effect))
    if next(islice(steps, FEW_STEPS, None), None) is not None:
        return None
    options = SearchOptions(all_errors=True, max_states=FEW_STATES, native=False, trace=False)
    try:
        layout = layout_of(system)
        plan = None if group.is_trivial else classify_group(layout, group)
        work = Work(system, (), options, lambda _: False, plan, layout)
        (outcome,) = EXPLICIT.explore(work)
    except (UserError, BeyondReach, BoundExceeded):
        return None
    return None if outcome.verdict is Verdict.UNKNOWN else outcome.statistics.states
