"""The types of B: integers, reals, booleans, strings, given sets, free types, powersets, products, records.

Predicates are one more. Functions, relations and sequences are sets of pairs. A Hole is a type not known yet; Letter is
a type variable of a signature.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.source.frozen import distinct, field, frozen

__all__ = [
    "BOOL",
    "INTEGER",
    "PREDICATE",
    "REAL",
    "STRING",
    "Free",
    "Given",
    "PairType",
    "RecordType",
    "SetOfType",
    "Type",
    "product",
    "relation",
]


@frozen
class Basic:
    """INTEGER, BOOL or STRING; or PREDICATE, the type of a formula that is true or false."""

    name: str

    def __str__(self) -> str:
        return self.name


@frozen
class Given:
    """An element of a deferred or enumerated set."""

    name: str

    def __str__(self) -> str:
        return self.name


@frozen
class Free:
    """A value of a free type: one of its constructors, applied to a value unless it takes none."""

    name: str

    def __str__(self) -> str:
        return self.name


@frozen
class SetOfType:
    """POW(element)."""

    element: Type

    def __str__(self) -> str:
        return f"POW({self.element})"


@frozen
class PairType:
    """left * right."""

    left: Type
    right: Type

    def __str__(self) -> str:
        right = f"({self.right})" if isinstance(self.right, PairType) else str(self.right)
        return f"{self.left}*{right}"


@frozen
class RecordType:
    """struct(fields), the fields in alphabetical order: their order in the text says nothing."""

    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"struct({', '.join(f'{name}: {of}' for name, of in self.fields)})"


@frozen
class Letter:
    """A type variable of a signature such as card: POW(a) -> INTEGER."""

    name: str


@distinct
class Hole:
    """A type that inference has still to find; ``found`` is set at most once."""

    found: Type | None = field(default=None)

    def __str__(self) -> str:
        return str(self.found) if self.found is not None else "?"


Type = Basic | Given | Free | SetOfType | PairType | RecordType | Letter | Hole

INTEGER, BOOL, STRING, PREDICATE = Basic("INTEGER"), Basic("BOOL"), Basic("STRING"), Basic("PREDICATE")
REAL = Basic("REAL")


def relation(left: Type, right: Type) -> Type:
    return SetOfType(PairType(left, right))


def sequence(element: Type) -> Type:
    return relation(INTEGER, element)


def product(types: tuple[Type, ...]) -> Type:
    """The type of the tuple (x, y, z), which is ((x, y), z)."""
    first, *rest = types
    for other in rest:
        first = PairType(first, other)
    return first


def prune(of: Type) -> Type:
    """What a hole stands for, as far as it is known at the top."""
    while isinstance(of, Hole) and of.found is not None:
        of = of.found
    return of


def parts(of: Type) -> tuple[Type, ...]:
    match of:
        case SetOfType(element):
            return (element,)
        case PairType(left, right):
            return (left, right)
        case RecordType(fields):
            return tuple(field_type for _, field_type in fields)
    return ()


def rebuild(of: Type, new: tuple[Type, ...]) -> Type:
    """The type with its parts replaced, in the order of ``parts``."""
    match of:
        case SetOfType():
            return SetOfType(new[0])
        case PairType():
            return PairType(new[0], new[1])
        case RecordType(fields):
            return RecordType(tuple((name, t) for (name, _), t in zip(fields, new, strict=True)))
    return of


def holes(of: Type) -> Iterator[Hole]:
    of = prune(of)
    if isinstance(of, Hole):
        yield of
    for part in parts(of):
        yield from holes(part)


def settle_type(of: Type) -> Type:
    """The type without indirections; a hole nobody filled becomes INTEGER, since any type would do."""
    of = prune(of)
    if isinstance(of, Hole):
        return INTEGER
    return rebuild(of, tuple(settle_type(part) for part in parts(of)))


def instantiate(of: Type, names: dict[str, Hole]) -> Type:
    """A copy of a signature's type with its letters as fresh holes."""
    if isinstance(of, Letter):
        return names.setdefault(of.name, Hole())
    return rebuild(of, tuple(instantiate(part, names) for part in parts(of)))


def unify(left: Type, right: Type) -> bool:
    """Make both types equal by filling holes; False if that is impossible. A hole never becomes PREDICATE."""
    left, right = prune(left), prune(right)
    if left is right:
        return True
    if isinstance(left, Hole):
        return fill(left, right)
    if isinstance(right, Hole):
        return fill(right, left)
    if type(left) is not type(right):
        return False
    match left, right:
        case RecordType(these), RecordType(those):
            if [name for name, _ in these] != [name for name, _ in those]:
                return False
        case (Basic(), _) | (Given(), _) | (Free(), _):
            return left == right
    return all(unify(a, b) for a, b in zip(parts(left), parts(right), strict=True))


def fill(hole: Hole, of: Type) -> bool:
    if of == PREDICATE or any(h is hole for h in holes(of)):
        return False
    hole.found = of
    return True
