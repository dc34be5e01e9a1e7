"""Memories in a netlist: words of latches that are alike, written and read by addresses, found by how they are driven.

Every bit of a word has one *lane* for each word: the nets that do the same for word 0, word 1, and so on.  Where the
lanes of the next values differ only in the word's own bits and in *decoders* (conjunctions that say "the address is
that of this word"), there is one function of the word and of its address that says what becomes of any word.  A bit of
an address is known by what it is for each of the words, whatever its name is; so addresses of writes and of reads meet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set

from quorbit.netlists.builder import OFF, ON, Builder
from quorbit.netlists.check import Driver
from quorbit.netlists.netlist import ANYTHING, Among, Latch, Netlist, Row, Table
from quorbit.source.frozen import field, frozen, mutable

__all__ = [
    "Code",
    "Memory",
    "NotAlike",
    "Port",
    "Reader",
    "equalities",
    "find_memories",
    "find_ports",
    "literal",
    "next_of_a_word",
]

ELEMENT = re.compile(r"(?P<name>.+?)(?:<\*(?P<own>\d+)\*>|\[(?P<other>\d+)\])(?:<(?P<bit>\d+)>)?")
MULTIPLEXER = (Row((ON, ON, ANYTHING), (ON,)), Row((OFF, ANYTHING, ON), (ON,)))
COPY = tuple(Row((Among((k,)),), (Among((k,)),)) for k in (0, 1))
Lane = tuple[str, ...]  # a net for each word
Literals = frozenset[tuple[str, bool]]
Code = tuple[bool, ...]  # what a bit of an address is for each of the words


class NotAlike(Exception):
    """The words are not driven alike."""


@frozen
class Memory:
    """Latches by word and bit, and the first value of each bit, the same for all words (None: any)."""

    name: str
    words: tuple[tuple[str, ...], ...]
    first: tuple[tuple[int, ...] | None, ...]

    @property
    def bits(self) -> int:
        return len(self.words) * len(self.words[0])

    def lane(self, i: int) -> Lane:
        return tuple(word[i] for word in self.words)


@frozen
class Port:
    """A word that is read: the nets that carry its bits (by number), the bits of its address by their codes, and what
    else is true where it is one of the words' addresses.  Where there are other addresses, they mean the word number
    ``last``; ``others`` then are the conditions of the words but this one."""

    data: tuple[tuple[int, str], ...]
    address: tuple[tuple[Code, str], ...]
    common: Literals
    last: int | None
    others: tuple[str, ...]


def find_memories(netlist: Netlist, least_bits: int) -> list[Memory]:
    """Those of at least some bits, by the names of their latches."""
    found: dict[str, dict[tuple[int, int], Latch]] = {}
    for latch in netlist.latches:
        if (match := ELEMENT.fullmatch(latch.output)) is not None:
            k = int(match["own"] or match["other"])
            found.setdefault(match["name"], {})[k, int(match["bit"] or 0)] = latch
    made = (memory_of(name, latches) for name, latches in found.items() if len(latches) >= least_bits)
    return [memory for memory in made if memory is not None]


def memory_of(name: str, latches: dict[tuple[int, int], Latch]) -> Memory | None:
    numbers, bits = sorted({k for k, _ in latches}), sorted({i for _, i in latches})
    if len(latches) != len(numbers) * len(bits) or len(numbers) < 2:
        return None
    first = [{starts(latches[k, i]) for k in numbers} for i in bits]
    if any(len(each) > 1 or () in each for each in first):
        return None
    words = tuple(tuple(latches[k, i].output for i in bits) for k in numbers)
    return Memory(name, words, tuple(next(iter(each)) for each in first))


def starts(latch: Latch) -> tuple[int, ...] | None:
    """The first values of a latch, None if there are all; () if they depend on something."""
    if latch.reset is None:
        return None
    entries = [row.outputs[0] for row in latch.reset.rows]
    if latch.reset.inputs or not all(isinstance(entry, Among) for entry in entries):
        return ()
    return tuple(sorted({k for entry in entries for k in entry.values}))  # type: ignore[union-attr]


def is_multiplexer(table: Driver) -> bool:
    """Whether it chooses between its second and third input."""
    return isinstance(table, Table) and len(table.inputs) == 3 and table.rows == MULTIPLEXER and table.default == (OFF,)


@mutable
class Reader:
    """What nets are, looked up once."""

    drivers: dict[str, Driver]
    sets: dict[tuple[str, frozenset[str]], Literals] = field(default_factory=dict)

    def source(self, net: str) -> str:
        """The net that this one is a copy of."""
        while is_copy(table := self.drivers.get(net)):
            net = table.inputs[0]  # type: ignore[union-attr]
        return net

    def literal(self, net: str) -> tuple[str, bool]:
        """The net that this one is, or is the opposite of."""
        value = True
        while True:
            net = self.source(net)
            table = self.drivers.get(net)
            if not isinstance(table, Table) or not is_inverter(table):
                return net, value
            net, value = table.inputs[0], not value

    def conjunctions(self, nets: Sequence[str]) -> list[Literals]:
        """The conjunctions that nets are.  What is negated in one of them is not taken apart in the others."""
        whole: frozenset[str] = frozenset()
        while True:
            found = [self.literals(net, whole) for net in nets]
            negated = {base for each in found for base, value in each if not value and self.is_conjunction(base)}
            if negated <= whole:
                return found
            whole |= negated

    def literals(self, net: str, whole: frozenset[str]) -> Literals:
        key = (net, whole)
        if key not in self.sets:
            base, value = self.literal(net)
            if value and base not in whole and self.is_conjunction(base):
                inputs = self.drivers[base].inputs  # type: ignore[union-attr]
                self.sets[key] = frozenset().union(*(self.literals(each, whole) for each in inputs))
            else:
                self.sets[key] = frozenset([(base, value)])
        return self.sets[key]

    def is_conjunction(self, net: str) -> bool:
        table = self.drivers.get(net)
        return isinstance(table, Table) and is_conjunction(table)


def is_copy(table: Driver) -> bool:
    return isinstance(table, Table) and len(table.inputs) == 1 and table.rows == COPY


def is_inverter(table: Table) -> bool:
    return len(table.inputs) == 1 and table.rows == (Row((OFF,), (ON,)),) and table.default == (OFF,)


def is_conjunction(table: Table) -> bool:
    n = len(table.inputs)
    return n > 1 and table.rows == (Row((ON,) * n, (ON,)),) and table.default == (OFF,)


def is_disjunction(table: Table) -> bool:
    n = len(table.inputs)
    return n > 1 and table.rows == (Row((OFF,) * n, (OFF,)),) and table.default == (ON,)


def decoded(sets: Sequence[Literals]) -> tuple[Literals, dict[Code, str]]:
    """Of conjunctions, one for each word: what they have in common, and the bits of the address by their codes.

    Raises NotAlike unless they exclude each other and ask about the same nets."""
    common = frozenset.intersection(*sets)
    rest = [dict(literals - common) for literals in sets]
    names = set(rest[0])
    if not names or any(set(each) != names or len(each) != len(s - common) for each, s in zip(rest, sets, strict=True)):
        raise NotAlike
    found = {tuple(each[name] for each in rest): name for name in sorted(names)}
    if len(found) != len(names) or len(set(zip(*found, strict=True))) != len(sets):
        raise NotAlike
    return common, found


def next_of_a_word(
    reader: Reader, memory: Memory, b: Builder, word: Sequence[str], address: Callable[[Code], str]
) -> list[str]:
    """The next value of a word whose address is known by its bits.  Raises NotAlike if words differ by more."""
    known: dict[Lane, str] = {memory.lane(i): net for i, net in enumerate(word)}
    latches = [[reader.drivers[net] for net in each] for each in memory.words]

    def alike(nets: Lane) -> str:
        if nets not in known:
            known[nets] = nets[0] if len(set(nets)) == 1 else joined(tuple(map(reader.source, nets)))
        return known[nets]

    def joined(nets: Lane) -> str:
        if nets in known:
            return known[nets]
        try:
            common, bits = decoded(reader.conjunctions(nets))
            return b.conjoin([*(literal(b, *each) for each in sorted(common)), *equalities(b, bits, address)])
        except NotAlike:
            return same_gate([reader.drivers.get(net) for net in nets])

    def same_gate(tables: Sequence[Driver]) -> str:
        first = tables[0]
        if not isinstance(first, Table) or not all(
            isinstance(t, Table) and t.rows == first.rows and t.default == first.default and len(t.outputs) == 1
            for t in tables
        ):
            raise NotAlike
        inputs = [t.inputs for t in tables]  # type: ignore[union-attr]
        if is_conjunction(first) or is_disjunction(first):
            join = b.conjoin if is_conjunction(first) else b.disjoin
            common = frozenset.intersection(*map(frozenset, inputs))
            rest = [[net for net in each if net not in common] for each in inputs]
            return join([*sorted(common), *map(alike, zip(*rest, strict=True))])
        made = [alike(lane) for lane in zip(*inputs, strict=True)]
        if is_multiplexer(first):
            return b.choose(*made)
        if is_inverter(first):
            return b.invert(*made)
        default = None if first.default is None else first.default[0]
        return b.add_table(made, b.fresh(), [(row.inputs, row.outputs[0]) for row in first.rows], default)

    lanes = [tuple(word[i].input for word in latches) for i in range(len(word))]  # type: ignore[union-attr]
    return [alike(lane) for lane in lanes]


def literal(b: Builder, net: str, value: bool) -> str:
    return net if value else b.invert(net)


def equalities(b: Builder, bits: dict[Code, str], address: Callable[[Code], str]) -> list[str]:
    """That an address is the one known by its bits."""
    return [b.agree(net, address(code)) for code, net in bits.items()]


def find_ports(reader: Reader, memory: Memory, order: Sequence[Table], codes: Set[Code]) -> list[Port]:
    """Where words are read by an address.  ``order``: the tables, each after those that it reads; ``codes``: the bits
    of the addresses at which words are written, none if they never are."""
    column = {net: i for word in memory.words for i, net in enumerate(word)}
    inner: set[str] = set()
    for table in order:
        read = [column.get(net, -1) for net in table.inputs]
        if is_copy(table) and read[0] >= 0:
            column[table.outputs[0]] = read[0]
        elif is_multiplexer(table) and read[1] == read[2] >= 0:
            column[table.outputs[0]] = read[1]
            inner.update(map(reader.source, table.inputs[1:]))
    cells = {net for word in memory.words for net in word}
    tops = [net for net in column if net not in cells and net not in inner and reader.source(net) == net]
    ports: dict[object, Port] = {}
    for net in tops:
        port = port_of(reader, memory, net, column[net], codes)
        key = (port.address, port.common, port.last)
        before = ports.get(key)
        ports[key] = port if before is None else merged(before, port)
    if len({frozenset(code for code, _ in port.address) for port in ports.values()}) > 1:
        raise NotAlike
    return list(ports.values())


def merged(a: Port, b: Port) -> Port:
    return Port((*a.data, *b.data), a.address, a.common, a.last, a.others)


def port_of(reader: Reader, memory: Memory, net: str, i: int, codes: Set[Code]) -> Port:
    """Raises NotAlike if the net is not bit i of the word of one address."""
    lane = memory.lane(i)
    numbers = {cell: k for k, cell in enumerate(lane)}
    table = reader.drivers[net]
    assert isinstance(table, Table)
    if reader.source(table.inputs[1]) in numbers and len(lane) > 2:
        return chain_of(reader, net, i, numbers, codes)
    return tree_of(reader, net, i, numbers, codes)


def chain_of(reader: Reader, net: str, i: int, numbers: dict[str, int], codes: Set[Code]) -> Port:
    """One condition after the other, and the last word where none is true."""
    conditions: dict[int, str] = {}
    at = net
    while is_multiplexer(table := reader.drivers.get(at)):
        condition, then, otherwise = table.inputs  # type: ignore[union-attr]
        k = numbers.get(reader.source(then))
        if k is None or k in conditions:
            raise NotAlike
        conditions[k] = condition
        at = reader.source(otherwise)
    last = numbers.get(at)
    if last is None or last in conditions or len(conditions) != len(numbers) - 1:
        raise NotAlike
    listed = [k for k in range(len(numbers)) if k != last]
    common, bits = decoded(reader.conjunctions([conditions[k] for k in listed]))
    parts = {code: tuple(code[k] for k in listed) for code in codes}
    if set(parts.values()) != set(bits) or len(codes) != len(bits):
        raise NotAlike
    others = tuple(conditions[k] for k in listed) if common or len(numbers) != 1 << len(bits) else ()
    address = tuple((code, bits[parts[code]]) for code in sorted(codes))
    return Port(((i, net),), address, common, last if others else None, others)


def tree_of(reader: Reader, net: str, i: int, numbers: dict[str, int], codes: Set[Code]) -> Port:
    """A bit of the address decides at every fork."""
    found: dict[int, dict[str, bool]] = {}
    waiting: list[tuple[str, dict[str, bool]]] = [(net, {})]
    while waiting:
        at, path = waiting.pop()
        at = reader.source(at)
        if (k := numbers.get(at)) is not None:
            if k in found:
                raise NotAlike
            found[k] = path
            continue
        if not is_multiplexer(table := reader.drivers.get(at)):
            raise NotAlike
        condition, then, otherwise = table.inputs  # type: ignore[union-attr]
        name, value = reader.literal(condition)
        if name in path:
            raise NotAlike
        waiting += [(then, {**path, name: value}), (otherwise, {**path, name: not value})]
    names = set(found.get(0, ()))
    if len(found) != len(numbers) or len(numbers) != 1 << len(names) or any(set(p) != names for p in found.values()):
        raise NotAlike
    bits = {tuple(found[k][name] for k in range(len(numbers))): name for name in sorted(names)}
    if codes and set(bits) != codes:
        raise NotAlike
    return Port(((i, net),), tuple(sorted(bits.items())), frozenset(), None, ())
