"""A state taken apart: what is shared, and the local state of every process.

The state becomes a number for the shared part and a number (a *letter*) for the local state of each permuted atom.  A
reference to a process in a shared place leaves a hole there and a mark at the process, so that permuting the processes
is permuting the letters and nothing else.

Short names: x a shared part (its number), l letters.
"""

from __future__ import annotations

from quorbit.groups.partition import Partition
from quorbit.model.system.system import Place, State, System
from quorbit.model.system.types import (
    NONE,
    AtomOf,
    Number,
    QueueOf,
    SetOf,
    Text,
    Truth,
    TupleOf,
    Type,
    Value,
    mentions_atoms,
    order_key,
)
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import mutable

HOLE = -2  # in the shared part: a permuted atom stands here
Mark = tuple[Value, ...]  # where in the shared part an atom stands: place, then positions or the element of a set
Local = tuple[tuple[Value, ...], tuple[Mark, ...], int]  # values of the local places, marks, the class of the process


@mutable
class Shape:
    """How the states of one System are taken apart, with the tables of shared parts and letters met so far."""

    system: System
    atoms: tuple[int, ...]  # the permuted ones; their positions here are the processes 0, 1, ...
    local: tuple[tuple[int, ...], ...]  # for each process its places, in the same order for all of one class
    classes: tuple[int, ...]  # for each process the number of its class; processes of two classes share no letter
    shared: tuple[int, ...]
    referring: tuple[int, ...]  # those shared places that can hold permuted atoms

    def __post_init__(self) -> None:
        self.process = {a: k for k, a in enumerate(self.atoms)}
        self.shared_numbers: dict[tuple[Value, ...], int] = {}
        self.shared_values: list[tuple[Value, ...]] = []
        self.letters: dict[Local, int] = {}
        self.locals: list[Local] = []
        self.position = {i: k for k, i in enumerate(self.shared)}
        single = not self.referring and all(len(places) == 1 for places in self.local)
        self.singles = tuple(places[0] for places in self.local) if single else None

    def encode(self, s: State) -> tuple[int, tuple[int, ...]]:
        marks: dict[int, list[Mark]] = {}
        values = [s[i] for i in self.shared]
        for i in self.referring:
            values[self.position[i]] = self.punch(self.system.places[i].type, s[i], (i,), marks)
        numbers = self.shared_numbers
        x = numbers.setdefault(tuple(values), len(numbers))
        if x == len(self.shared_values):
            self.shared_values.append(tuple(values))
        if not self.referring:
            owned = zip(self.local, self.classes, strict=True)
            return x, tuple([self.letter((tuple([s[i] for i in places]), (), c)) for places, c in owned])
        return x, tuple(
            self.letter((tuple([s[i] for i in places]), tuple(marks.get(k, ())), self.classes[k]))
            for k, places in enumerate(self.local)
        )

    def decode(self, x: int, l: tuple[int, ...]) -> State:
        s: list[Value] = [0] * len(self.system.places)
        for i, value in zip(self.shared, self.shared_values[x], strict=True):
            s[i] = value
        if self.singles is not None:
            locals = self.locals
            for i, letter in zip(self.singles, l, strict=True):
                s[i] = locals[letter][0][0]
            return tuple(s)
        marks: dict[Mark, int] = {}
        for k, letter in enumerate(l):
            values, marked, _ = self.locals[letter]
            for i, value in zip(self.local[k], values, strict=True):
                s[i] = value
            for mark in marked:
                marks[mark] = self.atoms[k]
        for i in self.referring:
            mine = {mark[1:]: a for mark, a in marks.items() if mark[0] == i}
            s[i] = self.fill(self.system.places[i].type, s[i], (), mine, sets_of(l, self, i))
        return tuple(s)

    def letter(self, local: Local) -> int:
        letter = self.letters.setdefault(local, len(self.letters))
        if letter == len(self.locals):
            self.locals.append(local)
        return letter

    def punch(self, type: Type, value: Value, at: Mark, marks: dict[int, list[Mark]]) -> Value:
        """The value with holes for the processes in it; their marks say where they were."""
        match type:
            case AtomOf():
                if value in self.process:
                    marks.setdefault(self.process[value], []).append(at)
                    return HOLE
                return value
            case TupleOf(parts):
                return tuple(
                    self.punch(t, v, (*at, k), marks)
                    for k, (t, v) in enumerate(zip(parts, value, strict=True))  # type: ignore[arg-type]
                )
            case QueueOf(message):
                return tuple(self.punch(message, v, (*at, k), marks) for k, v in enumerate(value))  # type: ignore[arg-type]
            case SetOf(element) if mentions_atoms(element):
                return self.punch_set(element, value, at, marks)
            case Number() | Truth() | SetOf() | Text():
                return value
            case _:
                assert_never(type)

    def punch_set(self, element: Type, value: Value, at: Mark, marks: dict[int, list[Mark]]) -> Value:
        """An element with a process in it goes to that process, with a hole; the others stay."""
        rest = []
        for v in sorted(value, key=order_key):  # type: ignore[arg-type]
            inside: dict[int, list[Mark]] = {}
            punched = self.punch(element, v, (), inside)
            if inside:
                marks.setdefault(next(iter(inside)), []).append((*at, ("element", punched)))
            else:
                rest.append(v)
        return frozenset(rest)

    def fill(self, type: Type, value: Value, at: Mark, marks: dict[Mark, int], sets: list[tuple[Mark, int]]) -> Value:
        match type:
            case AtomOf():
                return marks[at] if value == HOLE else value
            case TupleOf(parts):
                return tuple(
                    self.fill(t, v, (*at, k), marks, sets)
                    for k, (t, v) in enumerate(zip(parts, value, strict=True))  # type: ignore[arg-type]
                )
            case QueueOf(message):
                return tuple(self.fill(message, v, (*at, k), marks, sets) for k, v in enumerate(value))  # type: ignore[arg-type]
            case SetOf(element) if mentions_atoms(element):
                mine = [(mark[-1][1], a) for mark, a in sets if mark[:-1] == at]  # type: ignore[index]
                return frozenset([*value, *(plug(element, punched, a) for punched, a in mine)])  # type: ignore[misc]
            case Number() | Truth() | SetOf() | Text():
                return value
            case _:
                assert_never(type)


def sets_of(l: tuple[int, ...], shape: Shape, i: int) -> list[tuple[Mark, int]]:
    """The marks that stand for elements of sets in place i, with the atom of each."""
    return [
        (mark[1:], shape.atoms[k])
        for k, letter in enumerate(l)
        for mark in shape.locals[letter][1]
        if mark[0] == i and is_element(mark)
    ]


def is_element(mark: Mark) -> bool:
    return isinstance(mark[-1], tuple) and len(mark[-1]) == 2 and mark[-1][0] == "element"


def plug(type: Type, punched: Value, a: int) -> Value:
    """An element of a set with its hole filled by the atom a."""
    match type:
        case AtomOf():
            return a if punched == HOLE else punched
        case TupleOf(parts):
            return tuple(plug(t, v, a) for t, v in zip(parts, punched, strict=True))  # type: ignore[arg-type]
        case Number() | Truth() | SetOf() | QueueOf() | Text():
            return punched
        case _:
            assert_never(type)


def shape_of(system: System, permuted: Partition) -> Shape:
    atoms = tuple(sorted(a for cell in permuted for a in cell))
    local: dict[int, list[int]] = {a: [] for a in atoms}
    shared = []
    for i, place in enumerate(system.places):
        owner = next((a for a in place.owners if a in local), None)
        if owner is None:
            shared.append(i)
        else:
            local[owner].append(i)
    for a in atoms:
        local[a].sort(key=lambda i: place_key(system.places[i], a))
    referring = tuple(i for i in shared if refers(system.places[i].type, set(atoms)))
    number = {a: c for c, cell in enumerate(permuted) for a in cell}
    classes = tuple(number[a] for a in atoms)
    return Shape(system, atoms, tuple(tuple(local[a]) for a in atoms), classes, tuple(shared), referring)


def place_key(place: Place, owner: int) -> tuple[object, ...]:
    """The address with the owner left out, so that the places of two processes correspond."""
    return place.variable, tuple(NONE - 1 if a == owner else a for a in place.owners), place.indices


def refers(type: Type, atoms: set[int]) -> bool:
    match type:
        case AtomOf(listed):
            return not atoms.isdisjoint(listed)
        case TupleOf(parts):
            return any(refers(part, atoms) for part in parts)
        case SetOf(inner) | QueueOf(inner):
            return refers(inner, atoms)
        case Number() | Truth() | Text():
            return False
        case _:
            assert_never(type)
