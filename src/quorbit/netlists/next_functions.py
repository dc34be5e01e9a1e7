"""The next-state functions of a netlist, and whether a permutation of latches and inputs preserves them.

They are BDDs, or gates for other tools (`gates.py`): whatever has conjunction, disjunction and negation.  Every source
(latch, input, choice of a table) has variables for the bits of its value.  A permutation of the sources is a symmetry
of the circuit if renaming the variables by it turns the function of each latch into that of its image, and the function
of each output likewise ([M97, 5.1]: the check of a permutation that a designer suggests).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from quorbit.bdd.function import Manager
from quorbit.netlists.check import Driver, drivers, topological
from quorbit.netlists.netlist import Among, Anything, Entry, Latch, Netlist, Row, Same, Table
from quorbit.netlists.table_expressions import answers
from quorbit.source.frozen import frozen

__all__ = ["Functions", "Logic", "build_functions", "choice_of", "is_preserved"]

Bdd = Any  # or a gate: what the operators &, | and ~ are for
Values = tuple[Bdd, ...]  # for every value of a net the condition under which it has it


class Logic(Protocol):
    """What functions are made of."""

    true: Any
    false: Any

    def add_variables(self, count: int) -> range: ...
    def variable(self, number: int) -> Any: ...
    def conjunction(self, functions: Iterable[Any]) -> Any: ...
    def disjunction(self, functions: Iterable[Any]) -> Any: ...


L = TypeVar("L", bound=Logic)


@frozen
class Functions(Generic[L]):
    m: L
    netlist: Netlist
    sources: dict[str, tuple[int, ...]]  # the variables of each source
    nets: dict[str, Values]


def build_functions(netlist: Netlist, m: L) -> Functions[L]:
    """The functions of all nets, over latches, inputs and choices."""
    found: dict[str, Driver] = drivers(netlist)
    built = Functions(m, netlist, {}, {})
    for name in [latch.output for latch in netlist.latches] + list(netlist.inputs):
        built.nets[name] = add_source(built, name, len(netlist.domain(name)))
    for table in topological(netlist, found):
        add_table(built, table)
    return built


def add_source(built: Functions[L], name: str, size: int) -> Values:
    m = built.m
    variables = tuple(m.add_variables(max(1, (size - 1).bit_length())))
    built.sources[name] = variables
    codes = [
        m.conjunction(m.variable(b) if k >> i & 1 else ~m.variable(b) for i, b in enumerate(variables))
        for k in range(size)
    ]
    codes[-1] = ~m.disjunction(codes[:-1])  # codes that are not used mean the last value
    return tuple(codes)


def add_table(built: Functions[L], table: Table) -> None:
    """The outputs; of a table with a choice, its k-th answer is taken where the choice is k and the rows allow it."""
    m, netlist = built.m, built.netlist
    options = answers(netlist, table)
    conditions = [
        m.conjunction(entry_condition(built, n, e) for n, e in zip(table.inputs, r.inputs, strict=True))
        for r in table.rows
    ]
    rest = ~m.disjunction(conditions)
    if not options:
        for j, net in enumerate(table.outputs):
            cases = [(c, row.outputs[j]) for c, row in zip(conditions, table.rows, strict=True)]
            cases += [(rest, table.default[j])] if table.default is not None else []
            built.nets[net] = gather(built, net, cases)
        return
    choice = add_source(built, choice_of(table), len(options))
    widths = [len(netlist.domain(net)) for net in table.outputs]
    rows = [*zip(conditions, table.rows, strict=True)]
    if table.default is not None:
        rows.append((rest, Row((), table.default)))
    allowed = [m.disjunction(c for c, row in rows if allows(row, option, widths)) for option in options]
    taken = [c & a for c, a in zip(choice, allowed, strict=True)]
    missed = ~m.disjunction(taken)
    for k, a in enumerate(allowed):  # what is chosen but not allowed falls to the first that is
        taken[k] = taken[k] | (missed & a)
        missed = missed & ~a
    for j, net in enumerate(table.outputs):
        built.nets[net] = gather(built, net, [(t, option[j]) for t, option in zip(taken, options, strict=True)])


def choice_of(table: Table) -> str:
    return f"choice of {table.outputs[0]}"


def allows(row: Row, option: tuple[Entry, ...], widths: list[int]) -> bool:
    return all(
        o == e or (isinstance(o, Among) and includes(e, o.values[0])) for e, o in zip(row.outputs, option, strict=True)
    )


def includes(entry: Entry, k: int) -> bool:
    return isinstance(entry, Anything) or (isinstance(entry, Among) and k in entry.values)


def entry_condition(built: Functions[L], net: str, entry: Entry) -> Bdd:
    m, values = built.m, built.nets[net]
    match entry:
        case Anything():
            return m.true
        case Among(chosen):
            return m.disjunction(values[k] for k in chosen)
        case Same(other):
            return m.disjunction(a & b for a, b in zip(values, built.nets[other], strict=True))


def gather(built: Functions[L], net: str, cases: list[tuple[Bdd, Entry]]) -> Values:
    m = built.m
    size = len(built.netlist.domain(net))
    found = [m.false] * size
    for condition, entry in cases:
        match entry:
            case Same(other):
                found = [f | (condition & g) for f, g in zip(found, built.nets[other], strict=True)]
            case Among(values):
                for k in values[:1]:
                    found[k] = found[k] | condition
            case Anything():
                found[0] = found[0] | condition
    return (~found[1], found[1]) if size == 2 else tuple(found)


def is_preserved(built: Functions[Manager], image: Mapping[str, str]) -> bool:
    """Whether the permutation of the sources (those not named stay) is a symmetry of latches and outputs."""
    m = built.m
    pairs: dict[int, int] = {}
    for name, variables in built.sources.items():
        target = built.sources.get(image.get(name, name))
        if target is None or len(target) != len(variables):
            return False
        pairs.update(zip(variables, target, strict=True))
    if len(set(pairs.values())) < len(pairs):
        return False
    renaming = m.rename(pairs)
    return all(
        tuple(m.substitute(f, renaming) for f in built.nets[latch.input]) == built.nets[next_of(built, image, latch)]
        for latch in built.netlist.latches
    ) and all(
        any(
            tuple(m.substitute(f, renaming) for f in built.nets[net]) == built.nets[other]
            for other in built.netlist.outputs
        )
        for net in built.netlist.outputs
    )


def next_of(built: Functions[Manager], image: Mapping[str, str], latch: Latch) -> str:
    """The input of the latch that a latch is moved to."""
    target = image.get(latch.output, latch.output)
    return next((other.input for other in built.netlist.latches if other.output == target), latch.input)
