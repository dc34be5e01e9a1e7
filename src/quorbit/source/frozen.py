"""``frozen`` and ``mutable``: the decorators of the program's values, dataclasses that are quick to make and to fill.

``dataclass(frozen=True)`` compiles the text of six methods for each class, a third of the time of a short command, and
its instances pay for each field they set.  Here only ``__init__`` is written, and that when the first instance is made
(of most classes a run makes none); equality, hash and text are shared by all classes, and that nobody assigns to a
field is left to the type checker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
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
    key = key_of_class(completed(made))
    return with_methods(made, __eq__=equality(key), __hash__=hashing(key))


@dataclass_transform(field_specifiers=(field,))
def mutable(made: type[T]) -> type[T]:
    """The class with the methods of a dataclass whose fields may change."""
    return with_methods(completed(made), __eq__=equality(key_of_class(made)), __hash__=None)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def distinct(made: type[T]) -> type[T]:
    """The class with the methods of a dataclass whose instances are equal to themselves only."""
    return completed(made)


def completed(made: type[T]) -> type[T]:
    made.__doc__ = made.__doc__ or made.__name__  # else dataclass writes down the signature, which takes long
    made = dataclass(init=False, eq=False, repr=False)(made)
    return with_methods(made, __init__=construction(made), __repr__=shown)


def with_methods(made: type[T], **methods: Any) -> type[T]:
    """The class with these methods, unless it defines them itself."""
    for name, method in methods.items():
        if vars(made).get(name) is None:
            setattr(made, name, method)
    return made


def key_of_class(made: type[Any]) -> Key:
    return key_of(*(part.name for part in fields(made) if part.compare))


def construction(made: type[Any]) -> Callable[..., None]:
    """``__init__`` that writes itself out when it is first called."""

    def construct(self: Any, *given: Any, **named: Any) -> None:
        made.__init__ = written_out(made)
        made.__init__(self, *given, **named)

    return construct


def written_out(made: type[Any]) -> Callable[..., None]:
    """``__init__`` as ``dataclass`` writes it."""
    parts = fields(made)
    simple = all(part.init and not part.kw_only and part.default_factory is MISSING for part in parts)
    return renamed(parts) if simple and not hasattr(made, "__post_init__") else compiled(made)


def renamed(parts: tuple[Field[Any], ...]) -> Callable[..., None]:
    """The code for so many fields with the names of these, thirty times quicker than to compile it."""
    names = tuple(part.name for part in parts)
    code = setter(len(parts)).replace(co_varnames=("self", *names), co_names=names)
    defaults = tuple(part.default for part in parts if part.default is not MISSING)
    return FunctionType(code, {}, "__init__", defaults)


@cache
def setter(count: int) -> CodeType:
    """The code of an ``__init__`` that sets so many fields."""
    names = [f"field{k}" for k in range(count)]
    known: dict[str, Any] = {}
    exec(
        f"def __init__({', '.join(['self', *names])}):\n {'; '.join(f'self.{n} = {n}' for n in names) or 'pass'}", known
    )
    code: CodeType = known["__init__"].__code__
    return code


def compiled(made: type[Any]) -> Callable[..., None]:
    """Any ``__init__``: with fields made anew, given by name only or not at all, or with something to do after."""
    parts = [part for part in fields(made) if part.init or part.default_factory is not MISSING]
    ordered = [part for part in parts if part.init and not part.kw_only]
    named = [part for part in parts if part.init and part.kw_only]
    parameters = ["self", *map(parameter, ordered), *(["*", *map(parameter, named)] if named else [])]
    body = [f"self.{part.name} = {given_value(part)}" for part in parts]
    body += ["self.__post_init__()"] if hasattr(made, "__post_init__") else []
    known: dict[str, Any] = {"MISSING": MISSING}
    for part in parts:
        known["default_" + part.name] = part.default if part.default_factory is MISSING else part.default_factory
    exec(f"def __init__({', '.join(parameters)}):\n {'; '.join(body) or 'pass'}", known)
    written: Callable[..., None] = known["__init__"]
    return written


def parameter(part: Field[Any]) -> str:
    if part.default_factory is not MISSING:
        return f"{part.name}=MISSING"
    return part.name if part.default is MISSING else f"{part.name}=default_{part.name}"


def given_value(part: Field[Any]) -> str:
    if part.default_factory is MISSING:
        return part.name
    made = f"default_{part.name}()"
    return f"{made} if {part.name} is MISSING else {part.name}" if part.init else made


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
