"""How large deferred sets are and how far integers go, as ProB decides it.

The user's option counts first, then ``scope_S``, then what PROPERTIES say of ``card(S)``, then DEFAULT_SETSIZE, then 2.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from quorbit.languages.b.meaning.constants.static_symmetry import find_parts
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.syntax.definitions import expand
from quorbit.languages.b.syntax.formulas import Binary, Builtin, Formula, Name, Number, SetOf, Unary
from quorbit.languages.b.syntax.machine import Definition
from quorbit.languages.b.types.typed import GivenSet, TypedMachine
from quorbit.languages.b.types.types import Given, SetOfType, Type
from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import NOWHERE

__all__ = ["choose_universe"]

DEFAULT_SIZE, MAX_INT, MIN_INT = 2, 3, -1  # ProB's preferences
LARGEST_SET = 10_000
LARGEST_POWER = 1000


@mutable
class Bounds:
    """What is known about the size of one set."""

    low: int = 1
    high: int | None = None

    def choose(self, default: int) -> int:
        high = default if self.high is None else min(default, self.high)
        return max(self.low, high) if self.high is None or self.low <= self.high else self.low


@mutable
class Known:
    """Numbers that constants are said to be equal to, sizes of sets, and the bounds of integers."""

    numbers: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    max_int: int = MAX_INT
    min_int: int = MIN_INT


def choose_universe(machine: TypedMachine, definitions: dict[str, Definition], options: LoadOptions) -> Universe:
    """All sets with their atoms; a size for a set that is not deferred is refused."""
    wanted = dict(options.set_sizes)
    deferred = {s.name for s in machine.sets if s.elements is None}
    for name in wanted:
        if name not in deferred:
            known = ", ".join(sorted(deferred)) or "none"
            raise UserError(NOWHERE, f"{name} is not a deferred set of {machine.name} (these are: {known})")
    known_numbers = read_bounds(definitions, options)
    find_sizes(wanted, definitions, machine, known_numbers)
    return number_atoms(machine, known_numbers)


def find_sizes(wanted: dict[str, int], definitions: dict[str, Definition], machine: TypedMachine, known: Known) -> None:
    """Sizes that are stated, each of which may tell that of another set; where none is, one set gets a usual size."""
    known.sizes.update((s.name, len(s.elements)) for s in machine.sets if s.elements is not None)
    while unsized := [s for s in machine.sets if s.name not in known.sizes]:
        read_numbers(machine.properties, known)
        stated = [(s, stated_size(s, wanted, definitions, machine, known)) for s in unsized]
        found = [(s, size) for s, size in stated if size is not None]
        for s, size in found or [(unsized[0], usual_size(unsized[0], definitions, machine, known))]:
            if not 1 <= size <= LARGEST_SET:
                raise UserError(s.span, f"{s.name} cannot have {size} elements: a deferred set is not empty and finite")
            known.sizes[s.name] = size


def read_bounds(definitions: dict[str, Definition], options: LoadOptions) -> Known:
    known = Known()
    high, low = preference(definitions, "MAXINT"), preference(definitions, "MININT")
    known.max_int = first_of(options.max_int, high, MAX_INT)
    known.min_int = first_of(options.min_int, low, MIN_INT)
    return known


def first_of(*values: int | None) -> int:
    return next(v for v in values if v is not None)


def preference(definitions: dict[str, Definition], name: str) -> int | None:
    found = definitions.get(f"SET_PREF_{name}")
    if found is None or not isinstance(found.body, Formula):
        return None
    value = number(expand(found.body, definitions), Known())
    if value is None:
        raise UserError(found.span, f"SET_PREF_{name} must be a number")
    return value


def stated_size(
    s: GivenSet, wanted: dict[str, int], definitions: dict[str, Definition], machine: TypedMachine, known: Known
) -> int | None:
    if s.name in wanted:
        return wanted[s.name]
    size = scope(definitions, s.name, known)
    if size is None:
        bounds = size_in(machine, s.name, known)
        size = bounds.low if bounds.low == bounds.high else None
    return size


def usual_size(s: GivenSet, definitions: dict[str, Definition], machine: TypedMachine, known: Known) -> int:
    default = preference(definitions, "DEFAULT_SETSIZE")
    return size_in(machine, s.name, known).choose(DEFAULT_SIZE if default is None else default)


def scope(definitions: dict[str, Definition], name: str, known: Known) -> int | None:
    """scope_S == 1..3, 3 or {a, b, c}."""
    found = definitions.get(f"scope_{name}")
    if found is None or not isinstance(found.body, Formula):
        return None
    match expand(found.body, definitions):
        case Binary(op="..", left=left, right=right):
            low, high = number(left, known), number(right, known)
            if low is not None and high is not None:
                return high - low + 1
        case SetOf(items=items):
            return len(items)
        case other:
            size = number(other, known)
            if size is not None:
                return size
    raise UserError(found.span, f"scope_{name} must be a number, an interval or a set")


def number(e: Formula, known: Known) -> int | None:
    """The value of a formula that is a number before any state is known."""
    match e:
        case Number(value=value):
            return value
        case Name(name=name):
            return known.numbers.get(name)
        case Builtin(name="MAXINT"):
            return known.max_int
        case Builtin(name="MININT"):
            return known.min_int
        case Unary(op="card", argument=Name(name=name)):
            return known.sizes.get(name)
        case Unary(op="-", argument=argument):
            positive = number(argument, known)
            return None if positive is None else -positive
        case Binary(op=op, left=left, right=right) if op in ARITHMETIC:
            a, b = number(left, known), number(right, known)
            if a is not None and b is not None:
                return ARITHMETIC[op](a, b)
    return None


def power(a: int, b: int) -> int | None:
    return a**b if 0 <= b <= LARGEST_POWER else None


def quotient(a: int, b: int) -> int | None:
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC: dict[str, Callable[[int, int], int | None]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "**": power,
    "/": quotient,
    "mod": lambda a, b: a % b if a >= 0 and b > 0 else None,
}


def read_numbers(properties: tuple[Formula, ...], known: Known) -> None:
    """Constants said to be equal to a number, directly or through others."""
    before = -1
    while before != len(known.numbers):
        before = len(known.numbers)
        for p in properties:
            match p:
                case (
                    Binary(op="=", left=Name(name=name), right=other)
                    | Binary(op="=", left=other, right=Name(name=name))
                ):
                    value = number(other, known)
                    if value is not None:
                        known.numbers.setdefault(name, value)


def size_in(machine: TypedMachine, name: str, known: Known) -> Bounds:
    """What the properties say of the size of a set."""
    bounds = Bounds()
    distinct = distinct_constants(machine, name)
    bounds.low = max(bounds.low, distinct)
    for p in machine.properties:
        note_size(p, name, known, bounds)
    note_parts(machine, name, known, bounds)
    note_partition(machine, name, known, bounds)
    return bounds


def note_partition(machine: TypedMachine, name: str, known: Known, bounds: Bounds) -> None:
    """S = {a} \\/ {b, c} \\/ T, no two of which meet: as large as the parts must be together."""
    for p in machine.properties:
        match p:
            case Binary(op="=", left=Name(name=whole), right=Binary(op="\\/") as union) if whole == name:
                parts = united(union)
                if all(is_disjoint(machine, a, b) for a, b in combinations(parts, 2)):
                    sizes = [part_size(machine, part, known) for part in parts]
                    bounds.low = max(bounds.low, sum(b.low for b in sizes))
                    if all(b.high is not None for b in sizes):
                        narrow(bounds, "<=", max(1, sum(b.high or 0 for b in sizes)))


def united(f: Formula) -> list[Formula]:
    return [*united(f.left), *united(f.right)] if isinstance(f, Binary) and f.op == "\\/" else [f]


def is_disjoint(machine: TypedMachine, a: Formula, b: Formula) -> bool:
    """Whether a property says that two sets have no element in common."""
    for p in machine.properties:
        match p:
            case Binary(op="=", left=Binary(op="/\\", left=left, right=right), right=SetOf(items=())):
                if (left, right) in ((a, b), (b, a)):
                    return True
            case Binary(op="/=", left=left, right=right):
                single = tuple(s.items[0] for s in (a, b) if isinstance(s, SetOf) and len(s.items) == 1)
                if single in ((left, right), (right, left)):
                    return True
    return False


def part_size(machine: TypedMachine, part: Formula, known: Known) -> Bounds:
    """What the properties say of the size of a part, which may be empty."""
    bounds = Bounds(low=0)
    match part:
        case SetOf(items=items):
            names = [i.name for i in items if isinstance(i, Name)]
            bounds.low = max(min(1, len(items)), largest_clique(names, unequal_names(machine)))
            bounds.high = len(items)
        case Name(name=name):
            for p in machine.properties:
                note_size(p, name, known, bounds)
                match p:
                    case Binary(op="/=", left=Name(name=left), right=SetOf(items=())) if left == name:
                        bounds.low = max(bounds.low, 1)
                    case Binary(op="=", left=Name(name=left), right=SetOf() as listed) if left == name:
                        inner = part_size(machine, listed, known)
                        bounds.low = max(bounds.low, inner.low)
                        narrow(bounds, "<=", inner.high or 0)
    return bounds


def note_parts(machine: TypedMachine, name: str, known: Known, bounds: Bounds) -> None:
    """A set that is parted has as many elements as its parts together."""
    parts = find_parts(machine, name)
    sizes = [size_in(machine, part.name, known) for part in parts]
    if parts:
        bounds.low = max(bounds.low, sum(b.low for b in sizes if b.high is not None or b.low > 1))
        if all(b.high == b.low for b in sizes):
            narrow(bounds, "=", sum(b.low for b in sizes))


def note_size(p: Formula, name: str, known: Known, bounds: Bounds) -> None:
    match p:
        case Binary(op="=" | "<" | "<=" | ">" | ">=" as op, left=left, right=right):
            if is_card(left, name) and (n := number(right, known)) is not None:
                narrow(bounds, op, n)
            elif is_card(right, name) and (n := number(left, known)) is not None:
                narrow(bounds, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op), n)
            elif op == "=" and isinstance(left, Name) and left.name == name and isinstance(right, SetOf):
                bounds.high = len(right.items)


def is_card(e: Formula, name: str) -> bool:
    return isinstance(e, Unary) and e.op == "card" and isinstance(e.argument, Name) and e.argument.name == name


def narrow(bounds: Bounds, op: str, n: int) -> None:
    if op in ("=", "<", "<="):
        high = n - (op == "<")
        bounds.high = high if bounds.high is None else min(bounds.high, high)
    if op in ("=", ">", ">="):
        bounds.low = max(bounds.low, n + (op == ">"))


def distinct_constants(machine: TypedMachine, name: str) -> int:
    """How many constants of the set must differ from each other."""
    members = [c.name for c in machine.constants if c.type == Given(name)]
    return largest_clique(members, unequal_names(machine))


def unequal_names(machine: TypedMachine) -> set[frozenset[str]]:
    """Pairs of constants that the properties tell apart."""
    unequal: set[frozenset[str]] = set()
    for p in machine.properties:
        match p:
            case (
                Binary(op="/=", left=Name(name=a), right=Name(name=b))
                | Unary(op="not", argument=Binary(op="=", left=Name(name=a), right=Name(name=b)))
            ):
                unequal.add(frozenset({a, b}))
            case Binary(op="=", left=Unary(op="card", argument=SetOf(items=items)), right=Number(value=n)):
                texts = [i.name for i in items if isinstance(i, Name)]
                if n == len(texts) == len(items):
                    unequal |= {frozenset({a, b}) for a in texts for b in texts if a != b}
    return unequal


def largest_clique(members: list[str], unequal: set[frozenset[str]]) -> int:
    """The size of the largest set of members that are pairwise unequal; they are few."""
    best = 0

    def extend(size: int, rest: list[str]) -> None:
        nonlocal best
        best = max(best, size)
        for k, member in enumerate(rest):
            if size + len(rest) - k <= best:
                return
            extend(size + 1, [other for other in rest[k + 1 :] if frozenset({member, other}) in unequal])

    extend(0, members)
    return best


def number_atoms(machine: TypedMachine, known: Known) -> Universe:
    atoms: dict[str, tuple[int, ...]] = {}
    names: list[str] = []
    for s in machine.sets:
        own = s.elements or tuple(f"{s.name}{i + 1}" for i in range(known.sizes[s.name]))
        atoms[s.name] = tuple(range(len(names), len(names) + len(own)))
        names.extend(own)
    deferred = frozenset(s.name for s in machine.sets if s.elements is None)
    anonymous = {names[a]: Given(s) for s in deferred for a in atoms[s]}  # as traces print them
    free = {f.name: tuple((name, taken_type(s), s) for name, s in f.constructors) for f in machine.free}
    types = anonymous | machine.globals
    return Universe(atoms, tuple(names), deferred, known.max_int, known.min_int, types, free)


def taken_type(s: Formula | None) -> Type | None:
    """The type of what a constructor takes, of the set that it is taken from."""
    if s is None:
        return None
    assert isinstance(s.type, SetOfType)
    return s.type.element
