"""Find the symmetries of a System, with proof.

One call to the automorphism search on the syntax graph gives the whole group; every generator is then checked by
itself: its image of what the System says must be what the System says (proof.py).  The initial states need not be kept:
a search of the quotient starts from their representatives.  Which generators move them is noted, for what is derived
about other atoms than those that were looked at is right only for symmetries that keep them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from quorbit.detection.beginning import after_the_beginning, leaves_processes_apart
from quorbit.detection.effect.visible import Visible, is_plainly_shown, may_hide, shown_by_states, unreached_values
from quorbit.detection.proof import Proof, start_proof, without_start
from quorbit.detection.steps.composed import compose_steps
from quorbit.detection.steps_group import automorphisms_of, group_of_steps, idle_atoms, prove, sizes
from quorbit.detection.templates import group_of_templates, may_use_templates, written_templates
from quorbit.groups.chain import build_chain, contains, order
from quorbit.groups.group import Group, restrict, swap
from quorbit.groups.moves import permutation_of
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.fields.decode import Decoded
from quorbit.model.specialise.ground import ground, used_instances
from quorbit.model.specialise.start import run_start
from quorbit.model.system.command import parameters_of
from quorbit.model.system.expression import Fresh, conjuncts_of
from quorbit.model.system.system import Property, State, System
from quorbit.source.frozen import field, frozen, replace
from quorbit.source.span import Span

__all__ = ["Symmetry", "fresh_choices", "idle_atoms", "keeping_the_start", "written_as_meant"]


@frozen
class Symmetry:
    """The group of a System's symmetries, acting on its atoms, and what there is to say about it."""

    group: Group
    notes: tuple[str, ...] = field(default=())
    grounded: System | None = field(default=None, compare=False, repr=False)  # the System with one command per instance
    special: System | None = field(default=None, compare=False, repr=False)  # specialised, values not yet as atoms
    moving: tuple[Permutation, ...] = ()  # the generators that do not keep the initial states
    composed: System | None = field(default=None, compare=False, repr=False)  # what was proved, if not of each command
    late: bool = False  # it was proved of what follows a beginning that runs once (beginning.py)
    decoded: Decoded | None = field(default=None, compare=False, repr=False)  # the circuit with fields as its atoms
    loops: tuple[Span, ...] = ()  # that count through an array, and others see how far they are


def detect(
    system: System,
    properties: tuple[Property, ...],
    scratch: frozenset[str] | None = None,
    states: tuple[State, ...] | None = None,
    meant: bool = False,
    fields: Sequence[tuple[int, ...]] = (),
) -> Symmetry:
    """The permutations of the atoms that leave the steps of the system and these properties as they are.

    Atoms of which nothing is said stay, and so does what no state shows, unless it moves along with what a state
    shows.  ``scratch``: steps which nobody can interrupt are judged by what they do (composed.py), and these are the
    variables that count inside of them.  Raises Unsayable if they cannot be.  ``states``: the initial states, if they
    are known.  ``meant``: the functions of a circuit are judged by what they compute (by_meaning.py), if possible;
    ``fields``: atoms of which exactly one is 1."""
    asked = replace(system, properties=properties)
    if scratch is None and not meant and may_use_templates(asked):
        templates = written_templates(asked)
        if (group := group_of_templates(templates)) is not None:
            return Symmetry(group, moving=moving_the_start(templates, group))
    if meant:
        return detect_in_instances(written_as_meant(asked, fields), states, meant)
    grounded = ground(asked)
    composed = None if scratch is None else compose_steps(grounded, scratch)
    return detect_in_instances(Written(grounded, composed), states, meant)


@frozen
class Written:
    """A System with every command written out for all atoms its parameters range over, and what is proved instead of
    that where steps are judged by what they do."""

    grounded: System
    composed: System | None

    def asked(self, chosen: Sequence[int]) -> Written:
        """The same with some of its properties, by their numbers, and without the wires that only others mention."""
        composed = None if self.composed is None else with_properties(self.composed, chosen)
        return Written(with_properties(self.grounded, chosen), composed)


def with_properties(system: System, chosen: Sequence[int]) -> System:
    fewer = replace(system, properties=tuple(system.properties[k] for k in chosen))
    return replace(fewer, definitions=used_instances(fewer))


def written_as_meant(system: System, fields: Sequence[tuple[int, ...]] = ()) -> Written:
    """A circuit with its functions judged by what they compute, if possible."""
    from quorbit.detection.functions.by_meaning import by_meaning

    grounded = ground(system)
    return Written(grounded, by_meaning(grounded, fields))


def detect_in_instances(
    written: Written, states: tuple[State, ...] | None, meant: bool, likely: Likely | None = None
) -> Symmetry:
    """The permutations of the atoms that leave what is written as it is.  ``likely``: those that keep the steps alone,
    which are no fewer; where they keep the properties, too, nobody looks for others."""
    grounded, composed = written.grounded, written.composed
    proof = Proof(composed or grounded)
    idle = idle_atoms(proof)
    is_likely = likely is not None and likely.idle == idle and likely.is_kept_by(proof)
    group = likely.group if likely is not None and is_likely else group_of_steps(proof, idle)
    late = None if meant else larger_later(composed or grounded, states, group)
    if late is not None:
        proof, idle, group, composed = *late, late[0].system
    if not group.is_trivial and may_hide(grounded) and not is_plainly_shown(grounded, group):
        states = run_start(grounded).states if states is None else states
        visible = Visible(grounded, states or ())
        if unreached := unreached_values(grounded, visible, group):
            idle = (*idle, *unreached)
            group = group_of_steps(proof, idle)
        group = without_idle_moves(proof, visible, group)
    notes: tuple[str, ...] = ()
    if pinned := atoms_to_pin(grounded, group, states):
        names = ", ".join(grounded.atom_name(a) for a in pinned)
        notes = (f"{names} can be created anew but are not all interchangeable, so they are not permuted",)
        proof = Proof(composed or grounded, alike=False)
        group = group_of_steps(proof, (*idle, *pinned))
    if likely is None or group is not likely.group:  # whose generators were proved before
        prove(proof, group)
    moving = moving_the_start(grounded if late is None else proof.system, group)
    return Symmetry(group, notes, grounded, moving=moving, composed=composed, late=late is not None)


@frozen
class Likely:
    """The symmetries of the steps alone that fix the atoms of which these say nothing."""

    idle: tuple[int, ...]
    group: Group

    def is_kept_by(self, proof: Proof) -> bool:
        """Whether all of them keep what is proved; not where values have names, of which the start says more."""
        return not proof.begins and all(map(proof.holds, self.group.generators))


def likely_group(composed: System) -> Likely:
    steps = Proof(without_start(replace(composed, properties=())))
    idle = idle_atoms(steps)
    return Likely(idle, group_of_steps(steps, idle))


def larger_later(
    grounded: System, states: tuple[State, ...] | None, group: Group
) -> tuple[Proof, tuple[int, ...], Group] | None:
    """What is proved, the idle atoms and the group if a beginning that runs once is left aside; None if that would not
    give a larger group."""
    if not leaves_processes_apart(grounded, group) or (later := after_the_beginning(grounded, states)) is None:
        return None
    proof = Proof(later)
    idle = idle_atoms(proof)
    found = group_of_steps(proof, idle)
    return (proof, idle, found) if sizes(later, found) > sizes(later, group) else None


def without_idle_moves(proof: Proof, visible: Visible, group: Group) -> Group:
    """The group without symmetries that move nothing a state shows; as it is if there are none, or if they cannot be
    taken out."""
    points = shown_by_states(visible, group)
    shown = restrict(group, points)
    if order(shown) == order(group):
        return group
    effective = [m for m in group.moves if any(a in points for a, _ in m)]
    for moves in (effective, shown.moves):
        smaller = Group(group.degree, moves=moves)
        if order(smaller) == order(shown) and all(proof.holds(g) for g in smaller.generators):
            return smaller
    return group


def moving_the_start(grounded: System, group: Group) -> tuple[Permutation, ...]:
    """The generators that do not map the set of initial states to itself."""
    if group.is_trivial:
        return ()
    start = start_proof(grounded)
    return tuple(g for g in group.generators if not start.holds(g))


def keeping_the_start(system: System, found: Symmetry) -> Group:
    """Those of the symmetries found in a System that keep its initial states."""
    if not found.moving:
        return found.group
    proof = Proof(found.composed or found.grounded or ground(system), with_start=True)
    fixed = frozenset(range(found.group.degree)).difference(found.group.moved)
    group = automorphisms_of(proof, tuple(sorted(fixed)))
    prove(proof, group)
    return group


def atoms_to_pin(grounded: System, group: Group, states: tuple[State, ...] | None = None) -> tuple[int, ...]:
    """The atoms of a ``Fresh`` parameter that are not all interchangeable.

    The first unused atom stands for any unused one, which is right only if every exchange of two is a symmetry, and
    those that are unused at the start are alike there."""
    listed = fresh_choices(grounded)
    if not listed:
        return ()
    chain, start = build_chain(group), start_proof(grounded)
    meaning = Meaning(grounded)
    initial = meaning.initial_states() if states is None else states
    pinned: dict[int, None] = {}
    for atoms, parameter, domain in listed:
        unused = unused_at_the_start(meaning, initial, atoms, parameter, domain)
        if not all(contains(chain, g) for g in exchanges(atoms, group.degree)) or not all(
            start.holds(g) for g in exchanges(unused, group.degree)
        ):
            pinned.update(dict.fromkeys(atoms))
    return tuple(sorted(pinned))


def exchanges(atoms: tuple[int, ...], degree: int) -> list[Permutation]:
    points = tuple(range(degree))
    return [permutation_of(swap(a, b), points) for a, b in pairwise(atoms)]


def fresh_choices(system: System) -> list[tuple[tuple[int, ...], str, Fresh]]:
    """The atoms of which a free one may be chosen, cell by cell, each with the parameter that chooses."""
    found: dict[tuple[int, ...], tuple[str, Fresh]] = {}
    for p in (p for command in system.commands for p in parameters_of(command)):
        if isinstance(p.domain, Fresh):
            for cell in p.domain.cells or (p.domain.atoms,):
                found.setdefault(cell, (p.name, p.domain))
    return [(cell, name, domain) for cell, (name, domain) in found.items()]


def unused_at_the_start(
    meaning: Meaning, states: Iterable[State], atoms: tuple[int, ...], parameter: str, domain: Fresh
) -> tuple[int, ...]:
    """Those of the atoms that are unused in every initial state, or may be: a condition may have no value before the
    steps in front of it were done."""
    asked = conjuncts_of(domain.free)
    return tuple(a for a in atoms if all(meaning.may_hold(e, s, {parameter: a}) for s in states for e in asked))
