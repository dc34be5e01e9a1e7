"""Read Verilog."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.circuits.netlist import Netlist
from quorbit.languages.options import LoadOptions


def read_verilog(path: Path, options: LoadOptions) -> Netlist:
    raise AssertionError
