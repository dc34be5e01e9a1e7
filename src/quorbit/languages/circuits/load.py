"""Load a circuit: read its file by suffix, check it, add its properties, lower it to a System."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from quorbit.languages.circuits.aiger.read import parse_aiger
from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.lower import build_system, prepare
from quorbit.languages.circuits.properties import (
    Stated,
    claimed,
    lower_property,
    read_formulas,
    read_properties,
    watched_nets,
)
from quorbit.languages.circuits.verilog.read import read_verilog
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Property, System
from quorbit.netlists.check import check
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.read import read_limited, read_source
from quorbit.source.span import Source, Span

REFUSED = {
    ".vhd": "VHDL is not read; translate it first, e.g. with GHDL and Yosys to Verilog or BLIF",
    ".vhdl": "VHDL is not read; translate it first, e.g. with GHDL and Yosys to Verilog or BLIF",
    ".edif": "EDIF is not read; write the netlist as BLIF",
    ".edf": "EDIF is not read; write the netlist as BLIF",
    ".edn": "EDIF is not read; write the netlist as BLIF",
    ".btor": "BTOR is not read; write the design as AIGER or Verilog",
    ".btor2": "BTOR2 is not read; write the design as AIGER or Verilog",
}
VERILOG = (".v", ".sv", ".vl")


def load(path: Path, options: LoadOptions) -> System:
    """The System of a circuit with the properties its file states."""
    return load_with(path, (), options)


def load_with(path: Path, property_files: Sequence[Path], options: LoadOptions) -> System:
    """The System of a circuit with the properties of its own file and of property files (.ctl .ltl .fair .inv)."""
    try:
        netlist = read_netlist(path, options)
        stated = [s for file in property_files for s in read_properties(read_source(file), file.suffix, netlist)]
        refuse_lone_fairness(netlist, stated)
        return system_of(netlist, stated)
    except RecursionError:
        raise UserError(None, f"{path}: expressions are nested too deeply") from None


def load_for(path: Path, options: LoadOptions, text: Span, name: str) -> tuple[System, Property]:
    """The System of a circuit for one property in the words of VIS: a state formula, or LTL about all runs."""
    netlist = read_netlist(path, options)
    written = text.text.strip()
    source = Source(name, written if written.endswith(";") else f"{written};")
    stated = read_formulas(source, netlist)
    if len(stated) != 1:
        raise UserError(text, "one formula is expected")
    known = {claim.name for claim in netlist.claims}
    system = system_of(netlist, [replace(stated[0], name=name)])
    return system, next(p for p in system.properties if p.name == name and p.name not in known)


def refuse_lone_fairness(netlist: Netlist, stated: Sequence[Stated]) -> None:
    """Fairness restricts formulas; given alone it would have no effect, and that would go unnoticed."""
    if stated and all(s.is_fairness for s in stated) and not netlist.claims:
        raise UserError(stated[0].span, "fairness restricts formulas: give it together with the formulas it is for")


def system_of(netlist: Netlist, stated: Sequence[Stated]) -> System:
    """Lower a netlist with properties over its nets."""
    drivers = check(netlist)
    listed = [*claimed(netlist), *stated]
    low = prepare(netlist, drivers, watched_nets(netlist, listed))
    return build_system(low, [lower_property(low, s, listed) for s in listed if not s.is_fairness])


def read_netlist(path: Path, options: LoadOptions) -> Netlist:
    suffix = path.suffix.lower()
    if suffix in REFUSED:
        raise UserError(None, f"{path}: {REFUSED[suffix]}")
    if suffix in (".aag", ".aig"):
        return parse_aiger(str(path), read_bytes(path))
    if suffix in VERILOG:
        return read_verilog(path, options)
    if suffix in (".mv", ".blif", ".blifmv"):
        return flatten(parse(read_source(path), suffix == ".blif"))
    raise UserError(None, f"{path}: a circuit is a .mv, .blif, .aag, .aig, .v or .sv file")


def read_bytes(path: Path) -> bytes:
    if not path.is_file():
        raise UserError(None, f"{path}: no such file")
    return read_limited(path)
