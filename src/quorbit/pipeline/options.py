"""What a user can ask of a check."""

from __future__ import annotations

from quorbit.machine.options import SearchOptions
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen

__all__ = ["CheckOptions"]


@frozen
class CheckOptions:
    """What a user can ask of a check.  ``properties``: names, formulas or files; none for all safety properties."""

    properties: tuple[str, ...] = ()
    symmetry: str = "auto"  # or "off"
    strategy: str = "auto"
    engine: str = "auto"
    quotient: str = "auto"  # circuits, symbolic engine: next or relation for a quotient by that [M97], off for none
    witnesses: bool = False  # circuits: a trace also for a formula that one path shows to hold
    search: SearchOptions = field(default_factory=SearchOptions)
    adapt: bool = True  # whether engine auto may choose adaptive reduction, whose states are not orbits of the group


def refuse_combinations(options: CheckOptions) -> None:
    if options.symmetry == "off" and options.strategy != "auto":
        raise UserError(None, f"--strategy {options.strategy} cannot be used with --symmetry off")
    if options.quotient != "auto" and options.engine not in ("auto", "symbolic"):
        raise UserError(None, f"--quotient is for the symbolic engine, not for the {options.engine} engine")
    if options.quotient in ("next", "relation") and options.symmetry == "off":
        raise UserError(None, f"--quotient {options.quotient} needs the symmetries that --symmetry off leaves out")
