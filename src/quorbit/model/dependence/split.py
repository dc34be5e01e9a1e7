"""Commands taken apart by what their addresses name: one *variant* for each value of ``i`` in ``a[i]``.

In every state exactly one variant of a command can run, so each is a command of its own for the question who disturbs
whom, and it says outright which places it touches.  A process that is created is the first unused one: one variant for
each.  Where there would be too many variants, an address stands for all places it may name.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import prod

from quorbit.model.dependence.abstract import Known, values_of
from quorbit.model.dependence.access import NO_PLACES, Domains, Places, Reader
from quorbit.model.meaning.partial import index_inside, owner_inside
from quorbit.model.specialise.simplify import simplify
from quorbit.model.system.command import (
    Assign,
    Branch,
    Command,
    Loop,
    Pick,
    Require,
    Step,
    Together,
    all_steps,
    assignments_in,
)
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Expr,
    Fresh,
    Literal,
    Operator,
    Parameter,
    Read,
    Use,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import Value
from quorbit.model.system.walk import map_parameter, map_parts, map_step, substitute, walk
from quorbit.source.frozen import frozen, replace

__all__ = ["expected_cases"]

MOST_VARIANTS = 48  # of one command


@frozen
class Variant:
    """A command where its addresses have certain values: ``chosen`` says which, ``conjuncts`` is the rest of the
    guard."""

    command: int
    chosen: tuple[Expr, ...]
    conjuncts: tuple[Expr, ...]
    effect: tuple[Step, ...]
    parameters: tuple[Parameter, ...]

    @property
    def domains(self) -> Domains:
        return {p.name: p.domain for p in self.parameters}


@frozen
class Address:
    """A part of an address that is to be found out: the values it may have there, and whether it may have others."""

    expression: Expr
    literals: tuple[Literal, ...]
    others: bool


class Splitter:
    def __init__(self, reader: Reader, known: Known) -> None:
        self.reader, self.known, self.system = reader, known, reader.system

    def variants(self, number: int, command: Command, conjuncts: tuple[Expr, ...]) -> list[Variant]:
        """The variants of a command, whose guard is given as conjuncts."""
        whole = Variant(number, (), conjuncts, command.effect, command.parameters)
        found: list[Variant] = []
        waiting = [(v, frozenset[Expr]()) for v in self.created(whole)]
        while waiting:
            variant, done = waiting.pop()
            address = self.next_address(variant, done)
            room = MOST_VARIANTS - len(found) - len(waiting)
            if address is None:
                found.append(variant)
            elif len(address.literals) + address.others > room:
                waiting.append((variant, done | {address.expression}))
            else:
                rest = done | {address.expression}
                waiting += [(self.resolved(variant, address, literal), rest) for literal in address.literals]
                if address.others:
                    waiting.append((outside(variant, address), rest))
        return found[::-1]

    # Creation.

    def created(self, variant: Variant) -> list[Variant]:
        """One variant for each atom that a parameter may find unused, and one where it finds none."""
        found = [variant]
        for p in variant.parameters:
            if isinstance(p.domain, Fresh):
                found = [v for one in found for v in self.created_by(one, p.name, p.domain)]
        return found if len(found) <= MOST_VARIANTS else [variant]

    def created_by(self, variant: Variant, name: str, domain: Fresh) -> Iterator[Variant]:
        free = [simplify(substitute(domain.free, {name: atom(a)})) for a in domain.atoms]
        parameters = tuple(p for p in variant.parameters if p.name != name)
        for k, a in enumerate(domain.atoms):
            values: dict[str, Expr] = {name: atom(a)}
            chosen = (free[k], *(negation(e) for e in free[:k][::-1]))
            yield Variant(
                variant.command,
                (*variant.chosen, *chosen),
                tuple(simplify(substitute(e, values)) for e in variant.conjuncts),
                tuple(map_step(s, lambda e, values=values: simplify(substitute(e, values))) for s in variant.effect),  # type: ignore[misc]
                parameters,
            )
        none = conjunction([negation(e) for e in free])
        yield replace(variant, chosen=(*variant.chosen, none), effect=(), parameters=parameters)

    # Addresses.

    def next_address(self, variant: Variant, done: frozenset[Expr]) -> Address | None:
        """An innermost part of an address that is not known and can be looked at before the command runs."""
        uses: dict[Expr, list[tuple[Read | Use, int]]] = {}
        for e, _ in self.looked_at(variant):
            for part in walk(e):
                for k, inner in enumerate(address_of(part)):
                    if inner not in done and self.is_open(inner):
                        uses.setdefault(inner, []).append((part, k))  # type: ignore[arg-type]
        for e, places in uses.items():
            return self.address(e, places)
        return None

    def looked_at(self, variant: Variant) -> Iterator[tuple[Expr, Places]]:
        """The expressions of a variant, with the places that may have changed before each is looked at; only those
        whose addresses are decided before the command runs."""
        for e in variant.conjuncts:
            yield e, NO_PLACES
        yield from self.looked_at_in(variant.effect, NO_PLACES, variant.domains)

    def looked_at_in(self, steps: tuple[Step, ...], written: Places, domains: Domains) -> Iterator[tuple[Expr, Places]]:
        for step in steps:
            if isinstance(step, Loop):
                written |= self.written(step, domains)  # by an earlier round
            for e in step_expressions(step):
                if not written or all(self.is_settled(part, written) for part in walk(e)):
                    yield e, written
            match step:
                case Branch(_, then, other):
                    yield from self.looked_at_in(then, written, domains)
                    yield from self.looked_at_in(other, written, domains)
                case Loop(_, body):
                    yield from self.looked_at_in(body, written, domains)
                case Pick(parameter, body):
                    yield from self.looked_at_in(body, written, {**domains, parameter.name: parameter.domain})
            written |= self.written(step, domains)

    def is_settled(self, part: Expr, written: Places) -> bool:
        return all(self.reader.reads(inner).isdisjoint(written) for inner in address_of(part))

    def written(self, step: Step, domains: Domains) -> Places:
        chosen = {s.parameter.name: s.parameter.domain for s in all_steps((step,)) if isinstance(s, Pick)}
        inside = {**domains, **chosen}
        return NO_PLACES.union(*(self.reader.targets(a.target, inside) for a in assignments_in((step,))))

    def is_open(self, e: Expr) -> bool:
        """Whether the values of an address are worth telling apart: it reads places that are written down."""
        if isinstance(e, Literal | Bound):
            return False
        return all(
            not isinstance(part, Bound | Use) and (not isinstance(part, Read) or self.reader.static(part) is not None)
            for part in walk(e)
        )

    def address(self, e: Expr, uses: list[tuple[Read | Use, int]]) -> Address:
        known = values_of(self.reader, e, self.known)
        literals: dict[Value, Literal] = {}
        others = False
        for part, k in uses:
            valid, owned = self.valid(part, k)
            for v in valid:
                if known is None or v in known:
                    literals[v] = atom(v) if owned else number(v)
            inside = owner_inside(self.system, e, valid, {}) if owned else index_inside(self.system, e, len(valid), {})
            others = others or not (inside or (known is not None and known <= frozenset(valid)))
        return Address(e, tuple(literals.values()), others)

    def valid(self, part: Read | Use, k: int) -> tuple[tuple[int, ...], bool]:
        """The values with which this part of an address names something, and whether it is an owner."""
        if isinstance(part, Use):
            return tuple(sorted({owners[k] for owners, _ in self.reader.bodies.get(part.definition, ())})), True
        variable = self.system.variable[part.variable]
        owned = k < len(variable.owners)
        return (variable.owners[k] if owned else tuple(range(variable.shape[k - len(variable.owners)]))), owned

    def resolved(self, variant: Variant, address: Address, literal: Literal) -> Variant:
        """The variant where the address has this value."""
        e = address.expression
        return replace(
            variant,
            chosen=(*variant.chosen, equal(e, literal)),
            conjuncts=tuple(self.named(c, e, literal) for c in variant.conjuncts),
            effect=self.named_in_steps(variant.effect, e, literal, variant.domains),
        )

    def named_in_steps(self, steps: tuple[Step, ...], e: Expr, literal: Literal, domains: Domains) -> tuple[Step, ...]:
        """The steps with the literal in the place of a part of addresses, up to where that may have changed."""
        reads, found = self.reader.reads(e), list[Step]()
        for k, step in enumerate(steps):
            found.append(self.named_in_step(step, e, literal, domains))
            if not reads.isdisjoint(self.written(step, domains)):
                return (*found, *steps[k + 1 :])
        return tuple(found)

    def named_in_step(self, step: Step, part: Expr, literal: Literal, domains: Domains) -> Step:
        match step:
            case Together(assignments):
                return Together(tuple(self.named_in_assignment(a, part, literal) for a in assignments))
            case Require():
                return replace(step, condition=self.named(step.condition, part, literal))
            case Branch(test, then, other, span):
                ways = [self.named_in_steps(way, part, literal, domains) for way in (then, other)]
                return Branch(self.named(test, part, literal), ways[0], ways[1], span)
            case Loop() if not self.reader.reads(part).isdisjoint(self.written(step, domains)):
                return step  # a later round may find another place
            case Loop(test, body, most, span):
                inside = self.named_in_steps(body, part, literal, domains)
                return Loop(self.named(test, part, literal), inside, most, span)
            case Pick(parameter, body):
                inside = self.named_in_steps(body, part, literal, {**domains, parameter.name: parameter.domain})
                return Pick(map_parameter(parameter, lambda e: self.named(e, part, literal)), inside)

    def named_in_assignment(self, a: Assign, part: Expr, literal: Literal) -> Assign:
        target = self.named(a.target, part, literal)
        assert isinstance(target, Read)
        return Assign(target, self.named(a.value, part, literal), a.forgets)

    def named(self, e: Expr, part: Expr, literal: Literal) -> Expr:
        """e with the literal in the place of a part of addresses."""
        e = map_parts(e, lambda inner: self.named(inner, part, literal))
        if part not in address_of(e):
            return e
        match e:
            case Read(variable, owners, indices, span):
                return Read(variable, put(owners, part, literal), put(indices, part, literal), span)
            case Use(definition, owners, span):
                return self.folded(Use(definition, put(owners, part, literal), span))
            case _:
                return e

    def folded(self, e: Use) -> Expr:
        """What a definition says, where that is a constant: which channel belongs to a process, say."""
        is_one = all(isinstance(owner, Literal) for owner in e.owners)
        body = next(self.reader.used_bodies(e), None) if is_one else None
        return body if isinstance(body, Literal) else e


def expected_cases(system: System) -> int:
    """About how many variants the commands have, without looking at values: each part of an address that is not written
    down may name every place."""
    return sum(min(MOST_VARIANTS, prod(sizes_of_addresses(system, c).values())) for c in system.commands)


def sizes_of_addresses(system: System, command: Command) -> dict[Expr, int]:
    """How many places each such part may name."""
    found: dict[Expr, int] = {}
    inside = (e for a in assignments_in(command.effect) for e in (a.target, a.value))
    for part in chain.from_iterable(map(walk, (command.guard, *inside))):
        if isinstance(part, Read):
            variable = system.variable[part.variable]
            sizes = (*map(len, variable.owners), *variable.shape)
            for e, size in zip((*part.owners, *part.indices), sizes, strict=True):
                if not isinstance(e, Literal | Bound):
                    found[e] = size
    return found


def outside(variant: Variant, address: Address) -> Variant:
    """Where the address names no place of those variables."""
    misses: list[Expr] = [negation(equal(address.expression, literal)) for literal in address.literals]
    return replace(variant, chosen=(*variant.chosen, conjunction(misses)))


def step_expressions(step: Step) -> Iterator[Expr]:
    """The expressions of a step that are looked at before steps inside it."""
    match step:
        case Together(assignments):
            for a in assignments:
                yield a.target
                yield a.value
        case Require():
            yield step.condition
        case Branch(test) | Loop(test):
            yield test
        case Pick():
            pass


def address_of(e: Expr) -> tuple[Expr, ...]:
    """What names the place that is read, or the definition that is used."""
    match e:
        case Read(owners=owners, indices=indices):
            return (*owners, *indices)
        case Use(owners=owners):
            return owners
        case _:
            return ()


def put(parts: tuple[Expr, ...], part: Expr, literal: Literal) -> tuple[Expr, ...]:
    return tuple(literal if inner == part else inner for inner in parts)


def flat_conjuncts(e: Expr) -> Iterator[Expr]:
    match e:
        case Apply(Operator.AND, operands):
            for operand in operands:
                yield from flat_conjuncts(operand)
        case _:
            yield e
