"""Partial-order reduction as engines use it: when it cannot be used, the facts it needs, and what to say of it.

``auto`` looks at the first states in full and in part, by counts alone, so that the same model gives the same answer
everywhere: a search of few states is left as it is, a larger one is reduced if that saves enough of its first levels.
To choose what is looked at takes longer than to look, so where very many states are left a second look asks for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorbit.canon.plan import Plan
from quorbit.groups.permutation import Permutation
from quorbit.machine.options import SearchOptions
from quorbit.model.dependence.alone import share_alone
from quorbit.model.dependence.split import expected_cases
from quorbit.model.system.command import all_steps, has_inner_steps
from quorbit.model.system.expression import FALSE, Expr
from quorbit.model.system.formula import Accepted, Formula, Next, Proposition, walk
from quorbit.model.system.formula_kinds import is_ltl
from quorbit.model.system.system import Invariant, NoDeadlock, Property, System, Temporal
from quorbit.result.outcome import PartialOrder, Statistics

if TYPE_CHECKING:
    from quorbit.model.dependence.facts import Facts

__all__ = [
    "LONGER",
    "OFF",
    "PROBED",
    "STAGES",
    "TOO_FEW",
    "enough_states",
    "facts_for_formula",
    "find_facts",
    "not_tried",
    "pays",
    "refusal",
    "too_small",
    "unused",
    "used",
]

PROBED = 2_000  # states that ``auto`` looks at before it decides
MANY = 3_000_000  # where that takes as long as a tenth of so many, and does not look as if it would help
MOST_CASES = 80  # about which facts are found in a moment
MOSTLY = 0.75  # the share of commands that have to be alone
# after so many states: how many times fewer there must be, at equal distance
STAGES = ((PROBED, 1.3), (20_000, 2.0), (200_000, 2.0))
MOST_STEPS = 1_000  # of commands with steps inside steps
MOST_COMMANDS = 1_500  # for which ``auto`` finds out who disturbs whom
OFF = PartialOrder()
TOO_FEW = "it saves too few of the first states"
LONGER = "found under partial-order reduction, so it may not be the shortest"


def refusal(system: System, properties: Sequence[Property], plan: Plan | None, options: SearchOptions) -> str:
    """Why states cannot be expanded in part here, "" if they can."""
    if len(system.commands) < 2:
        return "the model has one command, so there is no order of commands to leave out"
    if system.blocking:
        return "some commands may turn out to be blocked while they run"
    is_nested = has_inner_steps(system.commands)
    if is_nested and system.transient != FALSE:
        return "who disturbs whom is not worked out for commands with branches inside that pass through other states"
    if is_nested and sum(1 for c in system.commands for _ in all_steps(c.effect)) > MOST_STEPS:
        return f"the commands have more than {MOST_STEPS:,} steps: to find out who disturbs whom would take too long"
    if plan is not None and not plan.exact:
        return f"it needs one representative for each orbit, and strategy {plan.name} is approximate here"
    for p in properties:
        if isinstance(p, Temporal) and (reason := refusal_of_formula(p.formula, options)):
            return reason
    if any(isinstance(p, NoDeadlock) and p.stuttering for p in properties) and system.transient != FALSE:
        return "moves through other states that change nothing do not lead out of a deadlock here"
    return refusal_of_options(options)


def not_tried(system: System) -> str:
    """Why ``auto`` does not find out who disturbs whom, "" if it does."""
    if len(system.commands) > MOST_COMMANDS:
        return f"the model has more than {MOST_COMMANDS:,} commands"
    if has_inner_steps(system.commands):
        return "commands with branches inside mostly depend on each other; --por on tries it all the same"
    return ""


def enough_states(system: System) -> int:
    """After how many states it is worth to find out who disturbs whom: most searches end sooner than that would."""
    is_quick = len(system.commands) <= MOST_CASES and expected_cases(system) <= MOST_CASES
    return PROBED if is_quick or share_alone(system) >= MOSTLY else MANY


def too_small(states: int) -> str:
    return f"the whole search has fewer than {states:,} states"


def refusal_of_options(options: SearchOptions) -> str:
    if options.max_depth is not None:
        return "under it errors may be farther from the start, so a depth limit would hide them"
    if options.represented:
        return "the states represented are counted without it"
    if options.spill is not None:
        return "a search on disk (spill) expands every state in full"
    if options.hash_compact:
        return "hash compaction forgets states that it may have to look at again"
    if options.bitstate is not None:
        return "a bitstate search forgets states that may have to be expanded again"
    return ""


def refusal_of_formula(formula: Formula, options: SearchOptions) -> str:
    if options.fairness != "none":
        return "fairness is about every process, also those whose steps would be left out"
    if any(isinstance(part, Accepted) for part in walk(formula)):
        return "a never claim may tell single steps apart"
    if not is_ltl(formula):
        return "a formula of CTL or CTL* sees branches that would be left out"
    if any(isinstance(part, Next) for part in walk(formula)):
        return "the operator X sees single steps"
    return ""


def find_facts(system: System, properties: Sequence[Property], plan: Plan | None) -> Facts:
    """What is known about the commands, as these properties need it."""
    from quorbit.model.dependence.facts import build_facts

    invariants = [p.condition for p in properties if isinstance(p, Invariant)]
    return build_facts(system, invariants, (), generators_of(plan))


def facts_for_formula(system: System, propositions: Sequence[Proposition], plan: Plan | None) -> Facts:
    """The same for a formula that looks at these propositions."""
    from quorbit.model.dependence.facts import build_facts

    seen: list[Expr] = [p.expression for p in propositions]  # type: ignore[misc]
    return build_facts(system, (), seen, generators_of(plan))


def generators_of(plan: Plan | None) -> tuple[Permutation, ...]:
    return () if plan is None or plan.group is None else plan.group.generators


def pays(full: Statistics, partly: Statistics, times: float = STAGES[0][1]) -> bool:
    """Whether there are so many times fewer states within the distance from the start that both searches know."""
    common = min(len(full.levels), len(partly.levels))
    return sum(partly.levels[:common]) * times <= sum(full.levels[:common])


def used(states: int, partly: int) -> PartialOrder:
    share = partly / states if states else 0.0
    return PartialOrder(True, f"{share:.0%} of the states were expanded in part", round(share, 6))


def unused(reason: str) -> PartialOrder:
    return PartialOrder(reason=reason)
