"""``quorbit equivalent``: whether two circuits compute the same functions."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from quorbit.cli.answer import print_json
from quorbit.detection.netlists.equivalence import Equivalence, compare
from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError

__all__ = ["run"]

NO_MEMORY = "out of memory for the decision diagrams"


def run(options: Namespace) -> int:
    first, second = (read_netlist(Path(path), LoadOptions(defines=tuple(options.defines))) for path in options.models)
    try:
        found = compare(first, second)
    except MemoryError:
        return unknown(options)
    except RecursionError:
        raise UserError(None, "expressions are nested too deeply") from None
    if options.json:
        print_json(equivalence_object(found))
    else:
        print("\n".join(shown(found)))
    return 0 if found.equivalent else 1


def unknown(options: Namespace) -> int:
    if options.json:
        print_json({"verdict": "unknown", "message": NO_MEMORY})
    else:
        print(f"UNKNOWN: {NO_MEMORY}")
    return 3


def shown(found: Equivalence) -> list[str]:
    total = sum(map(len, found.orbits))
    lines = ["EQUIVALENT" if found.equivalent else f"DIFFERENT: {found.different}"]
    if not found.equivalent:
        lines += [f"  {name} = {value}" for name, value in found.inputs.items()]
    lines.append(f"  functions   {total}")
    lines.append(f"  orbits      {len(found.orbits)}, one function of each was compared")
    return lines


def equivalence_object(found: Equivalence) -> dict[str, object]:
    return {
        "verdict": "equivalent" if found.equivalent else "different",
        "orbits": [list(orbit) for orbit in found.orbits],
        "different": found.different or None,
        "inputs": dict(found.inputs),
    }
