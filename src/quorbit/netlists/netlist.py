"""The flat multi-valued netlist: what every circuit format is read into.

A net is a name with a finite domain; a table drives its outputs from its inputs by rows, as in BLIF-MV; a latch hands
its input on to its output at every step.  A table without inputs and with more than one possible output is a pseudo-
input. Values are numbers: positions in the domain of their net.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quorbit.source.frozen import field, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "BOOLEAN",
    "Among",
    "Anything",
    "Claim",
    "Domain",
    "Entry",
    "Labels",
    "Latch",
    "Netlist",
    "Row",
    "Same",
    "Table",
    "mentions",
    "range_domain",
    "renamed",
]


@frozen
class Domain:
    """The values a net can take, by name."""

    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values)

    def index(self, name: str) -> int | None:
        return self.values.index(name) if name in self.values else None


BOOLEAN = Domain(("0", "1"))
Labels = Mapping[int, str]  # of the values of a word, those that have one


def range_domain(size: int) -> Domain:
    return BOOLEAN if size == 2 else Domain(tuple(str(i) for i in range(size)))


@frozen
class Among:
    """The value is one of these (sorted, no repetition)."""

    values: tuple[int, ...]


@frozen
class Same:
    """The value is that of another net of the same table (the BLIF-MV entry ``=x``)."""

    net: str


@frozen
class Anything:
    """Any value (the BLIF-MV entry ``-``)."""


Entry = Among | Same | Anything
ANYTHING = Anything()


@frozen
class Row:
    inputs: tuple[Entry, ...]
    outputs: tuple[Entry, ...]


@frozen
class Table:
    """Outputs as a function or relation of inputs; inputs that match no row give the default."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rows: tuple[Row, ...]
    default: tuple[Entry, ...] | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Latch:
    """At every step the output becomes what the input was; at the start it is what the reset table allows (no table:
    anything).
    """

    input: str
    output: str
    reset: Table | None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Claim:
    """A property that came with the circuit (AIGER bad states and justice, Verilog assertions): nets that are 1 when
    it happens.

    kind ``never``: the only net is 1 in no reachable state; ``not always eventually``: on no path are all nets 1
    infinitely often; ``sometimes``: the only net is 1 in a reachable state; ``premise``: the same, of the left side of
    the claim of this name.
    """

    name: str
    kind: str
    nets: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Netlist:
    """A circuit without hierarchy.  ``domains``: the nets that are not boolean; ``aliases``: other names of nets."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tables: tuple[Table, ...]
    latches: tuple[Latch, ...]
    domains: Mapping[str, Domain] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    constraints: tuple[str, ...] = ()  # nets that are 1 at every step
    fairness: tuple[str, ...] = ()  # nets that are 1 infinitely often
    claims: tuple[Claim, ...] = ()
    spans: Mapping[str, Span] = field(default_factory=dict, compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False)  # what its reader has to say to the user
    vectors: Mapping[str, tuple[int, int]] = field(default_factory=dict, compare=False)  # their indices, as declared
    labels: Mapping[str, Labels] = field(default_factory=dict, compare=False)  # what values of words are called

    def domain(self, net: str) -> Domain:
        return self.domains.get(net, BOOLEAN)

    def span(self, net: str) -> Span:
        return self.spans.get(net, NOWHERE)

    def resolve(self, name: str) -> str:
        """The net a name stands for."""
        return self.aliases.get(name, name)


def mentions(table: Table) -> Iterator[str]:
    """The nets a table reads: its inputs and the nets of its ``=x`` entries, in order, with repetition."""
    yield from table.inputs
    entries = [e for row in table.rows for e in (*row.inputs, *row.outputs)]
    for entry in (*entries, *(table.default or ())):
        if isinstance(entry, Same) and entry.net not in table.outputs:
            yield entry.net


def renamed(table: Table, names: Mapping[str, str]) -> Table:
    """The same with other names for some of its nets."""

    def entry(e: Entry) -> Entry:
        return Same(names.get(e.net, e.net)) if isinstance(e, Same) else e

    return Table(
        tuple(names.get(net, net) for net in table.inputs),
        tuple(names.get(net, net) for net in table.outputs),
        tuple(Row(tuple(map(entry, row.inputs)), tuple(map(entry, row.outputs))) for row in table.rows),
        None if table.default is None else tuple(map(entry, table.default)),
        table.span,
    )
