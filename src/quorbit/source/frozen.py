"""``frozen`` and ``mutable``: the decorators of the program's values, dataclasses that are quick to make and to fill.

``dataclass(frozen=True)`` compiles the text of six methods for each class, a third of the time of a short command, and
its instances pay for each field they set.  Here only ``__init__`` is written, and that when the first instance is made
(of most classes a run makes none); equality, hash and text are shared by all classes.  The fields of a frozen value are
set once, by ``__init__``, past the ``__setattr__`` that refuses everybody else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["distinct", "frozen", "mutable"]

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
    key = key_of_class(completed(made, "put(self, {name!r}, {value})"))
    refusals = {"__setattr__": refuse_to_set, "__delattr__": refuse_to_delete}
    return with_methods(made, __eq__=equality(key), __hash__=hashing(key), **refusals)


@dataclass_transform(field_specifiers=(field,))
def mutable(made: type[T]) -> type[T]:
    """The class with the methods of a dataclass whose fields may change."""
    return with_methods(completed(made), __eq__=equality(key_of_class(made)), __hash__=None)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def distinct(made: type[T]) -> type[T]:
    """The class with the methods of a dataclass whose instances are equal to themselves only."""
    return completed(made)


def refuse_to_set(value: Any, name: str, _: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to {name}: {type(value).__name__} is frozen; use replace()")


def refuse_to_delete(value: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete {name}: {type(value).__name__} is frozen")


def completed(made: type[T], assignment: str = "self.{name} = {value}") -> type[T]:
    made.__doc__ = made.__doc__ or made.__name__  # else dataclass writes down the signature, which takes long
    made = with_plain_fields(made) if has_plain_fields(made) else dataclass(init=False, eq=False, repr=False)(made)
    return with_methods(made, __init__=construction(made, assignment), __repr__=shown)


@dataclass(init=False, eq=False, repr=False)
class Pattern:
    """What ``dataclass`` writes down of a class and of a field."""

    part: int


PLAIN = vars(Pattern)["__dataclass_params__"]
IS_FIELD = fields(Pattern)[0]._field_type  # type: ignore[attr-defined]
MARKED = ("ClassVar", "InitVar", "KW_ONLY")  # in annotations that are more than the type of a field


def has_plain_fields(made: type[Any]) -> bool:
    """Whether every annotation is a field of its own, so that one need not look at it for long."""
    told = vars(made).get("__annotations__")
    return told is not None and not any(
        type(text) is not str or any(mark in text for mark in MARKED) for text in told.values()
    )


def with_plain_fields(made: type[T]) -> type[T]:
    """What ``dataclass`` does with such a class, in a fifth of the time."""
    parts: dict[str, Field[Any]] = {}
    for base in made.__mro__[-1:0:-1]:
        parts.update(vars(base).get("__dataclass_fields__", {}))
    for name, text in vars(made)["__annotations__"].items():
        default: Any = getattr(made, name, MISSING)
        part: Any = default if isinstance(default, Field) else field(default=default)
        part.name, part.type, part._field_type, part.kw_only = name, text, IS_FIELD, part.kw_only is True
        if default is part:
            if part.default is MISSING:
                delattr(made, name)
            else:
                setattr(made, name, part.default)
        parts[name] = part
    made.__dataclass_fields__ = parts  # type: ignore[attr-defined]
    made.__dataclass_params__ = PLAIN  # type: ignore[attr-defined]
    if "__match_args__" not in vars(made):
        made.__match_args__ = tuple(p.name for p in parts.values() if p.init and not p.kw_only)  # type: ignore[attr-defined, misc]
    return made


def with_methods(made: type[T], **methods: Any) -> type[T]:
    """The class with these methods, unless it defines them itself."""
    for name, method in methods.items():
        if vars(made).get(name) is None:
            setattr(made, name, method)
    return made


def key_of_class(made: type[Any]) -> Key:
    return key_of(*(part.name for part in fields(made) if part.compare))


def construction(made: type[Any], assignment: str) -> Callable[..., None]:
    """``__init__`` that writes itself out when it is first called."""

    def construct(self: Any, *given: Any, **named: Any) -> None:
        made.__init__ = written_out(made, assignment)
        made.__init__(self, *given, **named)

    return construct


def written_out(made: type[Any], assignment: str) -> Callable[..., None]:
    """``__init__`` as ``dataclass`` writes it."""
    parts = fields(made)
    simple = all(part.init and not part.kw_only and part.default_factory is MISSING for part in parts)
    is_plain = simple and not hasattr(made, "__post_init__")
    return renamed(parts, assignment) if is_plain else compiled(made, assignment)


def renamed(parts: tuple[Field[Any], ...], assignment: str) -> Callable[..., None]:
    """The code for so many fields with the names of these, thirty times quicker than to compile it."""
    names = tuple(part.name for part in parts)
    code = setter(len(parts), assignment)
    there = dict(zip(stand_ins(len(parts)), names, strict=True))
    code = code.replace(
        co_varnames=("self", *names),
        co_names=tuple(there.get(name, name) for name in code.co_names),
        co_consts=tuple(there.get(value, value) for value in code.co_consts),
    )
    defaults = tuple(part.default for part in parts if part.default is not MISSING)
    return FunctionType(code, {"put": object.__setattr__}, "__init__", defaults)


def stand_ins(count: int) -> list[str]:
    return [f"field{k}" for k in range(count)]


@cache
def setter(count: int, assignment: str) -> CodeType:
    """The code of an ``__init__`` that sets so many fields."""
    names = stand_ins(count)
    body = "; ".join(assignment.format(name=name, value=name) for name in names) or "pass"
    known: dict[str, Any] = {}
    exec(f"def __init__({', '.join(['self', *names])}):\n {body}", known)
    code: CodeType = known["__init__"].__code__
    return code


def compiled(made: type[Any], assignment: str) -> Callable[..., None]:
    """Any ``__init__``: with fields made anew, given by name only or not at all, or with something to do after."""
    parts = [part for part in fields(made) if part.init or part.default_factory is not MISSING]
    ordered = [part for part in parts if part.init and not part.kw_only]
    named = [part for part in parts if part.init and part.kw_only]
    parameters = ["self", *map(parameter, ordered), *(["*", *map(parameter, named)] if named else [])]
    body = [assignment.format(name=part.name, value=given_value(part)) for part in parts]
    body += ["self.__post_init__()"] if hasattr(made, "__post_init__") else []
    known: dict[str, Any] = {"MISSING": MISSING, "put": object.__setattr__}
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
