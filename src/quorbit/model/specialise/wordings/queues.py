"""Queues that nobody can take for each other, told apart, so that each kind of them may hold values of its own kind.

Channels of one type are one variable, for a name may stand for any of them: what `result` holds is then of the same
type as what `job[2]` holds.  If the messages of one are identities and those of the other are plain numbers, the number
1 is taken for a process, and no symmetry moves that one.  Here the channels of a type fall into classes: two are in one
class if some expression may stand for either of them.  Each class becomes a variable.  What is lost are exchanges of
channels of different classes, so this is one wording among others (detection/reveal.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.groups.unionfind import UnionFind
from quorbit.model.specialise.start import Started
from quorbit.model.system.command import has_inner_steps, parameters_of
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Condition,
    Expr,
    Literal,
    Operator,
    Quantify,
    Read,
    Use,
)
from quorbit.model.system.mapping import expressions_in, map_places
from quorbit.model.system.system import State, System, Variable
from quorbit.model.system.types import NONE, AtomOf, QueueOf, atoms_in, atoms_of
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.frozen import replace

__all__ = ["sends_somebody", "tell_queues_apart"]


def tell_queues_apart(started: Started) -> Started:
    """The same with a variable for each class of queues; the same object if there is nothing to tell apart."""
    system = started.system
    queues = [v for v in system.variables if isinstance(v.type, QueueOf) and len(v.owners) == 1 < len(v.owners[0])]
    if not queues or has_inner_steps((*system.commands, *system.start)):
        return started
    names = classes_of(system, queues)
    if all(len(set(by_owner.values())) == 1 for by_owner in names.values()):
        return started
    owners = Owners(system)

    def change(e: Read) -> Read:
        by_owner = names.get(e.variable)
        if by_owner is None:
            return e
        return replace(e, variable=next((by_owner[a] for a in owners.of(e.owners[0]) if a in by_owner), e.variable))

    variables = [part for v in system.variables for part in parts_of(v, names.get(v.name))]
    changed = replace(map_places(system, change), variables=tuple(variables))
    first = {name: v for v, by_owner in names.items() for name in by_owner.values()}
    old = [system.index[first.get(p.variable, p.variable), p.owners, p.indices] for p in changed.places]
    return Started(changed, None if started.states is None else tuple(reordered(s, old) for s in started.states))


def reordered(s: State, old: list[int]) -> State:
    return tuple(s[i] for i in old)


def parts_of(v: Variable, by_owner: dict[int, str] | None) -> Iterator[Variable]:
    if by_owner is None:
        yield v
        return
    for name in dict.fromkeys(by_owner.values()):
        yield replace(v, name=name, owners=(tuple(a for a in v.owners[0] if by_owner[a] == name),))


def classes_of(system: System, queues: Iterable[Variable]) -> dict[str, dict[int, str]]:
    """For each variable the name of the class of each owner; the first class keeps the name of the variable."""
    owners, classes = Owners(system), UnionFind(len(system.atoms))
    owned = {v.name: v.owners[0] for v in queues}
    for e in (part for whole in expressions_in(system) for part in walk(whole)):
        if isinstance(e, Read) and e.variable in owned:
            together = [a for a in owners.of(e.owners[0]) if a in owned[e.variable]]
            for a in together[1:]:
                classes.unite(together[0], a)
    found: dict[str, dict[int, str]] = {}
    for name, atoms in owned.items():
        leaders = list(dict.fromkeys(map(classes.find, atoms)))
        names = {leader: f"{name} {k + 1}" if k else name for k, leader in enumerate(leaders)}
        found[name] = {a: names[classes.find(a)] for a in atoms}
    return found


def sends_somebody(system: System) -> bool:
    """Whether a message names one atom of many, always the same: it may be a number that was taken for it."""
    return any(
        isinstance(part, Literal) and isinstance(part.type, AtomOf) and part.value != NONE
        for command in system.commands
        for e in expressions_of(command)
        for sent in walk(e)
        if isinstance(sent, Apply) and sent.operator is Operator.TUPLE
        for part in sent.operands
    )


class Owners:
    """The atoms that expressions of one System may stand for, as far as a glance tells."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.everybody = tuple(range(len(system.atoms)))
        self.values: dict[str, list[Expr]] = {}
        for d in system.definitions:
            self.values.setdefault(d.name, []).append(d.body)
        chosen = [p for command in (*system.commands, *system.start) for p in parameters_of(command)]
        chosen += [e.parameter for whole in expressions_in(system) for e in walk(whole) if isinstance(e, Quantify)]
        self.bound: dict[str, set[int]] = {}
        for p in chosen:
            atoms = p.domain.atoms if isinstance(p.domain, Atoms) else self.everybody
            self.bound.setdefault(p.name, set()).update(atoms)

    def of(self, e: Expr) -> tuple[int, ...]:
        match e:
            case Literal(value, type):
                return tuple(atoms_in(type, value))
            case Bound(name) if name in self.bound:
                return tuple(sorted(self.bound[name]))
            case AtomAt(_, numbering):
                return tuple(a for a in numbering if a != NONE)
            case Use(definition) if definition in self.values:
                return tuple(dict.fromkeys(a for body in self.values[definition] for a in self.of(body)))
            case Read(variable):
                return tuple(atoms_of(self.system.variable[variable].type))
            case Condition(_, then, other):
                return (*self.of(then), *self.of(other))
            case _:
                return self.everybody
