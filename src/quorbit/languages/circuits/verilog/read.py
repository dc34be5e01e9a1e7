"""Read Verilog: by the own reader, which knows VIS's extensions, or through Yosys for what it does not know.

A ``.v`` file goes to the own reader first, a ``.sv`` file to Yosys first; what the first cannot read the other one
tries where it is installed.  The complaint shown is that of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.languages.circuits.yosys.run import find_yosys, read_through_yosys
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.read import read_source

__all__ = ["read_verilog"]


def read_verilog(path: Path, options: LoadOptions) -> Netlist:
    source = read_source(path)  # says so if there is no such file
    readers: list[Callable[[], Netlist]] = [lambda: elaborate(parse_verilog(tokenize(source, options.defines)))]
    if find_yosys() is not None:
        readers.append(lambda: read_through_yosys(path, options.defines))
    if path.suffix.lower() == ".sv":
        readers.reverse()
    complaint: UserError | None = None
    for read in readers:
        try:
            return read()
        except UserError as error:
            complaint = complaint or error
    assert complaint is not None
    raise complaint
