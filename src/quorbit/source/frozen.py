"""``frozen``: the decorator of the program's values, a frozen dataclass that is quick to make and quick to fill.

``dataclass(frozen=True)`` compiles the text of six methods for each class, a third of the time of a short command, and
its instances pay for each field they set.  Here only ``__init__`` is compiled; equality, hash and text are shared by
all classes, and that nobody assigns to a field is left to the type checker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
Key = Callable[[Any], Any]

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**described):
        return lambda decorator: decorator


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(made: type[T]) -> type[T]:
    """The class with the methods of a frozen dataclass; those that it defines itself stay."""
    made = dataclass(eq=False, repr=False)(made)
    key = key_of(*(part.name for part in fields(made) if part.compare))  # type: ignore[arg-type]
    for name, method in (("__eq__", equality(key)), ("__hash__", hashing(key)), ("__repr__", shown)):
        if vars(made).get(name) is None:
            setattr(made, name, method)
    return made


def key_of(*names: str) -> Key:
    """What is compared, always a tuple: the same two values are never compared twice."""
    match names:
        case ():
            return lambda value: ()
        case (name,):
            get = attrgetter(name)
            return lambda value: (get(value),)
        case _:
            return attrgetter(*names)


def equality(key: Key) -> Callable[[Any, object], Any]:
    def equal(one: Any, other: object) -> Any:
        return key(one) == key(other) if other.__class__ is one.__class__ else NotImplemented

    return equal


def hashing(key: Key) -> Callable[[Any], int]:
    return lambda value: hash(key(value))


def shown(value: Any) -> str:
    parts = (f"{part.name}={getattr(value, part.name)!r}" for part in fields(value) if part.repr)
    return f"{type(value).__qualname__}({', '.join(parts)})"
