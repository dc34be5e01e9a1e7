"""Large memories followed at single addresses, for conditions that never or sometime hold (netlists/followed.py)."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.languages.circuits.properties import SAFETY, Stated, is_always, is_one, under_always, watched_nets
from quorbit.model.system.formula import AllPaths, Always, Formula, Not, Or
from quorbit.netlists.check import Checked
from quorbit.netlists.followed import LEAST_BITS, follow_memories
from quorbit.netlists.netlist import Claim, Netlist
from quorbit.source.frozen import replace

__all__ = ["follow"]


def follow(circuit: Checked, stated: Sequence[Stated], least_bits: int = LEAST_BITS) -> tuple[Netlist, list[Stated]]:
    """The netlist and what is asked of it, its own claims too, with large memories followed where that is exact; else
    both as they are."""
    netlist = circuit.netlist
    asked = [*(list(claim.nets) for claim in netlist.claims), *(watched_nets([s]) for s in stated)]
    if not asked or not all(map(is_condition, netlist.claims)) or not all(map(is_about_states, stated)):
        return netlist, list(stated)
    followed = follow_memories(circuit, asked, least_bits)
    if followed is None:
        return netlist, list(stated)
    count = len(netlist.claims)
    claims = [at_followed(c, seen) for c, seen in zip(netlist.claims, followed.seen[:count], strict=True)]
    meant = [where_followed(s, seen) for s, seen in zip(stated, followed.seen[count:], strict=True)]
    return replace(followed.netlist, claims=tuple(claims)), meant


def is_condition(claim: Claim) -> bool:
    return claim.kind != "not always eventually"


def is_about_states(s: Stated) -> bool:
    return s.kind in SAFETY or is_always(s)


def at_followed(claim: Claim, seen: str) -> Claim:
    return replace(claim, nets=(*claim.nets, seen)) if seen else claim


def where_followed(s: Stated, seen: str) -> Stated:
    return replace(s, formula=weaker(s, Not(is_one(seen)))) if seen else s


def weaker(s: Stated, unseen: Formula) -> Formula:
    if s.kind in SAFETY:
        return Or((s.formula, unseen))
    body = Always(Or((under_always(s.formula), unseen)))
    return AllPaths(body) if isinstance(s.formula, AllPaths) else body
