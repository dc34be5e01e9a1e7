"""Circuits (BLIF, BLIF-MV, AIGER, BTOR2, Verilog), as a language of the registry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.language import Language, Lowered

__all__ = ["CIRCUITS"]

if TYPE_CHECKING:
    from quorbit.languages.options import LoadOptions
    from quorbit.model.system.system import System
    from quorbit.netlists.check import Checked
    from quorbit.result.outcome import Trace


def load(path: Path, options: LoadOptions) -> System:
    from quorbit.languages.circuits.load import load as read

    return read(path, options)


def read_circuit(path: Path, options: LoadOptions) -> Checked:
    from quorbit.languages.circuits.load import read_circuit as read

    return read(path, options)


def lower_circuit(path: Path, circuit: Checked, options: LoadOptions) -> System:
    from quorbit.languages.circuits.load import lower_circuit as lower

    return lower(path, circuit, options)


def lower_for(
    path: Path, circuit: Checked, property_files: Sequence[Path], options: LoadOptions, formulas: Sequence[str] = ()
) -> Lowered:
    from quorbit.languages.circuits.load import lower_for as lower

    return lower(path, circuit, property_files, options, formulas)


def readings(path: Path, options: LoadOptions, words: Sequence[str]) -> list[tuple[str, str]]:
    from quorbit.languages.circuits.load import readings as read

    return read(path, options, words)


def write_waves(system: System, trace: Trace) -> str:
    from quorbit.languages.circuits.vcd import write_vcd

    return write_vcd(system, trace)


CIRCUITS = Language(
    name="circuits",
    title="circuits",
    suffixes=(".mv", ".blifmv", ".blif", ".aag", ".aig", ".btor2", ".v", ".sv", ".vl", ".sby"),
    refused=(".vhd", ".vhdl", ".edif", ".edf", ".edn", ".btor"),
    load=load,
    readings=readings,
    write_waves=write_waves,
    read_circuit=read_circuit,
    lower_circuit=lower_circuit,
    lower_for=lower_for,
    property_suffixes=(".ctl", ".ltl", ".inv"),
)
