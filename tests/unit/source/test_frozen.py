"""``frozen`` makes what ``dataclass(frozen=True)`` makes: the same construction, equality, hash and text."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import fields
from typing import Any

import pytest

from quorbit.source.frozen import (
    distinct,
    field,
    fields_by_name,
    frozen,
    frozen_distinct,
    mutable,
    replace,
)


@frozen
class Point:
    x: int
    y: int = 0


@frozen
class Labelled(Point):
    label: str = field(default="", compare=False, repr=False)
    tags: list[str] = field(default_factory=list, kw_only=True)


@frozen
class Counted:
    """A class with a docstring of its own."""

    total: int

    def __post_init__(self) -> None:
        if self.total < 0:
            raise ValueError("negative")


@frozen
class Empty:
    pass


def test_values_are_given_by_place_or_by_name_and_have_defaults() -> None:
    assert (Point(1).x, Point(1).y) == (1, 0)
    assert Point(y=2, x=1) == Point(1, 2)
    made = Labelled(1, 2, "a", tags=["t"])
    assert (made.x, made.y, made.label, made.tags) == (1, 2, "a", ["t"])
    assert Empty() == Empty()


def test_every_value_has_a_default_made_anew() -> None:
    one, other = Labelled(1), Labelled(1)
    one.tags.append("only here")
    assert other.tags == []


@pytest.mark.parametrize(
    "wrong", [lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(1, z=2), lambda: Labelled(1, 2, "a", [])]
)
def test_wrong_arguments_are_refused_the_first_time_and_later(wrong: Any) -> None:
    for _ in range(2):
        with pytest.raises(TypeError):
            wrong()


@frozen
class Wide:
    """Fields that are given in every way, or not given."""

    a: int
    b: int
    c: int = 3
    d: int = field(default=4, init=False)
    e: list[int] = field(default_factory=list)
    f: str = field(default="", kw_only=True)
    g: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.g.append(self.a)


@pytest.mark.parametrize("times", range(2))
def test_fields_are_given_by_place_or_by_name_or_not_at_all(times: int) -> None:
    assert fields_by_name(Wide(1, b=2)) == {"a": 1, "b": 2, "c": 3, "d": 4, "e": [], "f": "", "g": [1]}
    assert fields_by_name(Wide(1, 2, 5, [6], f="f")) == {"a": 1, "b": 2, "c": 5, "d": 4, "e": [6], "f": "f", "g": [1]}
    wide: Any = Wide
    for wrong in (
        lambda: wide(1),
        lambda: wide(1, z=6),
        lambda: wide(1, 2, 3, [], "f"),
        lambda: wide(1, 2, a=7),
        lambda: wide(1, 2, d=7),
        lambda: wide(1, 2, g=[]),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_equality_hash_and_text() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(2, 1)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert Point(1, 0) != Labelled(1, 0)
    assert Labelled(1, label="a") == Labelled(1, label="b")
    assert repr(Labelled(1, label="a")) == "Labelled(x=1, y=0, tags=[])"


def test_what_is_checked_after_construction_is_checked_every_time() -> None:
    assert Counted(3).total == 3
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            Counted(-1)


def test_a_value_is_made_from_another() -> None:
    made = replace(Labelled(1, 2, "a"), y=5)
    assert (made.x, made.y, made.label) == (1, 5, "a")
    with pytest.raises(TypeError):
        replace(Point(1), z=2)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="negative"):
        replace(Counted(1), total=-1)


def test_fields_have_names() -> None:
    assert fields_by_name(Labelled(1, 2, "a")) == {"x": 1, "y": 2, "label": "a", "tags": []}
    assert fields_by_name(3) == {}


def test_the_field_of_dataclasses_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Wrong\.a: use field of quorbit\.source\.frozen"):

        @frozen
        class Wrong:
            a: int = dataclasses.field(default=0)


def test_tools_for_dataclasses_serve() -> None:
    assert dataclasses.is_dataclass(Point(1))
    assert dataclasses.replace(Labelled(1, 2, "a"), y=5) == Labelled(1, 5)
    assert dataclasses.asdict(Labelled(1, 2, "a")) == {"x": 1, "y": 2, "label": "a", "tags": []}
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 2  # type: ignore[misc]
    assert [part.name for part in fields(Labelled)] == ["x", "y", "label", "tags"]
    assert Labelled.__match_args__ == ("x", "y", "label")
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)
    assert Counted.__doc__ == "A class with a docstring of its own."


def test_the_first_instance_may_be_one_of_a_subclass() -> None:
    @frozen
    class Base:
        a: int

    class Plain(Base):
        pass

    @frozen
    class More(Base):
        b: int = 1

    assert Plain(1).a == 1
    assert Plain(2).a == 2
    assert (More(3).a, More(3, 4).b) == (3, 4)
    assert Base(5).a == 5


@mutable
class Counter:
    total: int = 0
    seen: list[int] = field(default_factory=list)


@frozen_distinct
class Named:
    name: str


@distinct
class Node:
    name: str
    next: Node | None = field(default=None, repr=False)


def test_mutable_values_are_equal_by_their_fields_and_have_no_hash() -> None:
    one, other = Counter(), Counter()
    assert one == other
    one.total += 1
    one.seen.append(3)
    assert (one != other, other.seen, repr(one)) == (True, [], "Counter(total=1, seen=[3])")
    with pytest.raises(TypeError):
        hash(one)


def test_distinct_values_are_equal_to_themselves_only() -> None:
    one, other = Node("a"), Node("a")
    assert one == one
    assert one != other
    assert len({one, other}) == 2
    assert repr(Node("a", one)) == "Node(name='a')"
    assert Named("a") != Named("a")
    with pytest.raises(AttributeError, match="frozen"):
        Named("a").name = "b"  # type: ignore[misc]


@pytest.mark.parametrize("value", [Point(1), Labelled(1), Counted(2)])
def test_nobody_assigns_to_a_field_or_adds_one(value: Any) -> None:
    for name in (*(part.name for part in fields(value)), "other"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(value, name, 3)
    with pytest.raises(AttributeError, match="frozen"):
        del value.x
