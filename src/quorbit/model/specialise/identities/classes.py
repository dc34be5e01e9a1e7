"""Classes of places and expressions that may hold the same values, by unification, and what is known of each class.

Which atoms have which numbers, which other numbers occur, and what looks inside (order, arithmetic), which *pins* the
class: it stays a class of numbers, and the reason is kept.
"""

from __future__ import annotations

from quorbit.model.system.types import AtomOf
from quorbit.source.frozen import distinct, field, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["ELEMENT", "Pin"]

MOST_FREE = 9  # numbers of a class of identities that are nobody's; all but one become atoms of their own
ELEMENT = "*"  # the part of a class of sets or queues that stands for what they hold


@frozen
class Pin:
    """Something that looks inside a class of identities, so that it stays a class of numbers."""

    span: Span
    reason: str


@distinct
class Class:
    """A class of places and expressions that may hold the same values; its parts, if these are compound."""

    parent: Class | None = None
    parts: dict[int | str, Class] = field(default_factory=dict)
    atoms: dict[int, int] = field(default_factory=dict)  # number -> atom
    others: dict[int, None] = field(default_factory=dict)  # numbers that are written down
    pins: list[Pin] = field(default_factory=list)
    forgotten: bool = False  # a place of it may hold a value that nobody reads
    _free: tuple[tuple[int, int], list[int]] = ((-1, -1), [])
    _type: tuple[int, AtomOf] = (-1, AtomOf(()))

    def find(self) -> Class:
        c = self
        while c.parent is not None:
            c = c.parent
        if self.parent is not None:
            self.parent = c
        return c

    def part(self, name: int | str) -> Class:
        return self.find().parts.setdefault(name, Class()).find()

    @property
    def free_numbers(self) -> list[int]:
        """The numbers in use that are nobody's; worked out anew when there are more numbers or atoms."""
        sizes = len(self.others), len(self.atoms)
        if self._free[0] != sizes:
            self._free = sizes, sorted(n for n in self.others if n not in self.atoms)
        return self._free[1]

    @property
    def numbers(self) -> list[int]:
        """All numbers in use, whoever has them."""
        return sorted({*self.atoms, *self.others})

    @property
    def is_identity(self) -> bool:
        return bool(self.atoms) and not self.pins and len(self.free_numbers) <= MOST_FREE

    @property
    def none(self) -> int | None:
        """The number that stands for no atom: 0 if it is nobody's, else the least that is."""
        free = self.free_numbers
        return None if not free else 0 if 0 in free else free[0]

    def type(self) -> AtomOf:
        optional = self.none is not None or self.forgotten
        if self._type[0] != len(self.atoms) or self._type[1].optional != optional:
            self._type = len(self.atoms), AtomOf(tuple(sorted(set(self.atoms.values()))), optional)
        return self._type[1]


def unify(a: Class, b: Class) -> None:
    a, b = a.find(), b.find()
    if a is b:
        return
    b.parent = a
    for n, x in b.atoms.items():
        if a.atoms.setdefault(n, x) != x:
            a.pins.append(Pin(NOWHERE, "one number stands for different atoms"))
    if len(set(a.atoms.values())) < len(a.atoms):
        a.pins.append(Pin(NOWHERE, "one atom has different numbers"))
    a.others.update(b.others)
    a.forgotten = a.forgotten or b.forgotten
    a.pins += b.pins
    for name, part in b.parts.items():
        if name in a.parts:
            unify(a.parts[name], part)
        else:
            a.parts[name] = part


def pinned(span: Span, reason: str) -> Class:
    return Class(pins=[Pin(span, reason)])


def pin(c: Class, why: Pin) -> None:
    """Pin a class and all its parts."""
    c = c.find()
    c.pins.append(why)
    for part in c.parts.values():
        pin(part, why)


def leaves(c: Class, path: str = "") -> list[tuple[str, Class]]:
    c = c.find()
    found = [(path, c)] if not c.parts else []
    for name, part in c.parts.items():
        found += leaves(part, f"{path}.{name}")
    return found


def pin_parts(c: Class) -> None:
    for part in c.find().parts.values():
        part.find().pins.extend(p for p in c.find().pins if p not in part.find().pins)
        pin_parts(part)


def has_identity(c: Class) -> bool:
    c = c.find()
    return c.is_identity or any(map(has_identity, c.parts.values()))
