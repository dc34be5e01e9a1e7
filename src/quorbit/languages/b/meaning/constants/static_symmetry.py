"""Constants up to the symmetry of deferred sets, as far as ProB goes and therefore counts them.

A valuation of the constants and its image under a permutation of a deferred set are the same to everybody. Some forms
of properties choose among them; every valuation has an image that is chosen:

* constants that are elements of a set use its elements in the order of their first use;
* of sets that part a deferred set, the first takes the first elements that no such constant can need, and so on; sets
  of one element count as elements then;
* the first bijection from one deferred set to another maps the first element to the first, and so on;
* the first bijection from a deferred set to numbers rises.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

from quorbit.languages.b.meaning.evaluator import Env
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.syntax.formulas import Apply, Binary, Formula, Name, Number, SetOf, Unary
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.languages.b.types.types import INTEGER, PREDICATE, Given, PairType, SetOfType, Type, relation
from quorbit.source.frozen import field, frozen

__all__ = ["Choice", "choose_constants", "find_parts", "is_chosen"]


@frozen
class Choice:
    """``conditions`` to add to the properties, ``atoms`` the names in them, ``elements`` who uses atoms in order."""

    conditions: tuple[Formula, ...] = ()
    atoms: Env = field(default_factory=dict)
    elements: dict[str, tuple[int, ...]] = field(default_factory=dict)  # set: places among the constants


def choose_constants(machine: TypedMachine, universe: Universe) -> Choice:
    """How one valuation of the constants of each kind is chosen."""
    tied, identities = tie_sets(machine, universe)
    elements = {s: elements_of(machine, s) for s in sorted(universe.deferred - tied) if universe.atoms[s]}
    conditions = list(identities)
    for s, places in elements.items():
        conditions.extend(in_order_of_use(machine, universe, s, places))
        conditions.extend(parted_in_order(machine, universe, s, len(places)))
    atoms = {atom_name(a): a for s in sorted(universe.deferred) for a in universe.atoms[s]}
    return Choice(tuple(conditions), atoms, elements)


def is_chosen(choice: Choice, universe: Universe, values: tuple[Any, ...]) -> bool:
    """Whether the constants that are elements, or sets of one, use each set's atoms in the order of first use."""
    for s, places in choice.elements.items():
        first, used = universe.atoms[s][0], 0
        for k in places:
            value = values[k]
            atom = min(value) if isinstance(value, frozenset) else value
            if atom > first + used:
                return False
            used = max(used, atom - first + 1)
    return True


def tie_sets(machine: TypedMachine, universe: Universe) -> tuple[frozenset[str], list[Formula]]:
    """The sets whose elements a bijection from another set puts in order, and the values of these bijections."""
    tied: set[str] = set()
    sources: set[str] = set()
    found: list[Formula] = []
    for c in machine.properties:
        match c:
            case Binary(op=":", left=Name() as f, right=Binary(op=">->>", left=Name(name=s), right=Name(name=t))) if (
                {s, t} <= universe.deferred and s != t and t not in tied | sources
            ):
                found.append(is_identity(f, universe, s, t))
                tied.add(t)
                sources.add(s)
            case Binary(op=":", left=Name() as f, right=Binary(op=">->>", left=Name(name=s), right=numbers)) if (
                s in universe.deferred - tied - sources and numbers.type == SetOfType(INTEGER)
            ):
                found.extend(rises(f, s, a, b) for a, b in pairwise(universe.atoms[s]))
                tied.add(s)
    return frozenset(tied), found


def is_identity(f: Name, universe: Universe, s: str, t: str) -> Formula:
    pairs = tuple(
        Binary(f.span, "|->", atom(f, s, a), atom(f, t, b), type=PairType(Given(s), Given(t)))
        for a, b in zip(universe.atoms[s], universe.atoms[t], strict=False)
    )
    value = SetOf(f.span, pairs, type=relation(Given(s), Given(t)))
    return Binary(f.span, "=", f, value, type=PREDICATE)


def rises(f: Name, s: str, a: int, b: int) -> Formula:
    """f(a) < f(b)."""
    left, right = (Apply(f.span, f, (atom(f, s, x),), type=INTEGER) for x in (a, b))
    return Binary(f.span, "<", left, right, type=PREDICATE)


def elements_of(machine: TypedMachine, s: str) -> tuple[int, ...]:
    """The places of constants that are elements of the set or, if the set is parted, sets of one element."""
    single = {name for c in machine.properties if (name := has_one_element(c)) is not None and find_parts(machine, s)}
    kinds: tuple[Type, Type] = (Given(s), SetOfType(Given(s)))
    return tuple(
        k for k, c in enumerate(machine.constants) if c.type == kinds[0] or (c.type == kinds[1] and c.name in single)
    )


def has_one_element(c: Formula) -> str | None:
    match c:
        case Binary(op="=", left=Unary(op="card", argument=Name(name=name)), right=Number(value=1)):
            return name
        case Binary(op="=", left=Number(value=1), right=Unary(op="card", argument=Name(name=name))):
            return name
    return None


def in_order_of_use(machine: TypedMachine, universe: Universe, s: str, places: tuple[int, ...]) -> list[Formula]:
    """The first such constant can only be the first atom, the second one of the first two, and so on."""
    found: list[Formula] = []
    for count, k in enumerate(places, 1):
        c = machine.constants[k]
        some = SetOf(c.span, tuple(atom(c, s, a) for a in universe.atoms[s][:count]), type=SetOfType(Given(s)))
        found.append(Binary(c.span, ":" if c.type == Given(s) else "<:", c, some, type=PREDICATE))
    return found


def parted_in_order(machine: TypedMachine, universe: Universe, s: str, used: int) -> list[Formula]:
    """Of two neighbours among the atoms that are not used, the second is in no earlier part than the first."""
    parts = find_parts(machine, s)
    free = universe.atoms[s][used:]
    found: list[Formula] = []
    for a, b in pairwise(free):
        for k, part in enumerate(parts[:-1]):
            earlier = [is_in(atom(part, s, a), p) for p in parts[: k + 1]]
            before = earlier[0]
            for other in earlier[1:]:
                before = Binary(part.span, "=>", Unary(part.span, "not", before, type=PREDICATE), other, type=PREDICATE)
            found.append(Binary(part.span, "=>", is_in(atom(part, s, b), part), before, type=PREDICATE))
    return found


def find_parts(machine: TypedMachine, s: str) -> tuple[Name, ...]:
    """The constants that part the set: their union is the set, and any two are disjoint."""
    constants = {c.name for c in machine.constants}
    properties = [c for p in machine.properties for c in conjuncts(p)]
    disjoint = {pair for c in properties if (pair := disjoint_names(c)) is not None}
    for c in properties:
        match c:
            case Binary(op="=", left=Name(name=name), right=sum_) if name == s:
                parts = united(sum_)
            case Binary(op="=", left=sum_, right=Name(name=name)) if name == s:
                parts = united(sum_)
            case _:
                continue
        names = [p.name for p in parts]
        apart = all(frozenset(pair) in disjoint for pair in combinations(names, 2))
        if apart and len(names) > 1 and constants.issuperset(names):
            return parts
    return ()


def united(sum_: Formula) -> tuple[Name, ...]:
    match sum_:
        case Name():
            return (sum_,)
        case Binary(op="\\/", left=left, right=right):
            first, second = united(left), united(right)
            return (*first, *second) if first and second else ()
    return ()


def disjoint_names(c: Formula) -> frozenset[str] | None:
    match c:
        case Binary(op="=", left=Binary(op="/\\", left=Name(name=a), right=Name(name=b)), right=SetOf(items=())):
            return frozenset((a, b))
        case Binary(op="=", left=SetOf(items=()), right=Binary(op="/\\", left=Name(name=a), right=Name(name=b))):
            return frozenset((a, b))
    return None


def is_in(element: Formula, s: Name) -> Formula:
    return Binary(s.span, ":", element, s, type=PREDICATE)


def atom(at: Formula, s: str, a: int) -> Formula:
    return Name(at.span, atom_name(a), type=Given(s))


def atom_name(a: int) -> str:
    return f"#{a}"  # no name of the user's
