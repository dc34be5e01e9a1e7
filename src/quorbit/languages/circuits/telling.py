"""How a run of a circuit is told: registers and inputs as words, under the names that the author gave them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from quorbit.languages.circuits.fields import fields_of
from quorbit.model.system.expression import Apply, Bound, Expr, Operator, Read, atom
from quorbit.model.system.system import Atom, System
from quorbit.model.system.telling import Telling, Word
from quorbit.netlists.netlist import Netlist

__all__ = ["HELD", "STORED", "word_and_bit"]

STORED = "$stored"  # ends the name of what a register holds where that is not what is seen
HELD = "$held"  # ends the name of what a combinational block left in the step before, where it does not assign
BIT = re.compile(r"(?P<word>.+?)(?:<(?P<angle>\d+)>|\[(?P<square>\d+)\])(?P<ending>\$stored|\$held)?")
ELEMENT = re.compile(r"<\*(\d+)\*>")  # of a memory
BOOLEAN = "0,1"
Vectors = Mapping[str, tuple[int, int]]  # first and last index, as declared
INTERNAL = "$"  # how names begin that a tool made


def telling_of(system: System, inputs: str, netlist: Netlist) -> Telling:
    """``inputs``: how the parameters begin that are the sets of inputs whose bits are 1."""
    places = {place.owners[0]: Read(place.variable, (atom(place.owners[0]),)) for place in system.places}
    free = [a for a, described in enumerate(system.atoms) if described.sort == "input" and a not in places]
    sets = sorted(p.name for c in system.commands for p in c.parameters if p.name.startswith(inputs))

    def is_chosen(a: int) -> tuple[Expr, ...]:
        return tuple(Apply(Operator.MEMBER, (atom(a), Bound(name))) for name in sets[: bits_of(system.atoms[a])])

    hidden = frozenset(variable.name for variable in system.variables)
    held = words(system.atoms, places, lambda a: (places[a],), netlist)
    chosen = words(system.atoms, free, is_chosen, netlist)
    return Telling(
        hidden,
        words=tuple(held),
        inputs=tuple(chosen),
        vectors=tuple(netlist.vectors.items()),
        fields=fields_of(system),
    )


def words(
    atoms: tuple[Atom, ...], chosen: Iterable[int], bits: Callable[[int], tuple[Expr, ...]], netlist: Netlist
) -> Iterator[Word]:
    """The bits of a vector, and of one name from 0 on, are a word; everything else stands by itself."""
    found: dict[str, dict[int, int]] = {}
    for a in sorted(a for a in chosen if not is_internal(atoms[a].name)):
        name, k = word_and_bit(atoms[a].name) if atoms[a].colour == BOOLEAN else (atoms[a].name, -1)
        found.setdefault(name, {})[k] = a
    for name, by_bit in found.items():
        order = bit_order(netlist.vectors, name, len(by_bit))
        labels = tuple(sorted(netlist.labels.get(seen_name(name), {}).items()))
        if set(order) == set(by_bit):
            yield Word(written(name), tuple(bits(by_bit[k])[0] for k in order), labels=labels)
            continue
        for a in by_bit.values():
            names = () if atoms[a].colour == BOOLEAN else tuple(atoms[a].colour.split(","))
            yield Word(written(atoms[a].name), bits(a), names, () if names else labels)


def word_and_bit(name: str) -> tuple[str, int]:
    """The word that a bit belongs to by its name, and which one it is; -1 if it does not belong to a word."""
    match = BIT.fullmatch(name)
    if match is None:
        return name, -1
    return match["word"] + (match["ending"] or ""), int(match["angle"] or match["square"])


def declared(vectors: Vectors, word: str) -> tuple[int, int] | None:
    """The first and last index of a word, or of the words of a memory, as they are declared."""
    return vectors.get(ELEMENT.sub("", seen_name(word)))


def seen_name(word: str) -> str:
    """The name that the author gave to what is stored."""
    return word.removesuffix(STORED).removesuffix(HELD)


def bit_order(vectors: Vectors, name: str, count: int) -> list[int]:
    """The indices of a vector, the lowest bit first; of one that nobody declared, those from 0 on."""
    left, right = declared(vectors, name) or (count - 1, 0)
    return list(range(right, left + 1) if left >= right else range(right, left - 1, -1))


def is_internal(name: str) -> bool:
    """Whether a tool made the name, of the whole or of the part after the instances."""
    return name.startswith(INTERNAL) or name.rpartition(".")[2].startswith(INTERNAL)


def bits_of(described: Atom) -> int:
    return max(1, (len(described.colour.split(",")) - 1).bit_length())


def written(name: str) -> str:
    return ELEMENT.sub(r"[\1]", name)
