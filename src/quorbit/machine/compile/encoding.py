"""Values as the bits of their shape, and back: codes of leaves, numbers of elements, words of slots."""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.machine.compile.shapes import (
    WORD,
    Bits,
    Ids,
    Ints,
    Record,
    Shape,
    Slots,
    Unshaped,
    Void,
    count,
    leaves,
    slot_words,
    slots_per_word,
    width,
)
from quorbit.machine.interned import ValueTable
from quorbit.model.system.types import Value

__all__ = ["Reader", "encode", "has_value", "value_at", "without_strings"]


def encode(shape: Shape, value: Value, texts: Mapping[str, int], table: ValueTable | None = None) -> list[int]:
    """The codes (value - low) of the leaves."""
    match shape:
        case Ints(low):
            return [(texts[value] if isinstance(value, str) else value) - low]  # type: ignore[operator]
        case Record(parts):
            pairs = zip(parts, value, strict=True)  # type: ignore[arg-type]
            return [code for part, v in pairs for code in encode(part, v, texts, table)]
        case Bits(element):
            mask = mask_of([index_of(element, v, texts) for v in value])  # type: ignore[union-attr]
            return [mask >> at & (2**WORD - 1) for at in range(0, count(element), WORD)]
        case Slots(message):
            return [len(value), *encode_slots(message, value, texts)]  # type: ignore[arg-type]
        case Ids():
            assert table is not None
            return [table.number_of(without_strings(value, texts))]
        case Void():
            return []


def without_strings(value: Value, texts: Mapping[str, int]) -> Value:
    """The value with every string replaced by its number."""
    match value:
        case str():
            return texts[value]
        case tuple():
            return tuple(without_strings(v, texts) for v in value) if texts else value
        case frozenset():
            return frozenset(without_strings(v, texts) for v in value) if texts else value
        case _:
            return value


def has_value(shape: Shape | None, value: Value) -> bool:
    """Whether a shape has room for a value in which strings are numbers."""
    match shape, value:
        case Ints(low, high), int():
            return low <= value <= high
        case Record(parts), tuple():
            return len(parts) == len(value) and all(map(has_value, parts, value))
        case Bits(element), frozenset():
            return all(has_value(element, v) for v in value)
        case Slots(message, capacity), tuple():
            return len(value) <= capacity and all(has_value(message, v) for v in value)
        case Ids(), _:
            return True
        case _:
            return False


def encode_slots(message: Shape | None, value: tuple[Value, ...], texts: Mapping[str, int]) -> list[int]:
    """The words of the slots that are in use; the others are zero and left out by ``encode``'s reader."""
    if message is None or not (w := width(message)):
        return []
    per_word, words = slots_per_word(message), [0] * (-(-len(value) // slots_per_word(message)))
    for k, v in enumerate(value):
        words[k // per_word] |= pack(message, v, texts) << (w * (k % per_word))
    return words


def decode(shape: Shape, codes: list[int], table: ValueTable | None = None) -> Value:
    """The value whose leaves have these codes; strings stay numbers."""
    return Reader(codes, table).read(shape)


class Reader:
    """Takes codes from a list, one leaf after the other."""

    def __init__(self, codes: list[int], table: ValueTable | None = None) -> None:
        self.codes = codes
        self.table = table
        self.at = 0

    def take(self) -> int:
        self.at += 1
        return self.codes[self.at - 1]

    def read(self, shape: Shape) -> Value:
        match shape:
            case Ints(low):
                return self.take() + low
            case Record(parts):
                return tuple(self.read(part) for part in parts)
            case Bits(element):
                mask = sum(self.take() << at for at in range(0, count(element), WORD))
                return elements(element, mask)
            case Slots(message, capacity):
                return self.read_slots(message, capacity, self.take())
            case Ids():
                assert self.table is not None
                return self.table.value_of(self.take())
            case Void():
                return 0

    def read_slots(self, message: Shape | None, capacity: int, length: int) -> Value:
        words = [self.take() for _ in slot_words(message, capacity)]
        if message is None:
            return ()
        w, per_word = width(message), slots_per_word(message)
        codes = [words[k // per_word] >> (w * (k % per_word)) & ((1 << w) - 1) if w else 0 for k in range(length)]
        return tuple(unpack(message, code) for code in codes)


def index_of(shape: Shape | None, value: Value, texts: Mapping[str, int]) -> int:
    """The number of a value among all values of its shape: the bit that stands for it in a set."""
    match shape:
        case Ints(low):
            return (texts[value] if isinstance(value, str) else value) - low  # type: ignore[operator]
        case Record(parts):
            index = 0
            for part, v in zip(parts, value, strict=True):  # type: ignore[arg-type]
                index = index * count(part) + index_of(part, v, texts)
            return index
        case Bits(element):
            return mask_of([index_of(element, v, texts) for v in value])  # type: ignore[union-attr]
        case _:
            raise Unshaped("a set of queues cannot be laid out")


def mask_of(indices: list[int]) -> int:
    mask = 0
    for i in indices:
        mask |= 1 << i
    return mask


def value_at(shape: Shape | None, index: int) -> Value:
    """The value with a number: the inverse of ``index_of``."""
    match shape:
        case Ints(low):
            return low + index
        case Record(parts):
            found: list[Value] = []
            for part in reversed(parts):
                index, k = divmod(index, count(part))
                found.append(value_at(part, k))
            return tuple(reversed(found))
        case Bits(element):
            return elements(element, index)
        case _:
            raise Unshaped("a set of queues cannot be laid out")


def elements(element: Shape | None, mask: int) -> frozenset[Value]:
    numbers = ones(mask)
    if isinstance(element, Ints):  # sets of numbers may be large
        return frozenset([element.low + i for i in numbers])
    return frozenset([value_at(element, i) for i in numbers])


def ones(mask: int) -> list[int]:
    """Which bits are set; the digits are looked at once, however many there are."""
    return [i for i, digit in enumerate(reversed(f"{mask:b}")) if digit == "1"]


def pack(shape: Shape, value: Value, texts: Mapping[str, int]) -> int:
    """All leaves in one word, the first in the highest bits, so that words are ordered as tuples of numbers are."""
    word = 0
    codes = encode(shape, value, texts)
    for k, leaf in enumerate(leaves(shape)):
        word = word << leaf.width | (codes[k] if k < len(codes) else 0)
    return word


def unpack(shape: Shape, word: int) -> Value:
    codes: list[int] = []
    for leaf in reversed(leaves(shape)):
        codes.append(word & ((1 << leaf.width) - 1))
        word >>= leaf.width
    return decode(shape, codes[::-1])
