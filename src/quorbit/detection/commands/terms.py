"""What one edge of an almost symmetric System says, as terms, and whether an exchange of two atoms keeps it.

The terms are those of meaning/normal_form.py.  A command whose parameters are only compared and used as owners is one
term; one that looks inside its atoms (``i < 3``) or uses a constant of its own is written out for its instances.
An exchange keeps what is said if it permutes the terms; only the terms that mention the two atoms are looked at.

Short names: a, b atoms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from quorbit.groups.partition import Partition
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.normal_form import Scope, Term, Terms
from quorbit.model.meaning.partial import may_fail
from quorbit.model.specialise.ground import inline_literals, instantiate
from quorbit.model.specialise.simplify import simplify
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Expr,
    NumberOf,
    Operator,
    Use,
    conjunction,
)
from quorbit.model.system.system import Definition, System
from quorbit.model.system.walk import expressions_of, map_command, walk
from quorbit.source.frozen import frozen, replace

Roots = tuple[tuple[int, int], ...]  # numbers of terms, and how often each is said


@frozen
class Source:
    """A System and the table of the terms made from it."""

    system: System
    terms: Terms

    def specialise(self, e: Expr) -> Expr:
        return simplify(inline_literals(self.system, simplify(e)))


def open_source(system: System) -> Source:
    return Source(system, Terms(system))


# What is said.


def command_roots(source: Source, command: Command) -> list[int]:
    """The terms of a simplified command: its own, or those of its instances, and those of the definitions they use."""
    named = tuple(Bound(p.name) for p in command.parameters if isinstance(p.domain, Atoms))
    command = replace(command, actors=(*command.actors, *named))  # a permutation moves the parameters along
    if not is_pinned(source, command):
        return [source.terms.command(command, ("command",)), *definition_roots(source, expressions_of(command))]
    fixed, varying = split_guard(source, command)
    shared = source.terms.expression(conjunction(fixed), Scope())
    found, remaining = [], list(fixed)
    for written in instantiate(replace(command, guard=conjunction(varying))):
        instance = map_command(written, source.specialise)
        if instance.guard != FALSE:
            found.append(source.terms.number(("instance",), [shared, source.terms.command(instance, ("command",))]))
            remaining += expressions_of(instance)
    return [*found, *definition_roots(source, remaining)]


def split_guard(source: Source, command: Command) -> tuple[list[Expr], list[Expr]]:
    """The clauses of the guard without and with parameters; nothing is taken out of a guard that may fail."""
    clauses = clauses_of(command.guard)
    if guard_may_fail(source, command):
        return [], clauses
    names = {p.name for p in command.parameters}
    fixed = [e for e in clauses if not mentions_any(e, names)]
    return fixed, [e for e in clauses if mentions_any(e, names)]


def guard_may_fail(source: Source, command: Command) -> bool:
    """Looking inside an atom of a parameter's domain cannot fail, so that is asked of the instances."""
    domains = {p.name: p.domain for p in command.parameters}
    clauses = clauses_of(command.guard)
    doubtful = [e for e in clauses if may_fail(source.system, e, domains)]
    if not doubtful:
        return False
    probes = instantiate(replace(command, guard=conjunction(doubtful), effect=()))
    return any(instance_may_fail(source, probe) for probe in probes)


def instance_may_fail(source: Source, instance: Command) -> bool:
    guard = source.specialise(instance.guard)
    return may_fail(source.system, guard, {p.name: p.domain for p in instance.parameters})


def clauses_of(e: Expr) -> list[Expr]:
    """The conditions that e joins with AND, in their order."""
    if isinstance(e, Apply) and e.operator is Operator.AND:
        return [clause for operand in e.operands for clause in clauses_of(operand)]
    return [] if e == TRUE else [e]


def mentions_any(e: Expr, names: set[str]) -> bool:
    return any(isinstance(part, Bound) and part.name in names for part in walk(e))


def is_pinned(source: Source, command: Command) -> bool:
    """Whether the command must be written out: it looks inside an atom, or uses what is defined for each atom."""
    ranged = any(isinstance(p.domain, Atoms) for p in command.parameters)
    return ranged and any(
        isinstance(part, NumberOf | AtomAt) or (isinstance(part, Use) and bool(part.owners))
        for e in expressions_of(command)
        for part in walk(e)
    )


def definition_roots(source: Source, expressions: Iterable[Expr]) -> list[int]:
    """The terms of all definitions that are used; what is constant has been written out where it is used."""
    used = used_definitions(source.system, expressions)
    return [source.terms.definition(replace(d, body=source.specialise(d.body))) for d in used]


def used_definitions(system: System, expressions: Iterable[Expr]) -> list[Definition]:
    """All definitions that are used, directly or by others."""
    wanted = {part.definition for e in expressions for part in walk(e) if isinstance(part, Use)}
    while True:
        used = [d for d in system.definitions if d.name in wanted]
        more = wanted | {part.definition for d in used for part in walk(d.body) if isinstance(part, Use)}
        if more == wanted:
            return used
        wanted = more


def roots_of(numbers: Iterable[int]) -> Roots:
    return tuple(sorted(Counter(numbers).items()))


# What an exchange of two atoms does to it.


class Exchanges:
    """Answers whether exchanging two atoms of one class maps some terms to themselves.

    Requires: all terms have been made."""

    def __init__(self, terms: Terms, classes: Partition) -> None:
        self.numbers = terms.numbers
        self.classes = classes
        self.table: list[Term] = list(terms.numbers)
        self.masks = masks_of(self.table, terms.atoms, [(sum(1 << a for a in cell), cell) for cell in classes])

    def untouched(self, roots: Roots) -> Partition:
        """Cells of atoms that the terms do not mention one by one, so that they can be exchanged; the others alone."""
        touched = 0
        for number, _ in roots:
            touched |= self.masks[number]
        cells = []
        for members in self.classes:
            free = tuple(a for a in members if not touched >> a & 1)
            cells += [free] if free else []
            cells += [(a,) for a in members if touched >> a & 1]
        return tuple(cells)

    def keeps(self, roots: Roots, a: int, b: int) -> bool:
        return self.keeps_moved(roots, {a: b, b: a})

    def keeps_under(self, roots: Roots, g: Permutation) -> bool:
        """The same for any permutation that keeps the classes."""
        return self.keeps_moved(roots, {a: image for a, image in enumerate(g) if a != image})

    def keeps_moved(self, roots: Roots, images_of_atoms: dict[int, int]) -> bool:
        both = sum(1 << a for a in images_of_atoms)
        moved = [(number, times) for number, times in roots if self.masks[number] & both]
        memo: dict[int, int | None] = {**images_of_atoms}
        images: dict[int | None, int] = {}
        for number, times in moved:
            image = self.image(number, both, memo)
            if image is None:
                return False
            images[image] = times
        return dict(moved) == images

    def image(self, number: int, both: int, memo: dict[int, int | None]) -> int | None:
        """The number of the image; None if nothing like it was said."""
        if not self.masks[number] & both:
            return number
        if number not in memo:
            memo[number] = self.look_up(self.table[number], both, memo)
        return memo[number]

    def look_up(self, term: Term, both: int, memo: dict[int, int | None]) -> int | None:
        masks, ordered, unordered = self.masks, list(term.ordered), list(term.unordered)
        for k, part in enumerate(ordered):
            if masks[part] & both:
                if (image := self.image(part, both, memo)) is None:
                    return None
                ordered[k] = image
        for k, (part, times) in enumerate(unordered):
            if masks[part] & both:
                if (image := self.image(part, both, memo)) is None:
                    return None
                unordered[k] = image, times
        return self.numbers.get(Term(term.head, tuple(ordered), tuple(sorted(unordered))))


def masks_of(table: list[Term], atoms: int, classes: list[tuple[int, tuple[int, ...]]]) -> list[int]:
    """For each term the atoms whose exchange can be seen in it, as bits; parts have smaller numbers than the whole.

    A set with all atoms of a class in it does not show an exchange of two of them."""
    masks: list[int] = []
    for number, term in enumerate(table):
        mask = 1 << number if number < atoms else 0
        for part in term.ordered:
            mask |= masks[part]
        times: dict[int, int] = {}
        for part, count in term.unordered:
            if part < atoms:
                times[part] = count
            else:
                mask |= masks[part]
        masks.append(mask | seen_in_set(times, classes))
    return masks


def seen_in_set(times: dict[int, int], classes: list[tuple[int, tuple[int, ...]]]) -> int:
    seen = 0
    for a in times:
        seen |= 1 << a
    for bits, cell in classes:
        if seen & bits == bits and len({times[a] for a in cell}) == 1:
            seen &= ~bits
    return seen
