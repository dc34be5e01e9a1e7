"""A large memory followed at single addresses: what is asked about the words that are read stays what it was.

Every place where a word is read gets an *address* that is chosen before the first step and never changes, and the word
there.  What happens to that word is one function for all addresses (memories.py).  A condition that depends on what is
read is looked at only where each address that it reads is the followed one.

This loses nothing and adds nothing as long as what is read decides about conditions only, not about what is stored or
assumed later.  A run of the circuit that meets a condition after some steps is one here, with the addresses that it
reads in its last step as the followed ones.  A run here is one of the circuit: what is stored besides the memory does
not depend on it, and the followed words are those of a memory that has them at the start, if followed words of one
address are equal in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import combinations

from quorbit.netlists.builder import ZERO, Builder
from quorbit.netlists.check import Checked
from quorbit.netlists.memories import (
    Code,
    Memory,
    NotAlike,
    Port,
    Reader,
    equalities,
    find_memories,
    find_ports,
    literal,
    next_of_a_word,
)
from quorbit.netlists.netlist import Latch, Netlist, Table
from quorbit.netlists.prune import reads
from quorbit.source.frozen import field, mutable, replace

__all__ = ["LEAST_BITS", "follow_memories"]

LEAST_BITS = 128  # of a memory that is followed; smaller ones are searched as they are, with their symmetries
MOST_PORTS = 4


@mutable
class Gates(Builder):
    """New gates beside those that are there."""

    made: int = 0

    def fresh(self) -> str:
        self.made += 1
        return f"$followed{self.made}"


@mutable
class Word:
    """The word that is followed for one port."""

    memory: Memory
    port: Port
    address: dict[Code, str]
    bits: list[str]
    hit: str = ""


@mutable
class Followed:
    """The netlist without its large memories, and for each condition asked about the net that says whether what it
    reads is followed ("": it reads nothing)."""

    netlist: Netlist
    seen: list[str] = field(default_factory=list)


def follow_memories(circuit: Checked, asked: Sequence[Sequence[str]], least_bits: int) -> Followed | None:
    """``asked``: the nets of each condition.  None where no memory is large, or where following would not be exact."""
    netlist = circuit.netlist
    memories = find_memories(netlist, least_bits)
    b = Gates(netlist.name)
    words: list[Word] = []
    followed: list[Memory] = []
    for memory in memories:
        with suppress(NotAlike):
            words += follow(circuit, memory, b)
            followed.append(memory)
    if not words or len(words) > MOST_PORTS:
        return None
    try:
        return assembled(netlist, followed, words, b, asked)
    except NotAlike:
        return None


def follow(circuit: Checked, memory: Memory, b: Gates) -> list[Word]:
    """The words of a memory that are followed, with their latches and with what is read there; raises NotAlike before
    there is any gate."""
    reader = Reader(circuit.drivers)
    codes: set[Code] = set()

    def noted(code: Code) -> str:
        codes.add(code)
        return ZERO

    next_of_a_word(reader, memory, Gates(""), list(memory.words[0]), noted)
    ports = find_ports(reader, memory, circuit.order, codes)
    codes |= {code for port in ports for code, _ in port.address}
    words = []
    for n, port in enumerate(ports):
        word = named_word(memory, port, sorted(codes, key=significance), n if len(ports) > 1 else -1, b)
        following = next_of_a_word(reader, memory, b, word.bits, word.address.__getitem__)
        for net, source, first in zip(word.bits, following, memory.first, strict=True):
            b.add_latch(source, net, first)
        for net in word.address.values():
            b.add_latch(net, net, None)
        word.hit = hit_of(word, b)
        for i, net in port.data:
            b.copy(word.bits[i], net)
        words.append(word)
    return words


def significance(code: Code) -> int:
    """Bits of low significance change first from word to word."""
    return next((k for k, value in enumerate(code) if value != code[0]), len(code))


def named_word(memory: Memory, port: Port, codes: Sequence[Code], n: int, b: Gates) -> Word:
    """Names for the followed word, which a trace shows."""
    number = "" if n < 0 else str(n + 1)
    address, word = f"{memory.name}$address{number}", f"{memory.name}$word{number}"
    width = len(memory.words[0])
    b.vectors[address], b.vectors[word] = (len(codes) - 1, 0), (width - 1, 0)
    return Word(
        memory,
        port,
        {code: f"{address}<{j}>" for j, code in enumerate(codes)},
        [f"{word}<{i}>" for i in range(width)],
    )


def hit_of(word: Word, b: Gates) -> str:
    """Whether the port reads the followed word."""
    port = word.port
    same = [literal(b, *each) for each in sorted(port.common)]
    same += equalities(b, dict(port.address), word.address.__getitem__)
    if port.last is None:
        return b.conjoin(same)
    last = port.last
    is_last = b.conjoin([literal(b, net, code[last]) for code, net in word.address.items()])
    known = b.disjoin(port.others)  # an address of a word but the last
    return b.disjoin((b.conjoin([*same, known]), b.conjoin([is_last, b.invert(known)])))


def assembled(
    netlist: Netlist, memories: Sequence[Memory], words: Sequence[Word], b: Gates, asked: Sequence[Sequence[str]]
) -> Followed:
    """The netlist with the followed words instead of the memories, without what else depends on these.  Raises NotAlike
    if something is asked about what is left out, or if what is read decides about more than conditions."""
    cells = {net for memory in memories for each in memory.words for net in each}
    ports = {net: word for word in words for _, net in word.port.data}
    tables = [t for t in netlist.tables if t.outputs[0] not in ports]
    latches = [latch for latch in (*netlist.latches, *b.latches) if latch.output not in cells]
    uses = users([*tables, *b.tables])
    read = depending(uses, ports)
    stored = [latch.output for latch in latches if any(net in read for net in reads(latch))]
    gone = depending(users([*tables, *b.tables, *latches]), [*cells, *stored])
    conditions = {net for nets in asked for net in nets}
    assumed = {*netlist.constraints, *netlist.fairness}
    if gone & (conditions | assumed | set(ports)) or read & assumed:
        raise NotAlike
    seen = [seen_by(nets, [*tables, *b.tables], ports, b) for nets in asked]
    made = replace(
        netlist,
        tables=tuple(t for t in (*tables, *b.tables) if t.outputs[0] not in gone),
        latches=tuple(latch for latch in latches if latch.output not in gone),
        outputs=tuple(net for net in netlist.outputs if net not in gone),
        aliases={name: net for name, net in netlist.aliases.items() if net not in gone},
        vectors={**netlist.vectors, **b.vectors},
        notes=(*netlist.notes, *map(note, memories)),
    )
    return Followed(made, seen)


def note(memory: Memory) -> str:
    words, bits = len(memory.words), len(memory.words[0])
    return (
        f"{memory.name} ({words:,} words of {bits} bits) was followed at the addresses that decide, "
        f"which may be any: {memory.name}$address, {memory.name}$word"
    )


def users(parts: Iterable[Table | Latch]) -> dict[str, list[str]]:
    """Which nets depend directly on each net."""
    found: dict[str, list[str]] = {}
    for part in parts:
        outputs = part.outputs if isinstance(part, Table) else (part.output,)
        for net in reads(part):
            found.setdefault(net, []).extend(outputs)
    return found


def depending(uses: dict[str, list[str]], first: Iterable[str]) -> set[str]:
    """Some nets and all that depend on them."""
    found: set[str] = set()
    waiting = list(first)
    while waiting:
        net = waiting.pop()
        if net not in found:
            found.add(net)
            waiting += uses.get(net, ())
    return found


def seen_by(nets: Sequence[str], tables: Iterable[Table], ports: dict[str, Word], b: Gates) -> str:
    """Whether what some nets read is followed, by words that agree where their addresses do."""
    drivers = {net: table for table in tables for net in table.outputs}
    words: dict[str, Word] = {}
    found: set[str] = set()
    waiting = list(nets)
    while waiting:
        net = waiting.pop()
        if net in found:
            continue
        found.add(net)
        waiting += reads(drivers.get(net))
        if net in ports:
            words[ports[net].hit] = ports[net]
            waiting.append(ports[net].hit)  # the address may depend on what another port reads
    if not words:
        return ""
    pairs = [(v, w) for v, w in combinations(words.values(), 2) if v.memory is w.memory]
    return b.conjoin([*words, *(consistent(v, w, b) for v, w in pairs)])


def consistent(v: Word, w: Word, b: Gates) -> str:
    same_address = b.conjoin([b.agree(net, w.address[code]) for code, net in v.address.items()])
    same_word = b.conjoin([b.agree(x, y) for x, y in zip(v.bits, w.bits, strict=True)])
    return b.disjoin((b.invert(same_address), same_word))
