"""A System on its way to an engine: the record that passes from step to step."""

from __future__ import annotations

from quorbit.canon.layout import Layout
from quorbit.canon.plan import Plan
from quorbit.detection.detect import Symmetry
from quorbit.engines.engine import Guide
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.model.specialise.specialise import Special
from quorbit.model.system.partitions import Partitions
from quorbit.model.system.system import System
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.steps import Steps
from quorbit.report.record import NotLookedFor, SymmetryResult
from quorbit.result.outcome import Outcome
from quorbit.source.frozen import field, frozen

__all__ = ["Case"]


@frozen
class Case:
    """The System that is asked about (its properties are those asked for), and what each step adds.

    specialise: ``system`` becomes simpler; ``special``: what is known of it, before values become atoms
    detect:     ``found``, the group, or ``partitions`` or ``generators``; ``system`` is the one to search
    classify:   ``plan`` with its ``layout``, and ``symmetry``, what the answer will say
    """

    system: System
    guide: Guide
    options: CheckOptions = CheckOptions()
    steps: Steps = field(default_factory=Steps, compare=False, repr=False)
    soon: tuple[Outcome, ...] = ()  # what was answered before symmetries were looked for
    special: Special | None = None
    found: Symmetry | None = None
    partitions: Partitions | None = None
    generators: tuple[Permutation, ...] = ()
    groups: tuple[Group | None, ...] = ()  # that keep each of the properties, where they were looked for
    decoded: tuple[
        Symmetry | None, ...
    ] = ()  # of each of them with the indices of a circuit decoded, where that is more
    symmetries: tuple[SymmetryResult, ...] = ()  # what the answer to each of the properties will say, if not the same
    stage: str = "all"  # of a search on sets of states
    plan: Plan | None = None
    layout: Layout | None = None
    symmetry: SymmetryResult = NotLookedFor("the run ended before its answer was complete")
