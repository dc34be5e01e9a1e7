"""The symmetries that an engine on sets of states may use, looked for only for a moment.

For each property the group that keeps it, for quotients; and the group of the System alone, which carries formulas into
each other, so that formulas that are images of each other are answered once.
"""

from __future__ import annotations

from quorbit.detection.questions import Left, groups_of
from quorbit.groups.group import Group
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.case import Case
from quorbit.pipeline.describe import describe_group
from quorbit.report.record import Found, NotLookedFor, SymmetryResult
from quorbit.result.outcome import Verdict
from quorbit.source.frozen import replace

SECONDS = 1.5  # of computing, for all groups together
REASONS = {
    "next": "decision diagrams of the representatives, by Next",
    "relation": "decision diagrams of the representatives, by the relation between them",
}
ANSWERED = "the answer was found before it was needed"
AS_SETS = "all states were looked at together, as sets"
OF_FORMULAS = "formulas that are images of each other are answered once"


def find_generators(case: Case) -> Case:
    if case.options.quotient == "off":
        return replace(case, symmetry=NotLookedFor("it was turned off", case.system))
    if case.soon and all(outcome.verdict is not Verdict.UNKNOWN for outcome in case.soon):
        return replace(case, symmetry=NotLookedFor(ANSWERED, case.system))
    properties = case.system.properties
    many = sum(isinstance(p, Temporal) for p in properties) > 1
    asked = [*([()] if many else []), *((p,) for p in properties)]
    found = groups_of(case.system, asked, SECONDS, case.steps.remaining(case.options.search).timeout)
    whole, left = (found[0].group, tuple(found[1:])) if many else (None, tuple(found))
    told = tuple(described(case, one, whole) for one in left)
    return replace(
        case,
        groups=tuple(one.group for one in left),
        decoded=tuple(one.decoded for one in left),
        generators=() if whole is None else tuple(whole.generators),
        symmetry=told[0] if told else NotLookedFor("nothing is asked", case.system),
        symmetries=told,
    )


def described(case: Case, left: Left, whole: Group | None) -> SymmetryResult:
    """What is said of a property: the group it leaves, or if it leaves none that of the System with other formulas."""
    group = left.group
    if group is None:
        return NotLookedFor(f"no symmetry was found within {SECONDS:g} s", case.system)
    if left.decoded is not None and left.decoded.decoded is not None and case.options.quotient not in REASONS:
        system = left.decoded.decoded.system
        told = *describe_group(left.decoded.group), "none", True, AS_SETS, names_of(system)
        return Found(left.decoded.group, *told, (), system)
    reason = REASONS.get(case.options.quotient, AS_SETS)
    strategy = case.options.quotient if case.options.quotient in REASONS else "none"
    if group.is_trivial and whole is not None and strategy == "none":
        group, strategy, reason = whole, "formulas", OF_FORMULAS
    return Found(group, *describe_group(group), strategy, True, reason, names_of(case.system), (), case.system)


def names_of(system: System) -> tuple[str, ...]:
    return tuple(a.name for a in system.atoms)
