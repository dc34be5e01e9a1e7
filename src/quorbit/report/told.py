"""States in the words of the model: what is visible of them, by the names of the source, and what changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby

from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.meaning.show import is_shown, show_place, show_value
from quorbit.model.system.system import Place, State, System
from quorbit.model.system.telling import Word
from quorbit.model.system.types import QueueOf, TupleOf, Type, Value
from quorbit.source.frozen import frozen, replace

__all__ = ["Teller", "show_told"]

Env = dict[str, Value]


LONG = 200  # characters of a value; of a longer set the elements that come and go are told
KEPT = 8  # texts of values of a place: what a step leaves is what the next one finds


@frozen
class Change:
    """``said`` is how it is told to a reader, in few words where the value is large."""

    place: str
    before: str
    after: str
    said: str


class Teller:
    """A System with what is visible of it, worked out once."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning, self.system, telling = meaning, meaning.system, meaning.system.telling
        visible = [
            i
            for i, place in enumerate(self.system.places)
            if is_shown(place.variable) and place.variable not in telling.hidden
        ]
        self.visible = sorted(visible, key=self.owner) if telling.owned else visible
        self.words = [(word.name, self.reader(word)) for word in telling.words]
        self.inputs = [(word.name, self.reader(word)) for word in telling.inputs]
        self.texts: dict[int, dict[Value, str]] = {}  # of compound values, by their places

    def owner(self, i: int) -> int:
        """Whose it is, where variables are told as those of processes; what is nobody's comes first."""
        place = self.system.places[i]
        is_owned = len(place.owners) == 1 and not isinstance(place.type, QueueOf)
        return place.owners[0] if self.system.telling.owned and is_owned else -1

    def reader(self, word: Word) -> Callable[[State, Env], str]:
        return partial(read_word, word, [self.meaning.value_of(bit) for bit in word.bits])

    def state(self, s: State) -> dict[str, str]:
        """Every visible part of a state by its name."""
        places = ((self.name(i), self.value(i, s[i])) for i in self.visible)
        return {**dict(places), **{name: read(s, {}) for name, read in self.words}}

    def changes(self, before: State, after: State) -> tuple[Change, ...]:
        found = [self.change(i, before[i], after[i]) for i in self.visible if before[i] != after[i]]
        if self.words and before != after:
            pairs = ((name, read(before, {}), read(after, {})) for name, read in self.words)
            found += [plain_change(name, a, b) for name, a, b in pairs if a != b]
        return tuple(found)

    def change(self, i: int, before: Value, after: Value) -> Change:
        name, old, new = self.name(i), self.value(i, before), self.value(i, after)
        if len(new) > LONG and isinstance(before, frozenset) and isinstance(after, frozenset):
            parts = (("gains", after - before), ("loses", before - after))
            said = f"{name} " + ", ".join(f"{verb} {self.value(i, part)}" for verb, part in parts if part)
            return Change(name, old, new, said) if len(said) < len(new) // 2 else plain_change(name, old, new)
        return plain_change(name, old, new)

    def given(self, label: str, s: State) -> tuple[Change, ...] | None:
        """The first values that a command of this label gives; None: it is not one that does."""
        telling = self.system.telling
        for k, (name, variables) in enumerate(telling.starts):
            if name == label:
                fixed = [] if k else [plain_change(constant, "", value) for constant, value in telling.fixed]
                places = [i for i in self.visible if self.system.places[i].variable in variables]
                return (*fixed, *(plain_change(self.name(i), "", self.value(i, s[i])) for i in places))
        return None

    def arguments(self, s: State, firing: Firing) -> dict[str, str]:
        """The inputs of a step that is told by them."""
        if not self.inputs:
            return {}
        env = self.meaning.environment(firing)
        return {name: read(s, env) for name, read in self.inputs}

    def families(self, s: State) -> Iterator[str]:
        """A state, one text for each family of places: s = (N, T, C)."""
        for _, members in groupby(self.visible, key=lambda i: (self.system.places[i].variable, self.owner(i))):
            found = list(members)
            values = [self.value(i, s[i]) for i in found]
            if len(found) == 1:
                yield f"{self.name(found[0])} = {values[0]}"
            elif not isinstance(self.system.places[found[0]].type, QueueOf):
                yield f"{self.family(found[0])} = ({', '.join(values)})"
            else:
                yield from (f"{self.name(i)} = {value}" for i, value in zip(found, values, strict=True))
        yield from (f"{name} = {read(s, {})}" for name, read in self.words)

    def family(self, i: int) -> str:
        place = self.system.places[i]
        return place.variable if self.owner(i) < 0 else name_of(self.system, replace(place, indices=()))

    def name(self, i: int) -> str:
        return name_of(self.system, self.system.places[i])

    def value(self, i: int, value: Value) -> str:
        if not isinstance(value, tuple | frozenset):
            return self.text_of(i, value)
        kept = self.texts.setdefault(i, {})
        if value not in kept:
            if len(kept) == KEPT:
                del kept[next(iter(kept))]
            kept[value] = self.text_of(i, value)
        return kept[value]

    def text_of(self, i: int, value: Value) -> str:
        type = self.system.places[i].type
        if self.system.telling.owned and isinstance(type, QueueOf) and isinstance(value, tuple):
            return "[" + ", ".join(message(self.system, type.message, m) for m in value) + "]"
        return show_value(self.system, type, value)


def plain_change(place: str, before: str, after: str) -> Change:
    return Change(place, before, after, f"{place} = {after}")


def show_told(system: System, s: State) -> str:
    """A state on one line."""
    return ", ".join(Teller(Meaning(system)).families(s))


def name_of(system: System, place: Place) -> str:
    """As the author would name it: client[2].x for the x of a process, c for the messages in c."""
    if not system.telling.owned or len(place.owners) != 1:
        return show_place(system, place)
    owner = system.atom_name(place.owners[0])
    if isinstance(place.type, QueueOf):
        return owner
    return f"{owner}.{place.variable.split('.', 1)[-1]}" + "".join(f"[{k}]" for k in place.indices)


def message(system: System, type: Type, value: Value) -> str:
    """One field stands by itself, several as in a send."""
    if isinstance(type, TupleOf) and isinstance(value, tuple) and len(value) == 1:
        return show_value(system, type.parts[0], value[0])
    return show_value(system, type, value)


def read_word(word: Word, bits: list[Callable[[State, Env], Value]], s: State, env: Env) -> str:
    number = sum(1 << i for i, bit in enumerate(bits) if bit(s, env)) if len(bits) > 1 else bits[0](s, env)
    assert isinstance(number, int)
    if word.names:
        return word.names[min(number, len(word.names) - 1)]
    return dict(word.labels).get(int(number), str(int(number)))
