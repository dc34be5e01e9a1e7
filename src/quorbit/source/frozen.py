"""The decorators of the program's values: dataclasses that are quick to define, to make and to fill.

``dataclass`` compiles the text of six methods for each class, and to import it takes as long as to read a small model.
Here only ``__init__`` is written, and that when the first instance is made (of most classes a run makes none);
equality, hash and text are shared by all classes.  The fields of a frozen value are set once, by ``__init__``, past the
``__setattr__`` that refuses everybody else.  Whoever uses ``dataclasses`` on a value finds a dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["distinct", "field", "fields_by_name", "frozen", "frozen_distinct", "mutable", "names_of_fields", "replace"]

T = TypeVar("T")
Key = Callable[[Any], Any]
MISSING: Any = object()  # instead of a default
put = object.__setattr__


class Field:
    """What ``field`` says of a field."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "repr")

    def __init__(
        self, default: Any, default_factory: Any, init: bool, repr: bool, compare: bool, kw_only: bool
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare, self.kw_only = init, repr, compare, kw_only


if TYPE_CHECKING:
    from dataclasses import field, replace

    from typing_extensions import dataclass_transform
else:

    def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, compare=True, kw_only=False):
        """A field of a value, as ``dataclasses.field`` describes it."""
        return Field(default, default_factory, init, repr, compare, kw_only)

    def replace(value, /, **changes):
        """The value with other fields, as ``dataclasses.replace`` makes it."""
        for name, part in type(value).__fields__.items():
            if part.init and name not in changes:
                changes[name] = getattr(value, name)
        return type(value)(**changes)

    def dataclass_transform(**described):
        return lambda decorator: decorator


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(made: type[T]) -> type[T]:
    """The class with the methods of a frozen dataclass; those that it defines itself stay."""
    return with_equality(frozen_distinct(made))


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen_distinct(made: type[T]) -> type[T]:
    """The same, but its instances are equal to themselves only."""
    refusals = {"__setattr__": refuse_to_set, "__delattr__": refuse_to_delete}
    return with_methods(completed(made, "put(self, {name!r}, {name})"), **refusals)


@dataclass_transform(field_specifiers=(field,))
def mutable(made: type[T]) -> type[T]:
    """The class with the methods of a dataclass whose fields may change."""
    return with_equality(distinct(made), has_hash=False)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def distinct(made: type[T]) -> type[T]:
    """The same, but its instances are equal to themselves only."""
    return completed(made, "self.{name} = {name}")


def names_of_fields(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a class made here, in their order; none of any other class."""
    return tuple(getattr(kind, "__fields__", ()))


def fields_by_name(value: Any) -> dict[str, Any]:
    """The fields of a value with their names, in their order."""
    return {name: getattr(value, name) for name in names_of_fields(type(value))}


def refuse_to_set(value: Any, name: str, _: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to {name}: {type(value).__name__} is frozen; use replace()")


def refuse_to_delete(value: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete {name}: {type(value).__name__} is frozen")


class AsDataclass:
    """``__dataclass_fields__`` of every class made here, found out when somebody asks."""

    def __get__(self, value: Any, kind: type[Any]) -> dict[str, Any]:
        import dataclasses

        found: dict[str, Any] = {}
        for name, part in fields_of(kind).items():
            given = {"default": default_of(kind, name, part), "default_factory": part.default_factory}
            defaults = {key: value for key, value in given.items() if value is not MISSING}
            told: Any = dataclasses.field(**defaults, init=part.init, repr=part.repr, compare=part.compare)
            told.name, told.kw_only, told._field_type = name, part.kw_only, dataclasses._FIELD  # type: ignore[attr-defined]
            found[name] = told
        return found


AS_DATACLASS = AsDataclass()
PLAIN = Field(MISSING, MISSING, True, True, True, False)  # with a default or without, as the class says


def completed(made: type[T], assignment: str) -> type[T]:
    """The class with its fields, with ``__init__`` and ``__repr__``."""
    parts: dict[str, Field] = {}
    for base in made.__mro__[-2:0:-1]:
        parts.update(vars(base).get("__fields__", ()))
    for name, text in vars(made).get("__annotations__", {}).items():
        if "ClassVar" not in str(text):
            parts[name] = taken(made, name)
    made.__fields__ = parts  # type: ignore[attr-defined]
    made.__dataclass_fields__ = AS_DATACLASS  # type: ignore[attr-defined]
    by_place = tuple([name for name, part in parts.items() if part.init and not part.kw_only])
    return with_methods(made, __match_args__=by_place, __init__=construction(made, assignment), __repr__=shown)


def taken(made: type[Any], name: str) -> Field:
    """What is said of a field; the class keeps its default."""
    part = getattr(made, name, None)
    if type(part) is not Field:
        if type(part).__name__ == "Field":
            raise TypeError(f"{made.__name__}.{name}: use field of {__name__}, not that of dataclasses")
        return PLAIN
    if part.default is MISSING:
        delattr(made, name)
    else:
        setattr(made, name, part.default)
    return part


def fields_of(kind: type[Any]) -> dict[str, Field]:
    found: dict[str, Field] = kind.__fields__
    return found


def default_of(kind: type[Any], name: str, part: Field) -> Any:
    return getattr(kind, name, MISSING) if part is PLAIN else part.default


def with_methods(made: type[T], **methods: Any) -> type[T]:
    """The class with these methods, unless it defines them itself."""
    for name, method in methods.items():
        if vars(made).get(name) is None:
            setattr(made, name, method)
    return made


def with_equality(made: type[T], has_hash: bool = True) -> type[T]:
    key = key_of(*[name for name, part in fields_of(made).items() if part.compare])
    return with_methods(made, __eq__=equality(key), __hash__=hashing(key) if has_hash else None)


def construction(made: type[Any], assignment: str) -> Callable[..., None]:
    """``__init__`` that writes itself out when it is first called."""

    def construct(self: Any, *given: Any, **named: Any) -> None:
        made.__init__ = written_out(made, assignment)
        made.__init__(self, *given, **named)

    return construct


def written_out(made: type[Any], assignment: str) -> Callable[..., None]:
    """``__init__`` as ``dataclass`` writes it.  To put its names into code for so many fields is thirty times quicker
    than to compile it."""
    by_place, by_name = parameters(made)
    names = (*by_place, *by_name)
    code = setter(len(names), assignment)
    there = dict(zip(stand_ins(len(names)), names, strict=True))
    code = code.replace(
        co_argcount=1 + len(by_place),
        co_kwonlyargcount=len(by_name),
        co_varnames=("self", *names),
        co_names=tuple(there.get(name, name) for name in code.co_names),
        co_consts=tuple(there.get(value, value) for value in code.co_consts),
    )
    defaults = default_values(made)
    plain = FunctionType(code, {"put": put}, "__init__", tuple(defaults[name] for name in by_place if name in defaults))
    plain.__kwdefaults__ = {name: defaults[name] for name in by_name if name in defaults}
    steps = last_steps(made)

    def construct(self: Any, *given: Any, **named: Any) -> None:
        plain(self, *given, **named)
        for step in steps:
            step(self)

    return construct if steps else plain


def parameters(made: type[Any]) -> tuple[list[str], list[str]]:
    """The fields that are given by their place or by name, and those that are given by name only."""
    given = {name: part for name, part in fields_of(made).items() if part.init}
    return [name for name in given if not given[name].kw_only], [name for name in given if given[name].kw_only]


def default_values(made: type[Any]) -> dict[str, Any]:
    """What stands for a field that is not given; MISSING where its value is made anew."""
    given = {name: part for name, part in fields_of(made).items() if part.init}
    found = {name: default_of(made, name, part) for name, part in given.items()}
    return {
        name: value
        for name, value in found.items()
        if value is not MISSING or given[name].default_factory is not MISSING
    }


def last_steps(made: type[Any]) -> list[Callable[[Any], None]]:
    """What ``__init__`` does when all fields that were given are set."""
    anew = [
        (name, part.default_factory) for name, part in fields_of(made).items() if part.default_factory is not MISSING
    ]

    def make_anew(value: Any) -> None:
        for name, make in anew:
            if getattr(value, name, MISSING) is MISSING:
                put(value, name, make())

    return [make_anew] * bool(anew) + [lambda value: value.__post_init__()] * hasattr(made, "__post_init__")


def stand_ins(count: int) -> list[str]:
    return [f"field{k}" for k in range(count)]


@cache
def setter(count: int, assignment: str) -> CodeType:
    """The code of an ``__init__`` that sets so many fields."""
    names = stand_ins(count)
    body = "; ".join(assignment.format(name=name) for name in names) or "pass"
    known: dict[str, Any] = {}
    exec(f"def __init__({', '.join(['self', *names])}):\n {body}", known)
    code: CodeType = known["__init__"].__code__
    return code


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
    parts = (f"{name}={getattr(value, name)!r}" for name, part in fields_of(type(value)).items() if part.repr)
    return f"{type(value).__qualname__}({', '.join(parts)})"
