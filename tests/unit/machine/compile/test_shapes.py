"""Values to bits and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quorbit.machine.compile.encoding import decode, encode, pack, unpack
from quorbit.machine.compile.shapes import join, leaves, shape_of, shape_of_value, width
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Truth, TupleOf, Type, Value, size, values

SMALL_TYPES: list[Type] = [
    Number(-3, 4),
    Truth(),
    AtomOf((2, 3, 4), True),
    TupleOf((Number(0, 2), AtomOf((0, 1)))),
    SetOf(Number(1, 3)),
    SetOf(TupleOf((AtomOf((0, 1)), Number(0, 1)))),
    QueueOf(TupleOf((Number(0, 1), AtomOf((1, 2), True))), 2),
    SetOf(SetOf(Number(0, 1))),
]


def test_all_values_of_small_types_come_back() -> None:
    for type in SMALL_TYPES:
        shape = shape_of(type, 1)
        seen = set()
        for value in values(type):
            codes = encode(shape, value, {})
            codes += [0] * (len(leaves(shape)) - len(codes))
            for code, leaf in zip(codes, leaves(shape), strict=True):
                assert 0 <= code < 1 << leaf.width or leaf.width == code == 0
            seen.add(tuple(codes))
            assert decode(shape, codes) == value
        assert len(seen) == size(type)


def test_packed_words_are_ordered_as_tuples() -> None:
    type = TupleOf((Number(-2, 1), Number(0, 2)))
    shape = shape_of(type, 1)
    listed = sorted(values(type))  # type: ignore[type-var]
    assert sorted(pack(shape, v, {}) for v in listed) == [pack(shape, v, {}) for v in listed]
    assert all(unpack(shape, pack(shape, v, {})) == v for v in listed)


@given(st.frozensets(st.tuples(st.integers(-5, 5), st.integers(0, 9))))
def test_a_constant_fits_its_least_shape(value: frozenset[Value]) -> None:
    shape = shape_of_value(value, {})
    assert decode(shape, encode(shape, value, {})) == value
    wider = join(shape, shape_of_value(frozenset({(-7, 12)}), {}))
    assert decode(wider, encode(wider, value, {})) == value


def test_widths() -> None:
    assert width(shape_of(Number(0, 4), 1)) == 3
    assert width(shape_of(Number(None, None), 1)) == 64
    assert width(shape_of(SetOf(Number(0, 99)), 1)) == 100
    assert width(shape_of(QueueOf(Number(0, 3), 3), 1)) == 2 + 3 * 2
