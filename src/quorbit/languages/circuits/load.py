"""Load a circuit: read its file by suffix, check it, add its properties, lower it to a System."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.follow import follow
from quorbit.languages.circuits.lower import build_system, held_inputs, prepare, with_choices
from quorbit.languages.circuits.mentioned import mentioned_inputs, without_idle
from quorbit.languages.circuits.properties import (
    Stated,
    claimed,
    is_linear,
    lower_property,
    read_formulas,
    read_properties,
    read_right_ones,
    show_proposition,
    watched_nets,
)
from quorbit.languages.language import Lowered
from quorbit.languages.options import LoadOptions
from quorbit.logic.formulas.bracketed import bracketed
from quorbit.logic.formulas.spellings import VIS
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.model.system.system import System
from quorbit.netlists.assumptions import excludes_every_run
from quorbit.netlists.check import Checked, checked
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import Netlist
from quorbit.netlists.program import Program
from quorbit.source.errors import Refused, UserError, raise_refused
from quorbit.source.frozen import replace
from quorbit.source.read import is_file, missing, read_limited, read_source
from quorbit.source.span import Source, Span

__all__ = ["read_hierarchy", "read_netlist", "read_property_file"]

REFUSED = {
    ".vhd": "VHDL is not supported; translate it first, e.g. with GHDL and Yosys to Verilog or BLIF",
    ".vhdl": "VHDL is not supported; translate it first, e.g. with GHDL and Yosys to Verilog or BLIF",
    ".edif": "EDIF is not supported; write the netlist as BLIF",
    ".edf": "EDIF is not supported; write the netlist as BLIF",
    ".edn": "EDIF is not supported; write the netlist as BLIF",
    ".btor": "BTOR is not supported; write the design as BTOR2, AIGER or Verilog",
}
NO_RUN = "the assumptions exclude every run, none keeps to them for ever: what holds may hold vacuously"
VERILOG = (".v", ".sv", ".vl")
KNOWN = (".mv", ".blif", ".blifmv", ".aag", ".aig", ".btor2", ".sby", *VERILOG, *REFUSED)


def load(path: Path, options: LoadOptions) -> System:
    """The System of a circuit with the properties its file states."""
    return lower_circuit(path, read_circuit(path, options), options)


def read_circuit(path: Path, options: LoadOptions) -> Checked:
    with nested_too_deeply(path):
        return checked(read_netlist(path, options))


def lower_circuit(path: Path, circuit: Checked, options: LoadOptions) -> System:
    """The System of a circuit that was read, with the properties its file states."""
    with nested_too_deeply(path):
        if options.follow_memories:
            circuit = again_checked(circuit, follow(circuit, ())[0])
        return lower_all(circuit, ())


def lower_for(
    path: Path, circuit: Checked, property_files: Sequence[Path], options: LoadOptions, formulas: Sequence[str] = ()
) -> Lowered:
    """The Systems on which the properties of files (.ctl .ltl .fair .inv) are checked, each with its properties, and
    with formulas in the words of VIS, which the fairness of the files is about, too; what is wrong in a file is no
    reason not to answer the rest."""
    with nested_too_deeply(path):
        netlist = circuit.netlist
        stated = [read_formula(netlist, words, words) for words in formulas]
        found = [each for file in property_files for each in read_right_ones(read_source(file), file.suffix, netlist)]
        stated += [each for each in found if isinstance(each, Stated)]
        refused = [each for each in found if isinstance(each, Refused)]
        if all(s.is_fairness for s in stated):
            raise_refused(refused)
        refuse_lone_fairness(netlist, stated)
        if options.follow_memories:  # what is asked is asked instead of the claims of the circuit
            netlist, stated = follow(replace(circuit, netlist=replace(netlist, claims=())), stated)
        return Lowered(lower_each(again_checked(circuit, netlist), stated), refused)


def again_checked(circuit: Checked, netlist: Netlist) -> Checked:
    """A netlist made of one that was checked; it is checked itself unless it has the same parts."""
    before = circuit.netlist
    same = netlist.tables is before.tables and netlist.latches is before.latches and netlist.inputs is before.inputs
    return replace(circuit, netlist=netlist) if same else checked(netlist)


def read_formula(netlist: Netlist, text: str, name: str) -> Stated:
    """A formula in the words of VIS; LTL is about all runs."""
    written = text.strip()
    source = Source(name, written if written.endswith(";") else f"{written};")
    stated = read_formulas(source, netlist)
    if len(stated) != 1:
        raise UserError(Span(source, 0, len(written)), "one formula is expected")
    return replace(stated[0], name=name)


def readings(path: Path, options: LoadOptions, words: Sequence[str]) -> list[tuple[str, str]]:
    """How the properties of files, by names or in words are read: names and formulas with all brackets."""
    with nested_too_deeply(path):
        netlist = read_netlist(path, options)
        stated = [s for each in words for s in stated_by(netlist, each)] if words else list(claimed(netlist))
        return [(s.name, bracketed(s.formula, partial(show_proposition, netlist), VIS)) for s in stated]


def stated_by(netlist: Netlist, words: str) -> list[Stated]:
    if words == "safety":
        return [s for s in claimed(netlist) if s.kind == "inv"]
    if named := [s for s in claimed(netlist) if s.name == words]:
        return named
    if is_file(Path(words)):
        return read_property_file(Path(words), netlist)
    source = Source("<property>", words if words.strip().endswith(";") else f"{words};")
    return [replace(s, name=words) for s in read_formulas(source, netlist)]


@contextmanager
def nested_too_deeply(path: Path) -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise UserError(None, f"{path}: expressions are nested too deeply") from None


def refuse_lone_fairness(netlist: Netlist, stated: Sequence[Stated]) -> None:
    """Fairness restricts formulas; given alone it would have no effect, and that would go unnoticed."""
    if stated and all(s.is_fairness for s in stated):
        raise UserError(stated[0].span, "fairness restricts formulas: give it together with the formulas it is for")


def lower_all(circuit: Checked, stated: Sequence[Stated]) -> System:
    """Lower a circuit with its own claims and some properties over its nets, all in one state."""
    circuit = with_note(circuit)
    return lower_together(circuit, [*claimed(circuit.netlist), *stated])


def with_note(circuit: Checked) -> Checked:
    """A note where assertions say nothing, since nothing satisfies the assumptions."""
    netlist = circuit.netlist
    if not excludes_every_run(netlist):
        return circuit
    return replace(circuit, netlist=replace(netlist, notes=(*netlist.notes, NO_RUN)))


def lower_each(circuit: Checked, stated: Sequence[Stated]) -> list[System]:
    """A System for each set of inputs that properties make part of the state.

    An input that is part of the state is chosen a step earlier, and a formula that branches sees that.  So a state
    holds what the formula mentions, whatever else is asked and however nets are written; only properties of single runs
    share a state, if fairness does not branch either."""
    circuit = with_note(circuit)
    netlist = circuit.netlist
    low = with_choices(circuit)
    fair = [s for s in (*claimed(netlist), *stated) if s.is_fairness]
    asked = [s for s in stated if not s.is_fairness]
    linear = [s for s in asked if is_linear(s)] if all(is_propositional(f.formula) for f in fair) else []
    shared = held_inputs(low, watched_nets([*fair, *linear]))
    groups: dict[tuple[str, ...], list[Stated]] = {}
    for s in asked:
        held = shared if s in linear else mentioned_inputs(low, [*fair, s])
        groups.setdefault(held, []).append(s)
    return [lower_together(*without_idle(circuit, low, [*fair, *group], held)) for held, group in groups.items()]


def lower_together(circuit: Checked, listed: Sequence[Stated]) -> System:
    low = prepare(circuit, watched_nets(listed))
    return build_system(low, [lower_property(low, s, listed) for s in listed if not s.is_fairness])


def read_netlist(path: Path, options: LoadOptions) -> Netlist:
    suffix = path.suffix.lower()
    if options.language == "circuits" and suffix not in KNOWN:
        suffix = suffix_by_content(read_bytes(path))
    if suffix in REFUSED:
        raise UserError(None, f"{path}: {REFUSED[suffix]}")
    if suffix in VERILOG:
        refuse_task(path, options, suffix)
        return from_verilog(path, options)
    refuse_verilog_options(path, options, suffix)
    if suffix in (".aag", ".aig"):
        return from_aiger(path)
    if suffix == ".sby":
        return from_plan(path, options)
    if suffix == ".btor2":
        return from_btor(path)
    if suffix in (".mv", ".blif", ".blifmv"):
        return flatten(parse(read_source(path), suffix == ".blif"))
    raise UserError(None, f"{path}: a circuit is a .mv, .blif, .aag, .aig, .btor2, .v, .sv or .sby file")


def refuse_verilog_options(path: Path, options: LoadOptions, suffix: str) -> None:
    given = [("--source", options.files), ("-I", options.includes), ("--top", options.top), ("-P", options.parameters)]
    for name, value in [*given, ("--dialect", options.dialect != "auto")]:
        if value and suffix != ".sby":
            raise UserError(None, f"{path}: {name} is about Verilog")
    refuse_task(path, options, suffix)


def refuse_task(path: Path, options: LoadOptions, suffix: str) -> None:
    if options.task is not None and suffix != ".sby":
        raise UserError(None, f"{path}: --task is about .sby files")


# Every reader is imported for files of its own format only.


def from_verilog(path: Path, options: LoadOptions) -> Netlist:
    from quorbit.languages.circuits.verilog.read import read_verilog

    return read_verilog(path, options)


def from_aiger(path: Path) -> Netlist:
    from quorbit.languages.circuits.aiger.read import parse_aiger

    return parse_aiger(str(path), read_bytes(path))


def from_btor(path: Path) -> Netlist:
    from quorbit.languages.circuits.btor.read import parse_btor

    return parse_btor(read_source(path))


def from_plan(path: Path, options: LoadOptions) -> Netlist:
    from quorbit.languages.circuits.sby import read_sby
    from quorbit.languages.circuits.verilog.read import read_sources

    plan = read_sby(path, options)
    netlist = read_sources(plan.sources, plan.path, plan.options, plan.synthesised)
    claims = tuple(claim for claim in netlist.claims if claim.kind in plan.kinds)
    return replace(netlist, claims=claims, notes=(*plan.notes, *netlist.notes))


def suffix_by_content(text: bytes) -> str:
    """The suffix that a circuit should have had: AIGER has a header, BLIF begins with a directive."""
    if text.startswith((b"aag ", b"aig ")):
        return f".{text[:3].decode()}"
    first = next((line.split()[0] for line in text.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    if not first.startswith(b"."):
        return ".v"
    return ".mv" if b"\n.mv " in text or b"\n.table" in text else ".blif"


def read_property_file(path: Path, netlist: Netlist) -> list[Stated]:
    return read_properties(read_source(path), path.suffix, netlist)


def read_hierarchy(path: Path) -> Program | None:
    """The models of a file, if some contain others."""
    suffix = path.suffix.lower()
    if suffix not in (".mv", ".blif", ".blifmv"):
        return None
    program = parse(read_source(path), suffix == ".blif")
    root = program.models.get(program.root)
    return program if root is not None and root.instances else None


def read_bytes(path: Path) -> bytes:
    if not is_file(path):
        raise missing(path)
    return read_limited(path)
