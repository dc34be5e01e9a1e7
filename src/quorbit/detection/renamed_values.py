"""Take along the values that belong to what a permutation moves: the location where box 2 is chosen goes to the one
where box 3 is.

A symmetry that moves processes may have to rename locations in a program or message names with them.  For a permutation
that is no symmetry there is no right renaming; the best guess maps a value to one of which the commands say the same,
other values left aside, so that ``why`` shows what is different and not all that follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from quorbit.detection.plain_form import PlainForm, references_to
from quorbit.groups.permutation import Permutation
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.system import System

__all__ = ["with_all_matched", "with_renamed_values"]


def with_renamed_values(grounded: System, g: Permutation) -> Permutation:
    """g, with values moved where the commands about them fit; g itself if it moves values already."""
    values = [a for a, atom in enumerate(grounded.atoms) if is_value(atom.sort)]
    return g if any(g[a] != a for a in values) else with_matched(grounded, g, values)


def with_all_matched(grounded: System, g: Permutation) -> Permutation:
    """g, with whatever else the System has moved where the commands about it fit: variables, channels, values."""
    return with_matched(grounded, g, [a for a in range(len(g)) if g[a] == a], roughly=True)


def with_matched(grounded: System, g: Permutation, values: list[int], roughly: bool = False) -> Permutation:
    """g, with these atoms moved inside their kinds where the commands about them fit, or as many as can (roughly)."""
    images = list(g)
    atoms = grounded.atoms
    for kind in dict.fromkeys((atoms[a].sort, atoms[a].colour) for a in values):
        members = [a for a in values if (atoms[a].sort, atoms[a].colour) == kind]
        said = {a: signature(grounded, a, values, lambda x: x) for a in members}
        wanted = {a: signature(grounded, a, values, g.__getitem__) for a in members}
        images_of = match_up(members, wanted, said, roughly)
        for a, b in images_of.items():
            images[a] = b
    return tuple(images)


def signature(system: System, a: int, values: Iterable[int], image: Callable[[int], int]) -> tuple[str, ...]:
    """What the commands whose guard names a say, all other values left out."""
    anonymous = set(values)
    form = PlainForm(system, lambda x: "this" if x == a else "value" if x in anonymous else image(x))
    return tuple(sorted(form.command(c) for c in system.commands if a in references_to(c)))


def match_up(
    members: list[int], wanted: dict[int, tuple[str, ...]], said: dict[int, tuple[str, ...]], roughly: bool
) -> dict[int, int]:
    """A bijection: values that fit stay, others go to one that fits, or to the one that fits best; the rest stays if
    it can."""
    images = {a: a for a in members if wanted[a] == said[a]}
    open_targets = [b for b in members if b not in images]
    for a in members:
        if a not in images:
            fitting = next((b for b in open_targets if said[b] == wanted[a]), None)
            if fitting is not None:
                images[a] = fitting
                open_targets.remove(fitting)
    for a in members if roughly else ():
        if a not in images:
            best = max(open_targets, key=lambda b: (len(set(wanted[a]) & set(said[b])), b == a, -b))
            if set(wanted[a]) & set(said[best]):
                images[a] = best
                open_targets.remove(best)
    for a in members:
        if a not in images:
            images[a] = a if a in open_targets else open_targets[0]
            open_targets.remove(images[a])
    return images
