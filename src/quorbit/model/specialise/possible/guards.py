"""What the guards of commands ask of the values of places: of one, of two, of a place that a command waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.model.meaning.partial import NOTHING, Domains, Faults, learned, may_fail
from quorbit.model.specialise.possible.addresses import literal_values, static_address
from quorbit.model.system.expression import Apply, Bound, Expr, Literal, Operator, Read
from quorbit.model.system.system import Address, System
from quorbit.model.system.types import Value
from quorbit.source.frozen import frozen

Test = tuple[tuple[Address, ...], Callable[..., bool]]  # places, and whether some of their values will do
Placed = tuple[int, Test | None]  # the number of the conjunct that asks it; None: it never holds
COMPARED = {
    Operator.LESS: lambda a, b: a < b,
    Operator.LESS_EQUAL: lambda a, b: a <= b,
}


@frozen
class Watch:
    """A value that a place of the command must have: of the atom that the parameter stands for, or one written down."""

    place: tuple[str, tuple[Value, ...]]  # variable and indices
    value: Value
    parameter: str | None
    owners: tuple[Value, ...] = ()


def safe_length(faults: Faults, system: System, conjuncts: tuple[Expr, ...], domains: Domains) -> int:
    """How many conjuncts surely have a value, one after the other, where those before them hold."""
    facts = NOTHING
    for k, e in enumerate(conjuncts):
        if faults.may_fail(e) and may_fail(system, e, domains, facts):
            return k
        facts |= learned(e)
    return len(conjuncts)


def find_watch(conjuncts: tuple[Expr, ...], ranged: dict[str, tuple[int, ...]]) -> Watch | None:
    """A value that the guard asks of a place which is written down, preferably but for one atom."""
    found = None
    for e in conjuncts:
        match e:
            case Apply(Operator.EQUAL, (Read(variable, owners) as place, Literal(value))):
                indices = literal_values(place.indices)
                if indices is None:
                    continue
                if len(owners) == 1 and isinstance(owners[0], Bound) and owners[0].name in ranged:
                    return Watch((variable, indices), value, owners[0].name)
                if found is None and (written := literal_values(owners)) is not None:
                    found = Watch((variable, indices), value, None, written)
    return found


def find_tests(conjuncts: tuple[Expr, ...]) -> Iterator[Placed]:
    for position, e in enumerate(conjuncts):
        if (test := test_of(e)) is not None:
            yield position, test
        elif isinstance(e, Literal) and not e.value:
            yield position, None


def test_of(e: Expr) -> Test | None:
    """What a conjunct asks of the values of one place or two; None if it asks something else."""
    match e:
        case Apply(Operator.EQUAL, (Read() as place, Read() as other)):
            return asked(lambda values, others: not values.isdisjoint(others), place, other)
        case Apply(Operator.OR, (Apply(Operator.EQUAL, (Read() as place, Literal())), *_) as cases):
            wanted = {c.operands[1].value for c in cases if is_equal_to(c, place)}  # type: ignore[union-attr]
            whole = len(wanted) > 1 and all(is_equal_to(c, place) for c in cases)
            return asked(lambda values: not wanted.isdisjoint(values), place) if whole else None
        case Apply(Operator.NOT, (Apply(Operator.EQUAL, (Read() as place, Literal(value))),)):
            only = frozenset([value])
            return asked(lambda values: not values <= only, place)
        case Apply(Operator.EQUAL, (Read() as place, Literal(value)) | (Literal(value), Read() as place)):
            return asked(lambda values: value in values, place)
        case Apply(operator, (Read() as place, Literal(value))) if operator in COMPARED:
            return asked(lambda values: any(COMPARED[operator](v, value) for v in values), place)
        case Apply(operator, (Literal(value), Read() as place)) if operator in COMPARED:
            return asked(lambda values: any(COMPARED[operator](value, v) for v in values), place)
        case _:
            return None


def is_equal_to(e: Expr, place: Read) -> bool:
    """Whether e compares this place with a value that is written down."""
    match e:
        case Apply(Operator.EQUAL, (Read() as compared, Literal())):
            return compared == place
        case _:
            return False


def asked(holds: Callable[..., bool], *places: Read) -> Test | None:
    addresses = [static_address(place) for place in places]
    known = tuple(address for address in addresses if address is not None)
    return (known, holds) if len(known) == len(addresses) else None
