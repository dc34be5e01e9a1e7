"""Find the symmetry of a model in all that it permutes: processes, channels, and values that only have names.

First every value that is merely copied and compared becomes an atom (locations in a program, message names, bits), so
that the search finds permutations which move processes and values together, such as the exchange of two servers with
the two branches that serve them.  Sorts of values that no symmetry moves become numbers again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.detection.beginning import after_the_beginning, leaves_processes_apart
from quorbit.detection.detect import Symmetry, detect
from quorbit.detection.proof import Proof
from quorbit.detection.steps.composed import compose_steps
from quorbit.detection.steps.counting import Unsayable, counters, interrupted_loops
from quorbit.detection.steps_group import UnprovedSymmetry, order_on_names, prove, sizes
from quorbit.detection.templates import written_templates
from quorbit.groups.chain import order
from quorbit.groups.group import Group, relabel, with_order
from quorbit.groups.permutation import Permutation
from quorbit.model.specialise.alike import share_names
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities.classes import Pin
from quorbit.model.specialise.identities.naming import name_values
from quorbit.model.specialise.specialise import Known, Special, is_even, is_large, reword, searchable, specialise
from quorbit.model.specialise.start import Started, run_start
from quorbit.model.specialise.wordings.masks import spread_masks
from quorbit.model.specialise.wordings.pids import write_numbers
from quorbit.model.specialise.wordings.queues import sends_somebody, tell_queues_apart
from quorbit.model.specialise.wordings.webs import split_webs
from quorbit.model.system.expression import FALSE
from quorbit.model.system.system import Property, System
from quorbit.model.system.types import atoms_of
from quorbit.source.frozen import replace

__all__ = ["COUNTS", "NOT_IDENTITIES", "reveal", "reveal_wordings", "to_search", "wordings_for"]

AS_WRITTEN = (
    "the functions of this circuit are too large to be compared by what they compute: they are compared as written"
)
COUNTS = "this counts through an array, and others see how far it is"
NOT_IDENTITIES = "so these numbers are not taken for identities"
MOST_IDLE = 2  # places with values as atoms for nothing, rather than that everything is written again


def reveal(system: System, properties: tuple[Property, ...]) -> tuple[System, Symmetry]:
    """The System with its identities as atoms, specialised for these properties (now its own), and its symmetry."""
    asked = replace(system, properties=properties)
    return reveal_wordings(specialise(asked))


def reveal_wordings(special: Special) -> tuple[System, Symmetry]:
    """The same for a System that is specialised already.

    Where processes of one kind are apart and it can be worded in other ways, in the one that leaves the largest group;
    each wording is tried on top of those before it."""
    if special.system.synchronous:
        return reveal_circuit(special)
    found = reveal_wording(special)
    known = special.known
    for write in wordings_for(special):
        if are_apart(*found) and (other := write(known.started)) is not known.started:
            known = Known(other)
            found = larger(found, reveal_wording(reword(known)))
    return found


def wordings_for(special: Special) -> list[Callable[[Started], Started]]:
    """What may show more.  Queues are told apart where numbers may have been taken for atoms: with many channels it
    takes long."""
    written: list[Callable[[Started], Started]] = []
    if special.states is not None:
        written += [split_webs, spread_masks, write_numbers]
    if special.pins or sends_somebody(special.system):
        written.append(tell_queues_apart)
    return written


def reveal_wording(special: Special) -> tuple[System, Symmetry]:
    """The symmetry of one wording."""
    found = reveal_special(special)
    if special.states is not None and not is_even(special.system):
        found = larger(found, reveal_special(reword(special.known, evenly=True)))
    try:
        found = larger(found, reveal_composed(special.known, counters(special.system)) or found)
    except Unsayable as reason:
        found = noted(found, [reason.note] if reason.note else [])
    if order_on_names(found[0], found[1].group) == 1:
        loops = tuple(interrupted_loops(special.system, special.pins))
        found = noted(found, [f"{span}: {COUNTS}" for span in loops])
        found = found[0], replace(found[1], loops=loops)
    found = larger(found, reveal_written_out(special, found))
    base = found[1].special or special.system
    if (found[1].composed is None or found[1].late) and (shared := share_names(base)) is not base:
        one = replace(special, system=shared, states=run_start(shared).states)  # variables that become one
        written, symmetry = reveal_written_out(one, reveal_special(one))
        found = larger(found, (written, replace(symmetry, special=base)))
    return found


def reveal_written_out(special: Special, found: tuple[System, Symmetry]) -> tuple[System, Symmetry]:
    """The same where processes of one kind are still apart, with steps that nobody can interrupt judged by what they
    do, though none of them counts."""
    if found[1].composed is not None and not found[1].late:
        return found
    if special.system.transient == FALSE or not are_apart(*found):
        return found  # every state may be stored, so there is nothing to compose; or nothing to gain
    try:
        return larger(found, reveal_special(special, frozenset()))
    except Unsayable:
        return found


def reveal_circuit(special: Special) -> tuple[System, Symmetry]:
    """A circuit by what its functions compute; as it is written where that cannot be, or where it shows nothing: then
    values that only have names may still be exchanged."""
    from quorbit.detection.functions.sizes import is_too_large
    from quorbit.detection.indices import decode_indices, not_looked_at

    meant = reveal_meant(special)
    if special.system.telling.fields and not is_too_large(special.system):
        decoded = decode_indices(special.system, meant[1].group)
        if decoded is not None and decoded.decoded is not None:
            return decoded.decoded.system, decoded
        meant = noted(meant, not_looked_at(special.system, meant[1].group))
    if not special.system.places or (meant[1].composed is not None and not meant[1].group.is_trivial):
        return meant
    found = larger(meant, reveal_special(special))
    return found if meant[1].composed is not None else noted(found, [AS_WRITTEN])


def reveal_meant(special: Special) -> tuple[System, Symmetry]:
    """The functions of a circuit judged by what they compute."""
    system = special.system
    found = detect(system, system.properties, states=special.states, meant=True)
    return system, replace(found, notes=(*found.notes, *map(describe_pin, special.pins)), special=system)


def to_search(system: System, found: Symmetry) -> System:
    """The System whose symmetry was found, as an engine gets it: one command per instance if nothing is lost."""
    as_it_is = found.grounded is None or system.count_once or is_large(system)
    return searchable(system) if as_it_is or found.grounded is None else found.grounded


def reveal_composed(known: Known, scratch: frozenset[str]) -> tuple[System, Symmetry] | None:
    """The same with steps that nobody can interrupt judged by what they do, where variables count inside of them; None
    if there are none.  Where not all of them can be composed, those that can by themselves are; raises Unsayable if
    there are none of these."""
    if not scratch:
        return None
    try:
        return reveal_special(reword(known, scratch=scratch), scratch)
    except Unsayable:
        alone = frozenset(name for name in scratch if len(scratch) > 1 and can_compose(known, frozenset([name])))
        if not alone or alone == scratch:
            raise
    return reveal_composed(known, alone)


def can_compose(known: Known, scratch: frozenset[str]) -> bool:
    try:
        compose_steps(ground(reword(known, scratch=scratch).system), scratch)
        return True
    except Unsayable:
        return False


def noted(found: tuple[System, Symmetry], notes: list[str]) -> tuple[System, Symmetry]:
    """With notes that say what a user can change, before all others."""
    system, symmetry = found
    return system, replace(symmetry, notes=(*notes, *symmetry.notes))


def are_apart(system: System, found: Symmetry) -> bool:
    return leaves_processes_apart(system, found.group)


def larger(first: tuple[System, Symmetry], second: tuple[System, Symmetry]) -> tuple[System, Symmetry]:
    """The one with the larger group, the first if both are as large; values that only have names count last."""
    return second if sizes(second[0], second[1].group) > sizes(first[0], first[1].group) else first


def reveal_special(wording: Special, scratch: frozenset[str] | None = None) -> tuple[System, Symmetry]:
    special, started = wording.system, name_values(wording.started)
    named = started.system
    found = detect(named, named.properties, scratch, started.states)
    found = replace(found, notes=(*found.notes, *map(describe_pin, wording.pins)), special=special)
    moved = frozenset(named.atoms[a].sort for a in found.group.moved if a >= len(special.atoms))
    if moved and is_nearly_all(named, len(special.atoms), moved):
        return named, found
    try:
        return with_names_of(moved, wording, named, found, scratch)
    except UnprovedSymmetry:  # where the beginning ends, a glance tells better of values that are atoms
        return named, found


def with_names_of(
    moved: frozenset[str], wording: Special, named: System, found: Symmetry, scratch: frozenset[str] | None
) -> tuple[System, Symmetry]:
    """The System in which only those values are atoms that the symmetry moves; raises UnprovedSymmetry."""
    special = wording.system
    if not moved:
        own = range(len(special.atoms))
        group = on_points(found.group, own)
        grounded = found.grounded if len(named.atoms) == len(special.atoms) else None
        composed = composed_form(special, group, scratch, found.late)
        return special, replace(found, group=group, grounded=grounded, moving=on_moving(found, own), composed=composed)
    chosen = name_values(wording.started, moved).system
    kept = [a for a, atom in enumerate(named.atoms) if a < len(special.atoms) or atom.sort in moved]
    assert [named.atoms[a] for a in kept] == list(chosen.atoms)
    group = on_points(found.group, kept)
    written = written_templates(chosen) if found.grounded is None else ground(chosen)
    composed = composed_form(chosen, group, scratch, found.late)
    prove(Proof(composed or written), group)
    grounded = None if found.grounded is None else written
    return chosen, replace(found, group=group, grounded=grounded, moving=on_moving(found, kept), composed=composed)


def composed_form(system: System, group: Group, scratch: frozenset[str] | None, late: bool) -> System | None:
    """What the proof is about where steps were composed or a beginning was left aside, with the values as atoms that
    this System has."""
    if scratch is None and (not late or group.is_trivial):
        return None
    grounded = ground(system)
    composed = compose_steps(grounded, scratch) if scratch is not None else grounded
    composed = (late and after_the_beginning(composed)) or composed
    prove(Proof(composed), group)
    return composed


def is_nearly_all(named: System, first_value: int, moved: frozenset[str]) -> bool:
    """Whether next to no place holds a value that is an atom and does not move, so that it may stay one."""
    idle = {a for a in range(first_value, len(named.atoms)) if named.atoms[a].sort not in moved}
    return sum(not idle.isdisjoint(atoms_of(place.type)) for place in named.places) <= MOST_IDLE


def on_points(group: Group, points: Sequence[int]) -> Group:
    """The group on some of its points, which are all it moves."""
    return with_order(relabel(group, points), order(group))


def on_moving(found: Symmetry, points: Sequence[int]) -> tuple[Permutation, ...]:
    """The generators that move the start, on the same points."""
    number = {a: k for k, a in enumerate(points)}
    return tuple(tuple(number[g[a]] for a in points) for g in found.moving)


def describe_pin(pin: Pin) -> str:
    return f"{pin.span}: {pin.reason}, {NOT_IDENTITIES}"
