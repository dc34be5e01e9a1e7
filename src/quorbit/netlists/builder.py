"""Build a netlist gate by gate: n-ary gates are single tables, equal gates are shared, constants fold away.

N-ary tables keep what is symmetric in the source symmetric in the netlist; a tree of two-input gates would not ([M97,
5.3]).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorbit.netlists.netlist import (
    ANYTHING,
    BOOLEAN,
    Among,
    Claim,
    Domain,
    Entry,
    Labels,
    Latch,
    Netlist,
    Row,
    Same,
    Table,
)
from quorbit.source.frozen import field, mutable
from quorbit.source.span import NOWHERE, Span

__all__ = ["ONE", "ZERO", "Builder"]

ZERO, ONE = "$false", "$true"
OFF, ON = Among((0,)), Among((1,))


@mutable
class Builder:
    """A netlist in the making.  Bits are names of boolean nets; ZERO and ONE are the constants."""

    name: str
    span: Span = NOWHERE  # where in the text the parts now being built come from
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    latches: list[Latch] = field(default_factory=list)
    domains: dict[str, Domain] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    constraints: list[str] = field(default_factory=list)
    fairness: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    spans: dict[str, Span] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what the user should know of how the text was read
    vectors: dict[str, tuple[int, int]] = field(default_factory=dict)  # first and last index, as declared
    labels: dict[str, Labels] = field(default_factory=dict)  # what values of words are called
    as_vis: bool = False  # the text is read as VIS reads it where that differs from the standard
    shared: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    inverse: dict[str, str] = field(default_factory=dict)

    def finish(self) -> Netlist:
        for constant, value in ((ZERO, OFF), (ONE, ON)):
            self.tables.append(Table((), (constant,), (Row((), (value,)),)))
        return Netlist(
            self.name,
            tuple(self.inputs),
            tuple(self.outputs),
            tuple(self.tables),
            tuple(self.latches),
            {net: domain for net, domain in self.domains.items() if domain != BOOLEAN},
            self.aliases,
            tuple(self.constraints),
            tuple(self.fairness),
            tuple(self.claims),
            self.spans,
            vectors=self.vectors,
            labels=self.labels,
        )

    def claim_name(self, name: str) -> str:
        """The name, with a number where claims before have it already."""
        taken = {claim.name for claim in self.claims if claim.kind != "premise"}
        found, k = name, 1
        while found in taken:
            k += 1
            found = f"{name}.{k}"
        return found

    def fresh(self) -> str:
        return f"${len(self.tables)}"

    def add_table(
        self, inputs: Sequence[str], output: str, rows: Iterable[tuple[Sequence[Entry], Entry]], default: Entry | None
    ) -> str:
        made = tuple(Row(tuple(cells), (value,)) for cells, value in rows)
        self.tables.append(Table(tuple(inputs), (output,), made, None if default is None else (default,), self.span))
        self.spans.setdefault(output, self.span)
        return output

    def constant(self, value: int | bool) -> str:
        return ONE if value else ZERO

    def copy(self, source: str, target: str) -> None:
        """Drive a net by another of the same domain."""
        size = len(self.domains.get(source, BOOLEAN))
        self.add_table((source,), target, [((Among((k,)),), Among((k,))) for k in range(size)], None)

    def choice(self, target: str, values: Iterable[int]) -> None:
        """A pseudo-input: one of some values, anew at every step."""
        self.add_table((), target, [((), Among((k,))) for k in values], None)

    def add_latch(self, source: str, target: str, starts: Iterable[int] | None) -> None:
        """A latch with its possible first values (None: any)."""
        reset = None
        if starts is not None:
            reset = Table((), (target,), tuple(Row((), (Among((k,)),)) for k in starts), None, self.span)
        self.latches.append(Latch(source, target, reset, self.span))
        self.spans.setdefault(target, self.span)

    def first_state(self) -> str:
        """A bit that is 1 in the first state only."""
        net = "$first"
        if ("first", ()) not in self.shared:
            self.shared["first", ()] = net
            self.add_latch(ZERO, net, (1,))
        return net

    def invert(self, a: str) -> str:
        if a in (ZERO, ONE):
            return ONE if a == ZERO else ZERO
        if a not in self.inverse:
            b = self.add_table((a,), self.fresh(), [((OFF,), ON)], OFF)
            self.inverse[a], self.inverse[b] = b, a
        return self.inverse[a]

    def conjoin(self, bits: Iterable[str]) -> str:
        kept = [b for b in dict.fromkeys(bits) if b != ONE]
        if ZERO in kept or any(self.inverse.get(b) in kept for b in kept):
            return ZERO
        if len(kept) < 2:
            return kept[0] if kept else ONE
        return self.gate("and", sorted(kept), lambda n: [((ON,) * n, ON)], OFF)

    def disjoin(self, bits: Iterable[str]) -> str:
        kept = [b for b in dict.fromkeys(bits) if b != ZERO]
        if ONE in kept or any(self.inverse.get(b) in kept for b in kept):
            return ONE
        if len(kept) < 2:
            return kept[0] if kept else ZERO
        return self.gate("or", sorted(kept), lambda n: [((OFF,) * n, OFF)], ON)

    def gate(self, kind: str, bits: Sequence[str], rows: object, default: Entry) -> str:
        key = (kind, tuple(bits))
        if key not in self.shared:
            assert callable(rows)
            self.shared[key] = self.add_table(bits, self.fresh(), rows(len(bits)), default)
        return self.shared[key]

    def differ(self, a: str, b: str) -> str:
        """Exclusive or."""
        if a == b or self.inverse.get(a) == b:
            return self.constant(a != b)
        for x, y in ((a, b), (b, a)):
            if x in (ZERO, ONE):
                return y if x == ZERO else self.invert(y)
        return self.gate("xor", sorted((a, b)), lambda n: [((OFF, ON), ON), ((ON, OFF), ON)], OFF)

    def agree(self, a: str, b: str) -> str:
        return self.invert(self.differ(a, b))

    def choose(self, condition: str, then: str, otherwise: str) -> str:
        """then if condition else otherwise."""
        if then == otherwise or condition in (ZERO, ONE):
            return otherwise if condition == ZERO else then
        if then in (ONE, ZERO) or otherwise in (ONE, ZERO):
            return self.choose_constant(condition, then, otherwise)
        rows = [((ON, ON, ANYTHING), ON), ((OFF, ANYTHING, ON), ON)]
        return self.gate("mux", (condition, then, otherwise), lambda n: rows, OFF)

    def choose_constant(self, condition: str, then: str, otherwise: str) -> str:
        if then == ONE:
            return self.disjoin((condition, otherwise))
        if then == ZERO:
            return self.conjoin((self.invert(condition), otherwise))
        if otherwise == ONE:
            return self.disjoin((self.invert(condition), then))
        return self.conjoin((condition, then))

    def parity(self, bits: Iterable[str]) -> str:
        total = ZERO
        for bit in bits:
            total = self.differ(total, bit)
        return total

    def majority(self, a: str, b: str, c: str) -> str:
        if {a, b, c} & {ZERO, ONE} or len({a, b, c}) < 3:
            return self.disjoin((self.conjoin((a, b)), self.conjoin((a, c)), self.conjoin((b, c))))
        rows = [((ON, ON, ANYTHING), ON), ((ON, ANYTHING, ON), ON), ((ANYTHING, ON, ON), ON)]
        return self.gate("majority", sorted((a, b, c)), lambda n: rows, OFF)

    def constant_value(self, domain_name: str, domain: Domain, k: int) -> str:
        """A net that is always value number k of a domain."""
        net = f"${domain_name}.{domain.values[k]}"
        if net not in self.domains:
            self.domains[net] = domain
            self.add_table((), net, [((), Among((k,)))], None)
        return net

    def choose_value(self, condition: str, then: str, otherwise: str) -> str:
        """Like choose, for nets of one domain that need not be boolean."""
        if then == otherwise or condition in (ZERO, ONE):
            return otherwise if condition == ZERO else then
        key = ("mux", (condition, then, otherwise))
        if key not in self.shared:
            net = self.fresh()
            self.domains[net] = self.domains[then]
            rows: list[tuple[Sequence[Entry], Entry]] = [((ON, ANYTHING, ANYTHING), Same(then))]
            rows.append(((OFF, ANYTHING, ANYTHING), Same(otherwise)))
            self.shared[key] = self.add_table((condition, then, otherwise), net, rows, None)
        return self.shared[key]

    def has_value(self, net: str, values: Sequence[int]) -> str:
        """Whether a net has one of some values."""
        key = (f"in {tuple(values)}", (net,))
        if key not in self.shared:
            self.shared[key] = self.add_table((net,), self.fresh(), [((Among(tuple(sorted(values))),), ON)], OFF)
        return self.shared[key]

    def same_value(self, a: str, b: str) -> str:
        if a == b:
            return ONE
        rows = [((Among((k,)), Among((k,))), ON) for k in range(len(self.domains[a]))]
        return self.gate("same", sorted((a, b)), lambda n: rows, OFF)
