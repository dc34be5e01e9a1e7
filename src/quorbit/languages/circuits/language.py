"""Circuits (BLIF, BLIF-MV, AIGER, BTOR2, Verilog), as a language of the registry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.language import Language

__all__ = ["CIRCUITS"]

if TYPE_CHECKING:
    from quorbit.languages.options import LoadOptions
    from quorbit.model.system.system import Property, System
    from quorbit.netlists.netlist import Netlist
    from quorbit.result.outcome import Trace
    from quorbit.source.span import Span


def load(path: Path, options: LoadOptions) -> System:
    from quorbit.languages.circuits.load import load as read

    return read(path, options)


def load_with(
    path: Path, property_files: Sequence[Path], options: LoadOptions, formulas: Sequence[str] = ()
) -> list[System]:
    from quorbit.languages.circuits.load import load_with as read

    return read(path, property_files, options, formulas)


def load_for(path: Path, options: LoadOptions, text: Span, name: str) -> tuple[System, Property]:
    from quorbit.languages.circuits.load import load_for as read

    return read(path, options, text, name)


def readings(path: Path, options: LoadOptions, words: Sequence[str]) -> list[tuple[str, str]]:
    from quorbit.languages.circuits.load import readings as read

    return read(path, options, words)


def write_waves(system: System, trace: Trace) -> str:
    from quorbit.languages.circuits.vcd import write_vcd

    return write_vcd(system, trace)


def read_netlist(path: Path, options: LoadOptions) -> Netlist:
    from quorbit.languages.circuits.load import read_netlist as read

    return read(path, options)


CIRCUITS = Language(
    name="circuits",
    title="circuits",
    suffixes=(".mv", ".blifmv", ".blif", ".aag", ".aig", ".btor2", ".v", ".sv", ".vl", ".sby"),
    refused=(".vhd", ".vhdl", ".edif", ".edf", ".edn", ".btor"),
    load=load,
    load_with=load_with,
    readings=readings,
    load_for=load_for,
    write_waves=write_waves,
    read_netlist=read_netlist,
    property_suffixes=(".ctl", ".ltl", ".inv"),
)
