"""``quorbit export``: a circuit with what is asked of it, in a format that other tools read."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from quorbit.cli.answer import print_json, write_bytes
from quorbit.cli.options import load_options
from quorbit.languages.circuits.export import Exported, export
from quorbit.languages.registry import language_of
from quorbit.source.errors import UserError

__all__ = ["run"]


def run(options: Namespace) -> int:
    path = Path(options.model)
    if language_of(path, options.language).read_circuit is None:
        raise UserError(None, f"{path}: only circuits can be exported")
    found = export(path, Path(options.file), options.properties, load_options(options))
    write_bytes(options.file, found.content)
    if options.json:
        print_json({"file": options.file, **counts(found), "left_out": list(found.left_out)})
    else:
        print("\n".join(shown(options.file, found)))
    return 0


def counts(found: Exported) -> dict[str, int]:
    c = found.circuit
    return {
        "inputs": len(c.inputs),
        "latches": len(c.registers),
        "bad": len(c.bad),
        "justice": len(c.justice),
        "constraints": len(c.constraints),
        "fairness": len(c.fairness),
    }


def shown(file: str, found: Exported) -> list[str]:
    lines = [f"written: {file}"]
    lines += [f"  {name:<12}{count}" for name, count in counts(found).items() if count or name in ("inputs", "latches")]
    if found.left_out:
        lines.append(f"  left out    {', '.join(found.left_out)}: covers have no counterpart in this format")
    return lines
