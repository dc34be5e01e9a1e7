"""Going through formulas and substitutions without naming their cases: children, rebuilding, names and their scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import TypeVar

from quorbit.languages.b.syntax.formulas import Binder, Comprehension, Formula, LetIn, Name, Quantifier
from quorbit.languages.b.syntax.substitutions import Any, Let, Substitution, Var, While
from quorbit.source.frozen import names_of_fields, replace

__all__ = ["Node", "bound_names", "children", "descendants", "free_names", "map_children", "old_names", "substitute"]

Node = Formula | Substitution
N = TypeVar("N", bound="Formula | Substitution")
BINDING = (
    Comprehension,
    Quantifier,
    Binder,
    LetIn,
    Any,
    Let,
    Var,
)  # nodes whose field ``names`` binds in all other fields


KNOWN_FIELDS: dict[type, tuple[str, ...]] = {}


def child_fields(kind: type) -> tuple[str, ...]:
    """The fields of a node in which others may stand; looked up once for each kind of node."""
    if kind not in KNOWN_FIELDS:
        KNOWN_FIELDS[kind] = tuple(name for name in names_of_fields(kind) if name not in ("span", "type"))
    return KNOWN_FIELDS[kind]


def children(node: Node) -> Iterator[Node]:
    """The formulas and substitutions directly below, in the order of the text."""
    for name in child_fields(type(node)):
        yield from nodes_in(getattr(node, name))


def nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, Formula | Substitution):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from nodes_in(item)


def descendants(node: Node) -> Iterator[Node]:
    """The node and everything below it."""
    yield node
    for child in children(node):
        yield from descendants(child)


def map_children(node: N, change: Callable[[Node], Node]) -> N:
    """The node with every child changed; names that the node binds are left as they are."""
    changes: dict[str, object] = {}
    for name in child_fields(type(node)):
        if name == "names" and isinstance(node, BINDING):
            continue
        value = getattr(node, name)
        changed = map_value(value, change)
        if changed is not value:
            changes[name] = changed
    return replace(node, **changes) if changes else node  # type: ignore[arg-type]


def map_value(value: object, change: Callable[[Node], Node]) -> object:
    if isinstance(value, Formula | Substitution):
        return change(value)
    if isinstance(value, tuple):
        items = tuple(map_value(item, change) for item in value)
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    return value


def bound_names(node: Node) -> tuple[Name, ...]:
    """What the node binds for its children."""
    return node.names if isinstance(node, BINDING) else ()


def free_names(node: Node) -> frozenset[str]:
    """Identifiers the node takes from outside, assigned ones included; the old value of x is x$0."""
    if isinstance(node, Name):
        return frozenset({f"{node.name}$0" if node.old else node.name})
    bound = {n.name for n in bound_names(node)}
    inner: set[str] = set()
    for child in children(node):
        inner |= free_names(child)
    return frozenset(inner - bound)


def old_names(s: While) -> tuple[Name, ...]:
    """The x of x$0 in the invariant and the variant of a loop, each once."""
    names = [n for p in (s.invariant, s.variant) for n in descendants(p) if isinstance(n, Name) and n.old]
    return tuple({n.name: replace(n, old=False) for n in names}.values())


def substitute(node: N, values: Mapping[str, Formula]) -> N:
    """Put formulas in the place of names, without capturing a name of theirs by a binder on the way."""
    if isinstance(node, Name):
        found = values.get(node.name)
        if found is None:
            return node
        return rename_old(node, found)  # type: ignore[return-value]
    if isinstance(node, BINDING):
        values = {name: f for name, f in values.items() if name not in {n.name for n in node.names}}
        node = refresh(node, values)
    if not values:
        return node
    return map_children(node, lambda child: substitute(child, values))


def rename_old(node: Name, found: Formula) -> Formula:
    """x$0 keeps its $0 when x is renamed."""
    return replace(found, old=True) if node.old and isinstance(found, Name) else found


def refresh(node: N, values: Mapping[str, Formula]) -> N:
    """The binder with new names for those that also occur in a formula to be put below it."""
    used = {name for f in values.values() for name in free_names(f)}
    clashing = {n.name: fresh(n, used) for n in bound_names(node) if n.name in used}
    if not clashing:
        return node
    renamed = map_children(node, lambda child: substitute(child, clashing))
    names = tuple(clashing.get(n.name, n) for n in bound_names(node))
    return replace(renamed, names=names)  # type: ignore[call-arg]


def fresh(name: Name, used: set[str]) -> Name:
    """A name no text can contain, so that it clashes with nothing."""
    return next(replace(name, name=f"{name.name}#{i}") for i in count(1) if f"{name.name}#{i}" not in used)


def assigned_names(node: Substitution) -> Iterator[Name]:
    """The targets x, f in ``x := e`` and ``f(y) := e``, of this substitution alone."""
    targets = getattr(node, "targets", ())
    for target in targets:
        while not isinstance(target, Name):
            target = next(iter(children(target)))
        yield target
