"""Many properties of one System by a SAT solver, each for a while: what is proved of one helps with the others.

A property that was proved holds in every reached state, and so do the clauses of its proof; later proofs may take both
for granted.  Properties that come down to the same states are answered once, whatever formula says so.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from quorbit.engines.symbolic.answers import Tell
from quorbit.engines.symbolic.reach import Clock, OutOfTurn
from quorbit.engines.symbolic.sat.by_clauses import Facts, Inquiry, bad_states, is_about_states, once_true
from quorbit.engines.symbolic.sat.endless import answer_endless, is_about_endless_runs
from quorbit.engines.symbolic.sat.possible import answer_possible, is_about_what_can_happen
from quorbit.engines.symbolic.sat.wishes import on_all_runs
from quorbit.groups.group import Group
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps, encode_steps
from quorbit.model.system.system import Property, System
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.frozen import replace

__all__ = ["answer_each", "may_answer"]

LEAST_SHARE = 0.25  # seconds for one of several properties
PROOF_SECONDS = 3.0  # that one gets as soon as all had a share: what its proof says of all states helps with the others
GROWTH = 4
MOST_FACTS = 400  # that are taken for granted
MOST_INQUIRIES = 24  # that are kept when their time is over, each with a solver
Key = tuple[int, int, bool]  # the states a property is about, how far it looks ahead, and whether it wants them reached


def answer_each(
    system: System, asked: Sequence[Property], groups: Sequence[Group | None], clock: Clock, seconds: float, tell: Tell
) -> None:
    """Round after round, with more time for each property that is left, until all are answered or this is ended."""
    suitable = [(k, p) for k, p in enumerate(asked) if may_answer(system, p)]
    if not suitable:
        return
    known = Known(encode_steps(system))
    share = max(LEAST_SHARE, seconds / (4 * len(suitable))) if len(suitable) > 1 else seconds
    while suitable:
        left = []
        for k, p in suitable:
            try:
                tell(k, known.answer(p, groups[k] if groups else None, clock.sooner(share)))
            except Unsupported:
                continue
            except OutOfTurn:
                left.append((k, p))
        share, suitable = max(share * GROWTH, min(seconds / 3, PROOF_SECONDS)), left


def may_answer(system: System, p: Property) -> bool:
    """Whether a property has a form that a SAT solver can answer."""
    return is_about_states(system, p) or is_about_endless_runs(system, p) or is_about_what_can_happen(system, p)


class Known:
    """A System as gates, the answers so far, and what they say of all its states."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.facts = Facts(steps)
        self.answers: dict[Key, Outcome] = {}
        self.inquiries: dict[Key, Inquiry] = {}  # on their way

    def answer(self, p: Property, group: Group | None, clock: Clock) -> Outcome:
        began = time.process_time()
        try:
            bad, beyond = bad_states(self.steps, p)
        except Unsupported:
            if is_about_endless_runs(self.steps.system, p):
                return self.answer_about_runs(p, group, clock)
            if not is_about_what_can_happen(self.steps.system, p):
                raise
            found = answer_possible(replace(self.steps, valid=self.granted()), p, clock)
            return replace(found, statistics=Statistics(explore_seconds=time.process_time() - began))
        key = (bad.number, beyond, once_true(p) is None)
        if key not in self.answers:
            self.answers[key] = self.inquiry(key, p, group).answer(clock)
            del self.inquiries[key]
        found = self.answers[key]
        spent = Statistics(explore_seconds=time.process_time() - began)
        return replace(found, property=p.name, statistics=spent)

    def inquiry(self, key: Key, p: Property, group: Group | None) -> Inquiry:
        """A new one, or one as far as it went.  A fact need not be symmetric, so that symmetries and facts are not used
        together."""
        generators = () if group is None else group.generators
        steps = self.steps if generators else replace(self.steps, valid=self.granted())
        if key in self.inquiries:
            self.inquiries[key].grant(steps.valid)
            return self.inquiries[key]
        if len(self.inquiries) >= MOST_INQUIRIES:
            self.inquiries.popitem()
        self.inquiries[key] = Inquiry(steps, p, generators, self.facts)
        return self.inquiries[key]

    def answer_about_runs(self, p: Property, group: Group | None, clock: Clock) -> Outcome:
        began = time.process_time()
        if (stronger := on_all_runs(p)) is not None:
            found = self.answer(stronger, group, clock)
            if found.verdict is Verdict.HOLDS:
                return found
        found = answer_endless(replace(self.steps, valid=self.granted()), p, clock)
        return replace(found, statistics=Statistics(explore_seconds=time.process_time() - began))

    def granted(self) -> Edge:
        return self.steps.gates.conjunction([self.steps.valid, *self.facts.known[:MOST_FACTS]])
