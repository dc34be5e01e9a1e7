"""Which clauses and effects can be looked up by shared part and letter, without writing out a state.

*shared*: depends on the shared part only.  *own*: on the shared part and the local state of the command's one process.
*each*: says of every process in a set something about its local state alone.  *static*: about the parameter alone.
*symmetric*: about the whole state, keeping all permutations.  Everything else is *general*.
"""

from __future__ import annotations

from enum import Enum

from quorbit.engines.adaptive.shape import Shape
from quorbit.model.meaning.partial import may_fail
from quorbit.model.system.command import Assign, Command, Require, Together
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Enabled,
    Expr,
    Literal,
    Operator,
    Otherwise,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
    disjunction,
    negation,
)
from quorbit.model.system.types import NONE, atoms_of
from quorbit.model.system.walk import map_parts, parts, walk
from quorbit.source.frozen import frozen

NAME = "process of the clause"  # the parameter of what an EACH clause says; no model can use this name


class Form(Enum):
    STATIC = "static"
    SHARED = "shared"
    OWN = "own"
    EACH = "each"
    SYMMETRIC = "symmetric"
    GENERAL = "general"


@frozen
class Formed:
    """A clause with its form; for EACH, ``expression`` is what is said of NAME, for the ``processes``."""

    form: Form
    expression: Expr
    processes: frozenset[int] = frozenset()


def form_of(shape: Shape, command: Command | None, e: Expr, symmetric: bool) -> Formed:
    """The form of a clause of a command's guard, or (without a command) of a condition about states."""
    domains = {p.name: p.domain for p in command.parameters} if command else {}
    names = {part.name for part in walk(e) if isinstance(part, Bound)} & set(domains)
    own = own_process(shape, command) if names else None
    if own is not None and not reads_state(shape, e):
        return Formed(Form.STATIC, e)
    if may_fail(shape.system, e, domains):
        return Formed(Form.GENERAL, e)
    if not names and is_local(shape, e, None):
        return Formed(Form.SHARED, e)
    if own is not None and is_local(shape, e, own):
        return Formed(Form.OWN, e)
    if not names and (each := as_each(shape, e)) is not None:
        return each
    return Formed(Form.SYMMETRIC if symmetric and not names else Form.GENERAL, e)


def own_process(shape: Shape, command: Command | None) -> str | None:
    """The name of the command's parameter, if it has one only and that ranges over permuted atoms."""
    if command is None or len(command.parameters) != 1:
        return None
    parameter = command.parameters[0]
    atoms = parameter.domain.atoms if isinstance(parameter.domain, Atoms) else ()
    return parameter.name if atoms and all(a in shape.process for a in atoms) else None


def reads_state(shape: Shape, e: Expr) -> bool:
    """Whether e depends on the state, definitions looked into."""
    for part in walk(e):
        match part:
            case Read() | Enabled():
                return True
            case Use(name) if any(reads_state(shape, d.body) for d in shape.system.definitions if d.name == name):
                return True
    return False


def as_each(shape: Shape, e: Expr) -> Formed | None:
    """``forall j: ...`` about j's local state, or a condition on the local state of one named process."""
    match e:
        case Quantify(Quantifier.ALL, parameter, body, condition) if isinstance(parameter.domain, Atoms):
            said = body if condition == TRUE else disjunction([negation(condition), body])
            atoms = parameter.domain.atoms
            if all(a in shape.process for a in atoms) and is_local(shape, said, parameter.name):
                return Formed(Form.EACH, rename(said, parameter.name), frozenset(shape.process[a] for a in atoms))
            return None
        case _:
            named = sorted({a for part in walk(e) if isinstance(part, Literal) for a in atoms_of(part.type)})
            inside = [a for a in named if a in shape.process]
            if len(inside) == 1:
                said = rename_atom(e, inside[0])
                if is_local(shape, said, NAME):
                    return Formed(Form.EACH, said, frozenset({shape.process[inside[0]]}))
            return None


def rename(e: Expr, name: str) -> Expr:
    if isinstance(e, Bound):
        return Bound(NAME, e.span) if e.name == name else e
    return map_parts(e, lambda part: rename(part, name))


def rename_atom(e: Expr, a: int) -> Expr:
    if isinstance(e, Literal) and a in atoms_of(e.type) and e.value == a:
        return Bound(NAME, e.span)
    return map_parts(e, lambda part: rename_atom(part, a))


def is_local(shape: Shape, e: Expr, name: str | None) -> bool:
    """Whether e depends on the shared part and the letter of the process ``name`` only."""
    match e:
        case Literal(type=type):
            return not any(a in shape.process for a in atoms_of(type))
        case Read():
            return is_local_place(shape, e, name) and not may_refer(shape, e)
        case Apply(Operator.EQUAL, (Read() as read, other)) | Apply(Operator.EQUAL, (other, Read() as read)) if (
            may_refer(shape, read)
        ):
            return is_local_place(shape, read, name) and is_self_or_none(other, name)
        case Apply() | Part() | Condition() | Wrap() | Otherwise():
            return all(is_local(shape, part, name) for part in parts(e))
        case _:
            return False


def is_self_or_none(e: Expr, name: str | None) -> bool:
    match e:
        case Bound(bound):
            return bound == name
        case Literal(value):
            return value == NONE
        case _:
            return False


def is_local_place(shape: Shape, e: Read, name: str | None) -> bool:
    """Whether the place is shared or belongs to the process, whoever that is."""
    owned = all(is_own_or_fixed(shape, owner, name) for owner in e.owners)
    return owned and all(is_local(shape, index, name) for index in e.indices)


def is_own_or_fixed(shape: Shape, owner: Expr, name: str | None) -> bool:
    match owner:
        case Bound(bound):
            return bound == name
        case Literal(value):
            return value not in shape.process
        case _:
            return False


def may_refer(shape: Shape, e: Read) -> bool:
    return any(a in shape.process for a in atoms_of(shape.system.variable[e.variable].type))


def has_local_effect(shape: Shape, command: Command) -> bool:
    """Whether the command has one process, and its effect reads and writes only the shared part and that process."""
    name = own_process(shape, command)
    if name is None:
        return False
    for step in command.effect:
        match step:
            case Together(assignments):
                if not all(is_local_assignment(shape, assignment, name) for assignment in assignments):
                    return False
            case Require(condition):
                if not is_local(shape, condition, name):
                    return False
            case _:
                return False
    return True


def is_local_assignment(shape: Shape, assignment: Assign, name: str) -> bool:
    if may_refer(shape, assignment.target) or not is_local_place(shape, assignment.target, name):
        return False
    return is_local(shape, assignment.value, name)
