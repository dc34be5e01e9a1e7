"""Symmetries that rename the values of encoded indices together with what these name.

An arbiter that stores the number of its choice has the symmetries of one that stores a bit for each requester; only
permutations of bits do not show them.  So the fields that may be indices are decoded (model/specialise/fields), the
symmetries of the decoded circuit are found and proved like all others, and the fields stay decoded whose values are
renamed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from quorbit.detection.detect import Symmetry, detect, detect_in_instances, likely_group, written_as_meant
from quorbit.detection.functions.fields import MOST_VALUES, follow, large_fields
from quorbit.detection.functions.influence import renamable
from quorbit.groups.chain import build_chain, contains, order
from quorbit.groups.group import Group, restrict
from quorbit.groups.moves import permutation_of
from quorbit.groups.unionfind import UnionFind
from quorbit.model.specialise.fields.decode import Decoded, decode
from quorbit.model.specialise.fields.field import Field
from quorbit.model.system.system import Property, System
from quorbit.source.frozen import replace

MOST_NAMES = 4
MOST_KNOWN = 1_000_000


def decode_indices(system: System, known: Group) -> Symmetry | None:
    """The symmetries of a circuit with its indices decoded, if these do more to its states than those that are known.

    No more is decoded than that takes: fields that are carried to each other are decoded together, or not at all."""
    if not is_decoded_at_all(system, known):
        return None
    best, enough = symmetry_of(decode(system, renamable(follow(system, known)))), order_on_places(system, known)
    while best is not None and effect_of(best) > enough and (free := unread_fields(best)):
        best = symmetry_of(decode(system, [f for f in decoded_of(best).fields if f not in free]))
    if best is None or effect_of(best) <= enough:
        return None
    for fields in classes_of(best):
        kept = [f for f in decoded_of(best).fields if f not in fields]
        smaller = symmetry_of(decode(system, kept))
        if smaller is not None and effect_of(smaller) >= effect_of(best):
            best = smaller
    return replace(best, notes=(*best.notes, *limits(system)))


def gaining(system: System, known: Group, questions: Mapping[int, tuple[Property, ...]]) -> list[int]:
    """Of questions that leave the known group those that may leave a larger one with the indices of the circuit
    decoded, which is written out once for all of them: none if its steps alone have no larger one."""
    steps = replace(system, properties=())
    if not is_decoded_at_all(steps, known):
        return []
    fields = fields_of(system, (), known)
    listed = tuple(dict.fromkeys(p for asked in questions.values() for p in asked))
    if not fields:
        return []
    decoded = decode(replace(system, properties=listed), fields)
    written, enough = written_as_meant(decoded.system, decoded.members), order_on_places(system, known)
    if written.composed is None:
        is_hopeless = symmetry_of(decode(steps, fields)) is None
        return [k for k, asked in questions.items() if not (is_hopeless and fields == fields_of(system, asked, known))]
    likely = likely_group(written.composed)
    if effect_of(Symmetry(likely.group, decoded=decoded)) <= enough:
        return []
    found = []
    for k, asked in questions.items():
        part = written.asked([listed.index(p) for p in asked])
        symmetry = detect_in_instances(part, None, meant=True, likely=likely)
        if effect_of(replace(symmetry, decoded=decoded)) > enough:
            found.append(k)
    return found


def fields_of(system: System, properties: tuple[Property, ...], known: Group) -> list[Field]:
    """The fields that are decoded for a question."""
    return renamable(follow(replace(system, properties=properties), known))


def is_decoded_at_all(system: System, known: Group) -> bool:
    alone = len(system.commands) == 1 and len(system.start) == 1
    return alone and bool(system.places) and not has_enough(system, known)


def has_enough(system: System, known: Group) -> bool:
    """Whether so many symmetries are known that it is not worth the time to look for more."""
    return order_on_places(system, known) > MOST_KNOWN


def not_looked_at(system: System, known: Group) -> list[str]:
    """What is said where indices were not looked at, although there may be some."""
    if not has_enough(system, known) or not follow(system, known).fields:
        return []
    return [f"no index was decoded, since more than {MOST_KNOWN:,} symmetries are known without that"]


def unread_fields(found: Symmetry) -> list[Field]:
    """The fields whose values may be renamed alone: a counter that nobody asks for its value names nothing."""
    chain, decoded = build_chain(found.group), decoded_of(found)
    free = []
    for field, members in decoded.pairs():
        own = frozenset(members)
        renamings = [tuple((a, b) for a, b in moves if a in own) for moves in found.group.moves]
        inside = [moves for moves in renamings if moves and own.issuperset(b for _, b in moves)]
        if any(contains(chain, permutation_of(moves, range(found.group.degree))) for moves in inside):
            free.append(field)
    return free


def decoded_of(found: Symmetry) -> Decoded:
    assert found.decoded is not None
    return found.decoded


def effect_of(found: Symmetry) -> int:
    """Fields of one value are the same in every state, so to exchange them has no effect."""
    decoded = decoded_of(found)
    constant = {a for field, members in decoded.pairs() for a in members if len(field.values) == 1}
    return order_on_places(decoded.system, found.group, constant)


def order_on_places(system: System, group: Group, without: Collection[int] = ()) -> int:
    """How large the group is as it acts on states: inputs that are exchanged alone do not count."""
    placed = {a for place in system.places for a in place.owners}
    return order(restrict(group, sorted(placed.difference(without))))


def classes_of(found: Symmetry) -> list[list[Field]]:
    """The fields, those together that are carried to each other; the largest first."""
    decoded = decoded_of(found)
    number = {a: k for k, (_, members) in enumerate(decoded.pairs()) for a in members}
    joined = UnionFind(len(decoded.fields))
    for moves in found.group.moves:
        for a, b in moves:
            if a in number and b in number:
                joined.unite(number[a], number[b])
    listed = [[decoded.fields[k] for k in members] for members in joined.classes()]
    return sorted(listed, key=lambda fields: -len(fields[0].values))


def symmetry_of(decoded: Decoded) -> Symmetry | None:
    """None if there is nothing to decode, or if the functions are too large to be compared."""
    if not decoded.fields:
        return None
    found = detect(decoded.system, decoded.system.properties, meant=True, fields=decoded.members)
    return None if found.composed is None else replace(found, decoded=decoded)


def limits(system: System) -> list[str]:
    """What was not looked at."""
    large = large_fields(system)
    if not large:
        return []
    names = ", ".join(large[:MOST_NAMES]) + (", ..." if len(large) > MOST_NAMES else "")
    return [f"not looked at as encoded indices, since they have more than {MOST_VALUES} values: {names}"]
