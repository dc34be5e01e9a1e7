"""When two Systems say the same: equality up to the order of choices, commutative operands and assignments at once.

Everything a System says becomes a *term*: a head with ordered and unordered parts, whose leaves are atoms and
constants.  A ``Terms`` table gives each term a number, the same number to terms that are equal; so two commands say the
same exactly when their numbers are equal, and the table, read as a graph, is the syntax graph of what went into it.
Bound parameters count by how far out they are bound, so their names do not matter; nor do labels, messages and spans.

Short names: g a permutation of the atoms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from quorbit.model.meaning.atom_maps import atom_map
from quorbit.model.meaning.commuting import Commuting
from quorbit.model.meaning.extremes import extreme
from quorbit.model.meaning.operators import ASSOCIATIVE, COMMUTATIVE, IDEMPOTENT
from quorbit.model.meaning.partial import Faults, guarded_blocks, may_fail
from quorbit.model.meaning.sums import as_sum
from quorbit.model.system.command import Branch, Command, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
    Condition,
    Domain,
    Elements,
    Enabled,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Parameter,
    Part,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.formula import Accepted, And, Formula, Iff, Or, Proposition, Truth, children
from quorbit.model.system.formula_kinds import maximal_propositional
from quorbit.model.system.system import Assertions, Definition, Invariant, NoDeadlock, Place, Property, System, Temporal
from quorbit.model.system.types import (
    NONE,
    AtomOf,
    Number,
    QueueOf,
    SetOf,
    Text,
    TupleOf,
    Type,
    Value,
    mentions_atoms,
)
from quorbit.model.system.types import Truth as TruthType
from quorbit.model.system.walk import walk
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import field, frozen, mutable

__all__ = ["Scope", "Term", "Terms", "parts_of", "says_the_same"]

Head = tuple[Hashable, ...]


class Term(NamedTuple):
    """A head, parts whose order counts and parts whose order does not (each with how often it occurs)."""

    head: Head
    ordered: tuple[int, ...] = ()
    unordered: tuple[tuple[int, int], ...] = ()


@mutable
class Scope:
    """The parameters bound here, innermost last."""

    domains: dict[str, Domain] = field(default_factory=dict)

    def bind(self, parameter: Parameter) -> Scope:
        return Scope(
            {**{n: d for n, d in self.domains.items() if n != parameter.name}, parameter.name: parameter.domain}
        )

    def depth(self, name: str) -> int | None:
        names = list(self.domains)
        return len(names) - 1 - names.index(name) if name in self.domains else None


@frozen
class Transient:
    """The System's word about which states are passed through."""

    condition: Expr


Said = tuple[str, Command] | Definition | Property | Transient  # one thing that a System says


def parts_of(system: System) -> list[Said]:
    """All that a System says."""
    found: list[Said] = [("command", command) for command in system.commands]
    found += [("start", command) for command in system.start]
    return [*found, *system.definitions, *system.properties, Transient(system.transient)]


class Terms:
    """The table of the terms of one System and its images, with their numbers; those below ``atoms`` are the atoms."""

    def __init__(self, system: System, alike: bool = True) -> None:
        """``alike``: all atoms that can be created anew are interchangeable."""
        self.system = system
        self.atoms = len(system.atoms)
        self.numbers: dict[Term, int] = {}
        self.known: dict[int, tuple[Expr, int]] = {}  # by id; the expression is kept, so its id stays its own
        self.known_in: dict[tuple[int, int], tuple[Expr, Scope, int]] = {}  # in the same way, with the scope
        self.known_steps: dict[int, tuple[Step, int]] = {}  # in the same way
        self.faults = Faults(system)
        self.commuting = Commuting(system, self.faults.may_fail, alike)
        self.free_names = names_free_in(system.definitions)
        for a, atom in enumerate(system.atoms):
            self.numbers[Term(("atom", atom.sort, atom.colour, a))] = a

    def number(self, head: Head, ordered: Iterable[int] = (), unordered: Iterable[int] = ()) -> int:
        counts = tuple(sorted(Counter(unordered).items())) if unordered != () else ()
        return self.numbers.setdefault(Term(head, tuple(ordered), counts), len(self.numbers))

    def distinct(self, head: Head, parts: Iterable[int]) -> int:
        """A term whose parts form a set."""
        counts = tuple([(part, 1) for part in sorted(set(parts))])
        return self.numbers.setdefault(Term(head, (), counts), len(self.numbers))

    # What a System consists of.

    def system_parts(self, system: System) -> Counter[int]:
        """The numbers of all that the system says; equal exactly for equal normal forms."""
        return Counter(self.part(part) for part in parts_of(system))

    def part(self, part: Said) -> int:
        match part:
            case (str(kind), Command() as command):
                return self.command(command, (kind,))
            case Definition():
                return self.definition(part)
            case Transient(condition):
                return self.number(("transient",), [self.expression(condition, Scope())])
            case Invariant() | NoDeadlock() | Temporal() | Assertions():
                return self.property(part)
        raise AssertionError(part)

    def place(self, place: Place) -> int:
        owners = [self.atom_or_none(a) for a in place.owners]
        return self.number(("place", place.variable, place.indices), [*owners, self.type(place.type)])

    def command(self, command: Command, kind: Head) -> int:
        scope, parts = Scope(), []
        for parameter in command.parameters:
            parts.append(self.domain(parameter, scope))
            scope = scope.bind(parameter)
        names = tuple(p.name if p.name in self.free_names else "" for p in command.parameters)
        hidden = tuple(p.name in command.hidden for p in command.parameters)
        head = (*kind, command.rank, command.turn, names, hidden, len(command.actors))
        parts.append(self.expression(command.guard, scope))
        parts += [self.expression(actor, scope) for actor in command.actors]
        return self.number(head, parts + self.levels(command.effect, scope))

    def step(self, step: Step, scope: Scope) -> int:
        """The number of a step; kept by object where no parameter is bound, for procedures are written out often."""
        if scope.domains:
            return self.find_step(step, scope)
        known = self.known_steps.get(id(step))
        if known is None:
            known = self.known_steps[id(step)] = (step, self.find_step(step, scope))
        return known[1]

    def find_step(self, step: Step, scope: Scope) -> int:
        match step:
            case Together(assignments):
                return self.number(
                    ("together",),
                    (),
                    [
                        self.number(("assign",), [self.expression(a.target, scope), self.expression(a.value, scope)])
                        for a in assignments
                    ],
                )
            case Require(condition):
                return self.number(("require", step.property), [self.expression(condition, scope)])
            case Branch(test, then, other):
                ways = [self.steps(then, scope), self.steps(other, scope)]
                return self.number(("branch",), [self.expression(test, scope), *ways])
            case Loop(test, body, most):
                return self.number(("loop", most), [self.expression(test, scope), self.steps(body, scope)])
            case Pick(parameter, body):
                return self.number(("pick",), [self.domain(parameter, scope), self.steps(body, scope.bind(parameter))])

    def steps(self, steps: tuple[Step, ...], scope: Scope) -> int:
        return self.number(("steps",), self.levels(steps, scope))

    def levels(self, steps: tuple[Step, ...], scope: Scope) -> list[int]:
        """The steps in their order, as far as that can be seen."""
        levels = self.commuting.levels(steps)
        numbers = [[self.step(step, scope) for step in level] for level in levels]
        return [n[0] if len(n) == 1 else self.number(("level",), (), n) for n in numbers]

    def definition(self, definition: Definition) -> int:
        owners = [self.atom_or_none(a) for a in definition.owners]
        return self.number(("definition", definition.name), [*owners, self.expression(definition.body, Scope())])

    def property(self, p: Property) -> int:
        """Properties of one kind may take each other's place; which one failed is looked up in the unreduced run."""
        match p:
            case Invariant(condition=condition):
                return self.number(("invariant",), [self.expression(condition, Scope())])
            case NoDeadlock(allowed=allowed, stuttering=stuttering):
                return self.number(("deadlock", stuttering), [self.expression(allowed, Scope())])
            case Temporal(formula=formula):
                return self.temporal(formula)
            case Assertions(name):
                return self.number(("assertions", name))
            case _:
                assert_never(p)

    def temporal(self, formula: Formula) -> int:
        """The formula with its maximal propositional parts in their order, so that a symmetry leaves each of them as it
        is: the formula may then be evaluated on the quotient. [M97, Theorem 4.2]"""
        parts = [self.formula(part) for part in maximal_propositional(formula)]
        return self.number(("temporal",), [self.formula(formula), *parts])

    def formula(self, f: Formula) -> int:
        match f:
            case Proposition(expression):
                return self.number(("proposition",), [self.expression(expression, Scope())])  # type: ignore[arg-type]
            case Truth(value):
                return self.number(("truth", value))
            case And(operands) | Or(operands):
                return self.distinct((type(f).__name__,), map(self.formula, operands))
            case Iff(left, right):
                return self.number(("iff",), (), [self.formula(left), self.formula(right)])
            case Accepted(guards, edges, accepting, endless):
                return self.number(("accepted", edges, accepting, endless), map(self.formula, guards))
            case _:
                return self.number((type(f).__name__,), map(self.formula, children(f)))

    # Expressions.

    def expression(self, e: Expr, scope: Scope) -> int:
        """The number of an expression; kept by object where no parameter is bound, for images share what stays."""
        if isinstance(e, Literal):
            return self.value(e.type, e.value)
        if scope.domains:
            return self.in_scope(e, scope)
        known = self.known.get(id(e))
        if known is None:
            known = self.known[id(e)] = (e, self.find(e, scope))
        return known[1]

    def in_scope(self, e: Expr, scope: Scope) -> int:
        """The number of an expression where parameters are bound; kept by object and scope, for the functions of a
        circuit share much."""
        if isinstance(e, Bound):
            return self.find(e, scope)
        key = id(e), id(scope)
        known = self.known_in.get(key)
        if known is None:
            known = self.known_in[key] = (e, scope, self.find(e, scope))
        return known[2]

    def find(self, e: Expr, scope: Scope) -> int:
        match e:
            case Literal(value, type):
                return self.value(type, value)
            case Bound(name):
                depth = scope.depth(name)
                return self.number(("free", name) if depth is None else ("bound", depth))
            case Read(variable, owners, indices):
                return self.number(("read", variable), [self.expression(part, scope) for part in (*owners, *indices)])
            case Use(definition, owners):
                return self.number(("use", definition), [self.expression(owner, scope) for owner in owners])
            case Apply(operator, operands):
                return self.apply(operator, operands, scope)
            case Part(whole, k):
                return self.number(("part", k), [self.expression(whole, scope)])
            case Condition(test, then, other):
                if (found := extreme(e)) is not None:
                    return self.distinct(("extreme", found[0].value), [self.expression(v, scope) for v in found[1]])
                if (total := as_sum(e)) is not e:
                    return self.expression(total, scope)
                return self.number(("condition",), [self.expression(part, scope) for part in (test, then, other)])
            case Wrap(_, bits, signed):
                if isinstance(total := as_sum(e), Wrap):
                    return self.number(("wrap", bits, signed), [self.expression(total.operand, scope)])
                return self.expression(total, scope)
            case Quantify():
                return self.quantify(e, scope)
            case NumberOf(inner, numbering, first, none):
                return self.number(
                    ("number of", first, none), [self.expression(inner, scope), *map(self.atom_or_none, numbering)]
                )
            case AtomAt(inner, numbering, first, none):
                if (found_map := atom_map(e, self.system.variable)) is not None:
                    pairs = [self.number(("leads to",), list(map(self.atom_or_none, pair))) for pair in found_map[1]]
                    return self.number(("map of atoms",), [self.expression(found_map[0], scope)], pairs)
                return self.number(
                    ("atom at", first, none), [self.expression(inner, scope), *map(self.atom_or_none, numbering)]
                )
            case Enabled(actor):
                return self.number(("enabled",), [] if actor is None else [self.expression(actor, scope)])
            case Compute(computation, operands):
                return self.number(("compute", computation.text), [self.expression(part, scope) for part in operands])
            case Otherwise(body, other):
                return self.number(("otherwise",), [self.expression(body, scope), self.expression(other, scope)])
            case _:
                assert_never(e)

    def apply(self, operator: Operator, operands: tuple[Expr, ...], scope: Scope) -> int:
        head = ("apply", operator.value)
        if operator in ASSOCIATIVE:
            operands = flattened(operator, operands)
        if operator is Operator.AND:
            return self.conjunction(head, operands, scope)
        parts = [self.expression(operand, scope) for operand in operands]
        if not self.is_free(operator, operands, scope):
            return self.number(head, parts)
        return self.distinct(head, parts) if operator in IDEMPOTENT else self.number(head, (), parts)

    def conjunction(self, head: Head, operands: tuple[Expr, ...], scope: Scope) -> int:
        """AND stops early too; an operand that is safe because of an earlier one stays behind that one."""
        blocks = guarded_blocks(self.system, operands, scope.domains, lambda e: self.fails(e, scope))
        if blocks is None:
            return self.number(head, [self.expression(operand, scope) for operand in operands])
        return self.distinct(head, [self.block(block, scope) for block in blocks])

    def block(self, block: tuple[Expr, ...], scope: Scope) -> int:
        parts = [self.expression(operand, scope) for operand in block]
        return parts[0] if len(parts) == 1 else self.number(("then",), parts[-1:], parts[:-1])

    def is_free(self, operator: Operator, operands: tuple[Expr, ...], scope: Scope) -> bool:
        """Whether the order of the operands cannot be seen: OR stops early, so one that may fail is seen."""
        if operator is Operator.OR:
            may_fail = any(self.fails(operand, scope) for operand in operands)
            return not may_fail or is_one_subject(operands) or are_exclusive(operands)
        return operator in COMMUTATIVE

    def fails(self, e: Expr, scope: Scope) -> bool:
        """Whether e may fault."""
        return may_fail(self.system, e, scope.domains) if scope.domains else self.faults.may_fail(e)

    def quantify(self, e: Quantify, scope: Scope) -> int:
        inner = scope.bind(e.parameter)
        parts = [
            self.domain(e.parameter, scope),
            self.expression(e.condition, inner),
            self.expression(e.body, inner),
        ]
        return self.number(("quantify", e.quantifier.value), parts)

    def domain(self, parameter: Parameter, scope: Scope) -> int:
        match parameter.domain:
            case Atoms(atoms):
                return self.distinct(("atoms",), map(self.atom_or_none, atoms))
            case Interval(low, high):
                return self.number(("interval", low, high))
            case Elements(set=e):
                return self.number(("elements",), [self.expression(e, scope)])
            case Fresh(atoms, free, cells):
                among = [self.distinct(("cell",), cell) for cell in cells] or atoms
                return self.number(("fresh",), [self.expression(free, scope.bind(parameter))], among)

    # Values and types.

    def atom_or_none(self, a: int) -> int:
        return self.number(("none",)) if a == NONE else a

    def value(self, type: Type, value: Value) -> int:
        if isinstance(type, AtomOf):
            return self.atom_or_none(value)  # type: ignore[arg-type]
        if isinstance(type, Number) or not mentions_atoms(type):
            return self.number(("value", value))
        match type:
            case TupleOf(parts):
                return self.number(("tuple",), [self.value(t, v) for t, v in zip(parts, value, strict=True)])  # type: ignore[arg-type]
            case SetOf(element):
                return self.distinct(("set",), [self.value(element, v) for v in value])  # type: ignore[union-attr]
            case QueueOf(message):
                return self.number(("queue",), [self.value(message, v) for v in value])  # type: ignore[union-attr]
        raise AssertionError(type)

    def type(self, type: Type) -> int:
        match type:
            case AtomOf(atoms, optional):
                return self.distinct(("atom of", optional), atoms)
            case TupleOf(parts):
                return self.number(("tuple of",), map(self.type, parts))
            case SetOf(element):
                return self.number(("set of",), [self.type(element)])
            case QueueOf(message, capacity):
                return self.number(("queue of", capacity), [self.type(message)])
            case Number() | TruthType() | Text():
                return self.number(("type", type))
            case _:
                assert_never(type)


def says_the_same(a: System, b: System) -> bool:
    """Whether two Systems with the same atoms and variables have the same normal form."""
    terms = Terms(a)
    return terms.system_parts(a) == terms.system_parts(b)


def is_one_subject(operands: tuple[Expr, ...]) -> bool:
    """Whether one expression is compared with a constant in each operand: if it fails, the first one does already."""
    subjects = []
    for e in operands:
        match e:
            case Apply(Operator.EQUAL, (subject, Literal())) | Apply(Operator.EQUAL, (Literal(), subject)):
                subjects.append(subject)
            case _:
                return False
    return all(subject == subjects[0] for subject in subjects)


def are_exclusive(operands: tuple[Expr, ...]) -> bool:
    """Whether each operand asks first to which of several disjoint sets a thing belongs: what may fail behind that is
    reached in one of them at most."""
    listed: list[tuple[Expr, frozenset[Value]]] = []
    for e in operands:
        match e:
            case Apply(Operator.AND, (Apply(Operator.MEMBER, (Bound() as x, Literal(frozenset() as set))), *_)):
                listed.append((x, set))
            case _:
                return False
    different = frozenset[Value]().union(*(set for _, set in listed))
    return len({x for x, _ in listed}) == 1 and len(different) == sum(len(set) for _, set in listed)


def flattened(operator: Operator, operands: tuple[Expr, ...]) -> tuple[Expr, ...]:
    flat: list[Expr] = []
    for e in operands:
        if isinstance(e, Apply) and e.operator is operator:
            flat.extend(flattened(operator, e.operands))
        else:
            flat.append(e)
    return tuple(flat)


def names_free_in(definitions: tuple[Definition, ...]) -> set[str]:
    """The parameters that definitions expect from where they are used (inner quantifiers may be counted too)."""
    return {part.name for d in definitions for part in walk(d.body) if isinstance(part, Bound)}
