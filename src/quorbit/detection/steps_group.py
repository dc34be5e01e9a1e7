"""The largest group that leaves what is said of the steps as it is: one search for automorphisms, and its proof."""

from __future__ import annotations

from collections import Counter

from quorbit.detection.beginning import is_record
from quorbit.detection.proof import Proof
from quorbit.detection.syntax_graph import Begins, syntax_graph
from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.groups.chain import order
from quorbit.groups.group import Group, restrict
from quorbit.groups.permutation import Permutation
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.system import System

TYPES = ("atom of", "tuple of", "set of", "queue of", "type")  # the heads of terms that stand for types


class UnprovedSymmetry(Exception):
    """The automorphism search gave a permutation that is not a symmetry: a bug of ours."""


def idle_atoms(proof: Proof) -> tuple[int, ...]:
    """The atoms of which no step says anything, and values that no step names."""
    table, atoms = proof.table, proof.system.atoms
    types = {n for n, term in enumerate(table) if term.head[0] in TYPES}
    unsaid = proof.places | beside_the_steps(proof)
    silent = (unsaid, unsaid | types)
    return tuple(a for a in range(len(atoms)) if silent[is_value(atoms[a].sort)].issuperset(proof.wholes[a]))


def beside_the_steps(proof: Proof) -> set[int]:
    """The terms that stand only in what keeps the states before a beginning ends: these are commands, but not steps."""
    kept = {proof.terms.part(("command", command)) for command in proof.system.commands if is_record(command)}
    if not kept:
        return set()
    waiting = [*(n for n in proof.said if n not in kept), *proof.places]
    found = set(waiting)
    for n in waiting:
        _, ordered, unordered = proof.table[n]
        parts = dict.fromkeys(part for part in (*ordered, *(p for p, _ in unordered)) if part not in found)
        found.update(parts)
        waiting += parts
    return set(range(len(proof.table))) - found


def group_of_steps(proof: Proof, apart: tuple[int, ...]) -> Group:
    """The symmetries that fix the atoms in ``apart``.

    Values that only have names keep how often they are there at the start: else the places of a loop without effect,
    say, could be turned.  Not where that would cost symmetries of processes and channels, such as the exchange of two
    processes together with the numbers that stand for them, nor where it would leave none: a bit that is only ever
    turned over halves the states."""
    begins = proof.begins
    wide = automorphisms_of(proof, apart)
    if all(keeps_counts(values, g) for values in begins.values() for g in wide.generators):
        return wide
    group = automorphisms_of(proof, apart, begins)
    if group.is_trivial:
        return wide
    if order_on_names(proof.system, group) == order_on_names(proof.system, wide):
        return group
    kept: Begins = {}
    for sort, values in begins.items():
        tried = automorphisms_of(proof, apart, {**kept, sort: values})
        if order_on_names(proof.system, tried) == order_on_names(proof.system, wide):
            kept[sort] = values
    return automorphisms_of(proof, apart, kept)


def keeps_counts(values: Counter[tuple[str, int]], g: Permutation) -> bool:
    return all(values[variable, g[a]] == times for (variable, a), times in values.items())


def sizes(system: System, group: Group) -> tuple[int, int]:
    """The order of a group on everything but values, and its order: what a larger group has more of."""
    return order_on_names(system, group), order(group)


def order_on_names(system: System, group: Group) -> int:
    """The order of a group on everything but values."""
    if not any(is_value(system.atoms[a].sort) for a in group.moved):
        return order(group)
    return order(restrict(group, [a for a, atom in enumerate(system.atoms) if not is_value(atom.sort)]))


def automorphisms_of(proof: Proof, apart: tuple[int, ...], begins: Begins | None = None) -> Group:
    """The automorphisms of the syntax graph that fix the atoms in ``apart``.

    A term is what its head and its parts make it, so what fixes the atoms fixes everything: the action is faithful."""
    graph = syntax_graph(proof.system, proof.terms, proof.said, apart, begins)
    return automorphisms_on(graph, range(len(proof.system.atoms)), faithful=True)


def prove(proof: Proof, group: Group) -> None:
    for g in group.generators:
        if not proof.holds(g):
            raise UnprovedSymmetry(g)
