"""What a grounded System says, as plain texts that do not depend on order where order does not count.

A second way to compare, apart from the tables of terms that detection works with (meaning/normal_form.py): certificates
are checked with it.  Atoms are written as ``image`` says, so the text of a permuted command is written without
permuting the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
from quorbit.model.system.types import NONE, AtomOf, QueueOf, SetOf, TupleOf, Type, Value
from quorbit.model.system.walk import walk

Bindings = tuple[Parameter, ...]  # outermost first


class PlainForm:
    """Writes parts of one System, each atom a as image(a)."""

    def __init__(self, system: System, image: Callable[[int], object]) -> None:
        self.system = system
        self.image = image
        bound = (part for d in system.definitions for part in walk(d.body) if isinstance(part, Bound))
        self.free_names = {part.name for part in bound}
        self.commuting = Commuting(system, Faults(system).may_fail, alike=True)

    def atom(self, a: Value) -> str:
        return "none" if a == NONE else f"@{self.image(a)}"  # type: ignore[arg-type]

    # What a System consists of.

    def command(self, command: Command) -> str:
        bound: Bindings = ()
        domains = []
        for p in command.parameters:
            name = p.name if p.name in self.free_names else ""
            domains.append(f"{name}{'-' if p.name in command.hidden else ':'}{self.domain(p, bound)}")
            bound = (*bound, p)
        guard = self.expression(command.guard, bound)
        actors = ",".join(self.expression(e, bound) for e in command.actors)
        steps = self.steps(command.effect, bound)
        return f"{command.rank}.{command.turn}[{','.join(domains)}]{actors}|{guard}->{steps}"

    def step(self, step: Step, bound: Bindings) -> str:
        match step:
            case Together(assignments):
                pairs = [(self.expression(a.target, bound), self.expression(a.value, bound)) for a in assignments]
                return unordered("set", [f"{target}:={value}" for target, value in pairs])
            case Require(condition):
                return f"require {step.property} {self.expression(condition, bound)}"
            case Branch(test, then, other):
                return f"if {self.expression(test, bound)}{{{self.steps(then, bound)}}}{{{self.steps(other, bound)}}}"
            case Loop(test, body, most):
                return f"while {most} {self.expression(test, bound)}{{{self.steps(body, bound)}}}"
            case Pick(parameter, body):
                return f"pick {self.domain(parameter, bound)}{{{self.steps(body, (*bound, parameter))}}}"

    def steps(self, steps: tuple[Step, ...], bound: Bindings) -> str:
        levels = [[self.step(step, bound) for step in level] for level in self.commuting.levels(steps)]
        return ";".join(level[0] if len(level) == 1 else unordered("level", level) for level in levels)

    def definition(self, d: Definition) -> str:
        return f"{d.name}({','.join(map(self.atom, d.owners))})={self.expression(d.body, ())}"

    def place(self, place: Place) -> str:
        return f"{place.variable}({','.join(map(self.atom, place.owners))}){place.indices}:{self.type(place.type)}"

    def property(self, p: Property) -> str:
        match p:
            case Invariant(condition=e):
                return f"invariant {self.expression(e, ())}"
            case NoDeadlock(allowed=e):
                return f"deadlock {self.expression(e, ())}"
            case Temporal(formula=f):
                parts = ",".join(map(self.formula, maximal_propositional(f)))
                return f"temporal {self.formula(f)} about {parts}"
            case Assertions(name):
                return f"assertions {name}"

    def formula(self, f: Formula) -> str:
        match f:
            case Proposition(e):
                return f"<{self.expression(e, ())}>"  # type: ignore[arg-type]
            case Truth(value):
                return str(bool(value))
            case And(operands) | Or(operands):
                return unordered(type(f).__name__, set(map(self.formula, operands)))
            case Iff(left, right):
                return unordered("iff", [self.formula(left), self.formula(right)])
            case Accepted(guards, edges, accepting, endless):
                return f"accepted {edges!r} {accepting!r} {endless!r}({','.join(map(self.formula, guards))})"
            case _:
                return f"{type(f).__name__}({','.join(map(self.formula, children(f)))})"

    # Expressions.

    def expression(self, e: Expr, bound: Bindings) -> str:
        def each(parts: Iterable[Expr]) -> str:
            return ",".join(self.expression(part, bound) for part in parts)

        match e:
            case Literal(value, type):
                return self.value(type, value)
            case Bound(name):
                depth = next((k for k, p in enumerate(reversed(bound)) if p.name == name), None)
                return f"free {name}" if depth is None else f"#{depth}"
            case Read(variable, owners, indices):
                return f"{variable!r}({each(owners)};{each(indices)})"
            case Use(definition, owners):
                return f"use {definition!r}({each(owners)})"
            case Apply(operator, operands):
                return self.apply(operator, operands, bound)
            case Part(whole, k):
                return f"part {k}({each([whole])})"
            case Condition(test, then, other):
                if (found := extreme(e)) is not None:
                    return unordered(f"the {found[0].value} of", {self.expression(v, bound) for v in found[1]})
                if (total := as_sum(e)) is not e:
                    return self.expression(total, bound)
                return f"if({each([test, then, other])})"
            case Wrap(_, bits, signed):
                if isinstance(total := as_sum(e), Wrap):
                    return f"wrap {bits} {signed}({each([total.operand])})"
                return self.expression(total, bound)
            case Quantify(quantifier, parameter, body, condition):
                inner = (*bound, parameter)
                parts = f"{self.expression(condition, inner)}:{self.expression(body, inner)}"
                return f"{quantifier.value} {self.domain(parameter, bound)}({parts})"
            case NumberOf(inside, numbering, first, none):
                return f"number {first} {none}({each([inside])};{','.join(map(self.atom, numbering))})"
            case AtomAt() if (led := atom_map(e, self.system.variable)) is not None:
                ways = sorted(f"{self.atom(a)}>{self.atom(b)}" for a, b in led[1])
                return f"from({each([led[0]])};{','.join(ways)})"
            case AtomAt(inside, numbering, first, none):
                return f"atom at {first} {none}({each([inside])};{','.join(map(self.atom, numbering))})"
            case Enabled(actor):
                return f"enabled({'' if actor is None else each([actor])})"
            case Compute(computation, operands):
                return f"compute {computation.text!r}({each(operands)})"
            case Otherwise(body, other):
                return f"otherwise({each([body, other])})"

    def apply(self, operator: Operator, operands: tuple[Expr, ...], bound: Bindings) -> str:
        """Operands in any order where nobody can tell: AND and OR stop early, so one that may fail is seen."""
        if operator in ASSOCIATIVE:
            operands = tuple(flat(operator, operands))
        domains = {p.name: p.domain for p in bound}
        if operator is Operator.AND:
            blocks = guarded_blocks(self.system, operands, domains)
            if blocks is not None:
                return unordered("&&", {self.block(block, bound) for block in blocks})
        parts = [self.expression(operand, bound) for operand in operands]
        is_free = operator in COMMUTATIVE and operator is not Operator.AND
        if operator is Operator.OR:
            fails = any(may_fail(self.system, operand, domains) for operand in operands)
            is_free = not fails or is_one(map(compared, operands)) or are_apart(operands)
        if not is_free:
            return f"{operator.value}({','.join(parts)})"
        return unordered(operator.value, set(parts) if operator in IDEMPOTENT else parts)

    def block(self, block: tuple[Expr, ...], bound: Bindings) -> str:
        parts = [self.expression(operand, bound) for operand in block]
        return parts[0] if len(parts) == 1 else f"{parts[-1]} after {unordered('', parts[:-1])}"

    def domain(self, parameter: Parameter, bound: Bindings) -> str:
        match parameter.domain:
            case Atoms(atoms):
                return unordered("any", map(self.atom, atoms))
            case Interval(low, high):
                return f"{low}..{high}"
            case Elements(set=e):
                return f"in {self.expression(e, bound)}"
            case Fresh(atoms, free, cells):
                among = [unordered("cell", map(self.atom, cell)) for cell in cells] or map(self.atom, atoms)
                return unordered(f"fresh {self.expression(free, (*bound, parameter))}", among)

    # Values and types.

    def value(self, type: Type, value: Value) -> str:
        match type:
            case AtomOf():
                return self.atom(value)
            case TupleOf(parts):
                return "(" + ",".join(map(self.value, parts, value)) + ")"  # type: ignore[arg-type]
            case SetOf(element):
                return unordered("{}", {self.value(element, v) for v in value})  # type: ignore[union-attr]
            case QueueOf(message):
                return "[" + ",".join(self.value(message, v) for v in value) + "]"  # type: ignore[union-attr]
            case _:
                return repr(value)

    def type(self, type: Type) -> str:
        match type:
            case AtomOf(atoms, optional):
                return unordered(f"atom {optional}", map(self.atom, atoms))
            case TupleOf(parts):
                return f"({','.join(map(self.type, parts))})"
            case SetOf(element):
                return f"set {self.type(element)}"
            case QueueOf(message, capacity):
                return f"queue {capacity} {self.type(message)}"
            case _:
                return repr(type)


def is_one(found: Iterable[Expr | None]) -> bool:
    """Whether there is one thing, the same each time."""
    different = set(found)
    return len(different) == 1 and None not in different


def are_apart(operands: tuple[Expr, ...]) -> bool:
    """Whether every operand of OR begins by asking for one thing whether it is in a set, and no two sets meet."""
    asked = [e.operands[0] for e in operands if isinstance(e, Apply) and e.operator is Operator.AND]
    things: list[str] = []
    members: list[Value] = []
    for e in asked:
        match e:
            case Apply(Operator.MEMBER, (Bound(name), Literal(frozenset() as listed))):
                things.append(name)
                members += listed
    return len(things) == len(operands) and len(set(things)) == 1 and len(set(members)) == len(members)


def compared(e: Expr) -> Expr | None:
    """What is compared with a constant; if that fails in every operand of OR, the first one fails already."""
    match e:
        case Apply(Operator.EQUAL, (subject, Literal())) | Apply(Operator.EQUAL, (Literal(), subject)):
            return subject
        case _:
            return None


def unordered(head: str, parts: Iterable[str]) -> str:
    return f"{head}{{{','.join(sorted(parts))}}}"


def flat(operator: Operator, operands: tuple[Expr, ...]) -> Iterable[Expr]:
    for e in operands:
        if isinstance(e, Apply) and e.operator is operator:
            yield from flat(operator, e.operands)
        else:
            yield e


def references_to(command: Command) -> set[int]:
    """The atoms the guard names."""
    return {
        part.value
        for part in walk(command.guard)
        if isinstance(part, Literal) and isinstance(part.type, AtomOf) and isinstance(part.value, int)
    }
