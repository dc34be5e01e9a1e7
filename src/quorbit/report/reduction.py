"""What stayed exact in a reduced search, in a few lines: ``check --explain-reduction``."""

from __future__ import annotations

from quorbit.report.record import CheckResult, Effect, Found

__all__ = ["reduction_lines"]


def reduction_lines(result: CheckResult, search: str) -> list[str]:
    """``search``: the order in which states were visited ("bfs", "dfs", "mixed")."""
    symmetry, engine = result.symmetry, result.outcome.engine
    if engine == "adaptive":
        return [
            "reduced by adaptive symmetry: states are distinguished only as far as their paths distinguish processes",
            "  verdict, deadlocks  exact",
            "  counts              of annotated states, not of orbits",
            "  coverage            up to swaps of processes that no command on the path distinguishes",
        ]
    if not isinstance(symmetry, Found) or symmetry.order == 1 or symmetry.strategy == "none":
        return ["not reduced: every count, the coverage and the traces are those of the whole model"]
    return [
        f"reduced by {symmetry.structure}: one state of each orbit was looked at",
        "  verdict, deadlocks  exact: every generator was proved to keep the steps and the properties",
        f"  counts              {counts(symmetry, result.effect)}",
        f"  coverage            {coverage(symmetry)}",
        f"  trace               {trace(search)}",
    ]


def counts(symmetry: Found, effect: Effect | None) -> str:
    kind = "orbits of states" if symmetry.exact else "representatives, perhaps several of an orbit"
    if effect is None or effect.represented is None:
        return kind
    return f"{kind}; they stand for {'' if effect.exact else 'at most '}{effect.represented:,} states"


def coverage(symmetry: Found) -> str:
    if symmetry.moving:
        return "a statement counts as reached if an image of it was: some symmetries move the start"
    return "exact: the images of what was reached are reached"


def trace(search: str) -> str:
    shortest = "shortest, since symmetries keep distances" if search == "bfs" else "not the shortest (--search bfs is)"
    return f"a run of the unreduced model, replayed; {shortest}"
