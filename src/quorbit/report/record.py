"""What there is to report: the symmetry of a model or of a group, and the answers of a check.

Plain records; how they look as text, JSON, HTML or a picture is written in the other files of this folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Temporal
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, replace

__all__ = ["CheckResult", "CheckResults", "Effect", "Found", "NotLookedFor", "Off", "Seconds", "SymmetryResult"]

if TYPE_CHECKING:
    from quorbit.groups.group import Group
    from quorbit.groups.permutation import Permutation
    from quorbit.model.system.system import System


@frozen
class Seconds:
    """How long each step took; the search in CPU time, all else in wall time."""

    parse: float = 0.0
    detect: float = 0.0
    classify: float = 0.0
    compile: float = 0.0
    explore: float = 0.0
    total: float = 0.0


@frozen
class Found:
    """A group with what was found out about it, how it is used and what that did.

    ``names`` are those of the points; None: they are numbered from 1.  ``order`` is None and ``structure`` "unknown"
    where finding them took too long."""

    group: Group = field(repr=False)
    order: int | None
    structure: str
    strategy: str
    exact: bool
    reason: str
    names: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    system: System | None = field(default=None, repr=False, compare=False)
    moving: tuple[Permutation, ...] = field(default=(), repr=False)  # generators that do not keep the initial states
    composed: System | None = field(default=None, repr=False, compare=False)  # what was proved, if not of each command

    def to_json(self) -> dict[str, Any]:
        from quorbit.report.as_json import symmetry_object

        return symmetry_object(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from quorbit.report.notebook import symmetry_bundle

        return symmetry_bundle(self)


@frozen
class NotLookedFor:
    """Nobody looked for symmetry, for this reason; the System is as it was asked about."""

    reason: str
    system: System | None = field(default=None, repr=False, compare=False)

    @property
    def order(self) -> None:
        return None

    def to_json(self) -> dict[str, Any]:
        from quorbit.report.as_json import symmetry_object

        return symmetry_object(self)


@frozen
class Off:
    """The user wants no symmetry; the System is as it was asked about."""

    system: System | None = field(default=None, repr=False, compare=False)

    @property
    def order(self) -> int:
        return 1

    def to_json(self) -> dict[str, Any]:
        from quorbit.report.as_json import symmetry_object

        return symmetry_object(self)


SymmetryResult = Found | NotLookedFor | Off


@frozen
class Effect:
    """What symmetry did in a search: how many orbits of states were reached, how many states they stand for (exactly,
    or at most so many; None if that is not known), and whether it moves none of the stored states."""

    orbits: int | None
    represented: int | None
    exact: bool
    idle: bool | None


def effect_of(symmetry: SymmetryResult, outcome: Outcome) -> Effect | None:
    """None if nobody looked for symmetry."""
    statistics = outcome.statistics
    if isinstance(symmetry, NotLookedFor):
        return None
    exact = isinstance(symmetry, Off) or symmetry.exact
    complete = outcome.verdict is not Verdict.UNKNOWN and outcome.engine != "adaptive"
    if isinstance(symmetry, Found) and symmetry.strategy in ("none", "formulas") and symmetry.order != 1:
        return Effect(statistics.orbits, statistics.states, True, statistics.idle)  # no state was spared
    orbits = statistics.states if exact and complete else None
    if statistics.represented is not None:
        return Effect(orbits, statistics.represented, True, statistics.idle)
    if symmetry.order is None or outcome.engine == "adaptive":
        return Effect(orbits, None, False, statistics.idle)
    alone = statistics.idle is True or symmetry.order == 1
    return Effect(orbits, statistics.states * (1 if alone else symmetry.order), alone, statistics.idle)


@frozen
class CheckResult:
    """The answer about one property, or about the safety properties together (``asked`` is then empty)."""

    system: System = field(repr=False)
    path: str
    asked: str
    outcome: Outcome
    symmetry: SymmetryResult
    seconds: Seconds
    notes: tuple[str, ...] = ()
    options: LoadOptions = field(default_factory=LoadOptions)  # how the model was read
    simplified: bool = False  # the system is the one that was searched, not the one that was read
    is_safety: bool = False  # about all safety properties, or one of the answers they are told in
    refused: UserError | None = None  # what is wrong with the property: nobody was asked
    most_steps: int | None = None  # of the trace that are told, its first and its last; None: as many as a format likes

    @property
    def verdict(self) -> str:
        return self.outcome.verdict.value

    @property
    def effect(self) -> Effect | None:
        return effect_of(self.symmetry, self.outcome)

    @property
    def subject(self) -> str:
        """What the answer is about, in words."""
        nothing_stated = all(isinstance(p, Temporal) for p in self.system.properties)
        everything = "nothing was asked" if nothing_stated else "all invariants, assertions and deadlocks"
        asked = "" if self.is_safety and self.asked == "safety" else self.asked
        return self.outcome.property or asked or everything

    @property
    def states(self) -> int:
        return self.outcome.statistics.states

    @property
    def transitions(self) -> int:
        return self.outcome.statistics.transitions

    def to_json(self) -> dict[str, Any]:
        from quorbit.report.as_json import check_object

        return check_object(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return CheckResults((self,))._repr_mimebundle_()


@frozen
class CheckResults:
    """The answers about all properties asked for, in their order."""

    results: tuple[CheckResult, ...]

    @property
    def worst(self) -> CheckResult:
        """The first that fails, else the first that is unknown, else the first."""
        for verdict in (Verdict.FAILS, Verdict.UNKNOWN):
            for result in self.results:
                if result.outcome.verdict is verdict:
                    return result
        return self.results[0]

    @property
    def counted(self) -> CheckResult:
        """The answer whose states and symmetry stand for the model: that about safety if it was asked for."""
        return next((result for result in self.answered if result.is_safety), CheckResults(self.answered).worst)

    @property
    def answered(self) -> tuple[CheckResult, ...]:
        """Without properties that could not be read; all of them where there is nothing else."""
        return tuple(result for result in self.results if result.refused is None) or self.results

    @property
    def about_safety(self) -> CheckResults:
        """The answers about safety by themselves; all where it was not asked for."""
        return CheckResults(tuple(result for result in self.results if result.is_safety) or self.results)

    @property
    def verdict(self) -> str:
        return self.worst.verdict

    @property
    def refused(self) -> tuple[UserError, ...]:
        """What is wrong with properties that were asked for beside others."""
        return tuple(result.refused for result in self.results if result.refused is not None)

    def noted(self, note: str) -> CheckResults:
        """The same with a note beside the worst answer."""
        worst = self.worst
        told = replace(worst, notes=(*worst.notes, note))
        return CheckResults(tuple(told if result is worst else result for result in self.results))

    def to_json(self) -> dict[str, Any]:
        from quorbit.report.as_json import checks_object

        return checks_object(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from quorbit.report.notebook import check_bundle

        return check_bundle(self)
