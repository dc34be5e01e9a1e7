"""A symmetry as data for a page: the atoms by orbit, the generators as moves, and how the atoms are connected."""

from __future__ import annotations

from typing import Any

from quorbit.detection.channel_diagram import OWNER, ChannelDiagram, channel_diagram
from quorbit.groups.group import Group, moved_orbits
from quorbit.groups.structure import decimal_length
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System
from quorbit.report.as_json import point_name, show_moves
from quorbit.report.page.wires import wires_of
from quorbit.report.pictures.channels import columns
from quorbit.report.pictures.local_states import local_states
from quorbit.report.record import Effect, Found, NotLookedFor, Off, SymmetryResult
from quorbit.report.text import show_order

__all__ = ["effect_text", "symmetry_data"]

MOST_ATOMS = 2000
MOST_GENERATORS = 200
MOST_DRAWN = 240  # vertices of a diagram
MOST_COMMANDS = 5000  # to be written out for a diagram
LARGE = 10**12  # a number that nobody reads digit by digit
Data = dict[str, Any]


def symmetry_data(result: SymmetryResult, diagram: bool = True) -> Data:
    match result:
        case NotLookedFor(reason):
            return {"known": False, "structure": "not looked for", "reason": reason}
        case Off():
            return {"known": False, "structure": "off", "reason": "symmetry is off: every state represents itself"}
        case Found():
            return found_data(result, diagram)


def found_data(result: Found, diagram: bool) -> Data:
    orbits = moved_orbits(result.group)
    moved = {x for orbit in orbits for x in orbit}
    fixed = [x for x in range(min(result.group.degree, MOST_ATOMS)) if x not in moved]
    shown = [orbit[:MOST_ATOMS] for orbit in orbits[:MOST_ATOMS]]
    generators = result.group.moves[:MOST_GENERATORS]
    return {
        "known": True,
        "structure": result.structure,
        "order": show_order(result.order),
        "trivial": result.group.is_trivial,
        "strategy": result.strategy,
        "exact": result.exact,
        "reason": result.reason,
        "notes": list(result.notes),
        "atoms": {str(x): str(point_name(x, result.names)) for x in (*(x for o in shown for x in o), *fixed)},
        "orbits": [list(orbit) for orbit in shown],
        "fixed": fixed,
        "degree": result.group.degree,
        "generators": [{"text": show_moves(m, result.names), "moves": [list(pair) for pair in m]} for m in generators],
        "more": len(result.group.moves) - len(generators),
        "diagram": diagram_data(result) if diagram else None,
    }


def diagram_data(result: Found) -> Data | None:
    """Processes and channels, or the latches of a circuit and what they read; None where nothing is connected."""
    system = result.system
    if system is None or len(system.atoms) != result.group.degree:
        return None
    if system.synchronous:
        return wires_of(system, result.group, MOST_DRAWN)
    if len(system.commands) > MOST_COMMANDS:
        return None
    grounded = ground(system)
    return channels_data(grounded, result.group) or local_data(system)


def channels_data(system: System, group: Group) -> Data | None:
    for shared in (False, True):
        diagram = channel_diagram(system, shared)
        if any(kind != OWNER for _, _, kind in diagram.arcs):
            return draw(diagram, group)
    return None


def draw(diagram: ChannelDiagram, group: Group) -> Data:
    sides = [side[:MOST_DRAWN] for side in columns(diagram, group)]
    kept = {v for side in sides for v in side}
    atoms = len(diagram.system.atoms)
    return {
        "title": "Channel diagram",
        "columns": sides,
        "vertices": {
            str(v): {
                "name": diagram.name(v),
                "kind": "process" if v in diagram.processes else "channel" if v < atoms else "variable",
                "atoms": [v] if v < atoms else [a for a in diagram.shared[v - atoms].owners if a >= 0],
            }
            for v in sorted(kept)
        },
        "arcs": [[u, v, kind] for u, v, kind in diagram.arcs if kind != OWNER and u in kept and v in kept],
        "left": sum(map(len, columns(diagram, group))) - len(kept),
    }


def local_data(system: System) -> Data | None:
    """The local states that every process goes through, where it has such states."""
    found = local_states(system)
    if found is None or len(found.states) > MOST_DRAWN:
        return None
    return {
        "title": "Local states of a process",
        "ring": list(found.states),
        "initial": sorted(found.initial),
        "arcs": [[a, b, "; ".join(labels)] for (a, b), labels in found.arrows],
    }


def effect_text(effect: Effect | None, symmetry: SymmetryResult, states: int, engine: str) -> str:
    """What symmetry saved, in a few words; "" where there was none."""
    if effect is None or symmetry.order == 1 or not states or engine == "adaptive":
        return ""
    if effect.idle:
        return "nothing: no stored state is moved by a symmetry"
    if effect.represented is None:
        return ""
    most = "" if effect.exact else "at most "
    times = effect.represented / states if effect.represented < LARGE else effect.represented // states
    return f"{most}{short(times)} times fewer states: {states:,} stand for {most}{short(effect.represented)}"


def short(number: float) -> str:
    """With all digits as long as people read them."""
    if number >= LARGE:
        return f"about 10^{decimal_length(int(number)) - 1}"
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"
