"""Parameters whose values conditions choose from many: solved while the machine is read, or once for the values in a
state that the conditions mention."""

from __future__ import annotations

from itertools import islice
from typing import Any

from quorbit.languages.b.lower.binding import bind_pattern
from quorbit.languages.b.lower.computed import compute
from quorbit.languages.b.lower.scope import Scope, hull, literal
from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import Env, IllDefined, Unbounded
from quorbit.languages.b.meaning.plan import (
    POWERSET,
    Anything,
    Member,
    Range,
    Step,
    Subset,
    rank_of_set,
    settles,
)
from quorbit.languages.b.syntax.formulas import Binary, Comprehension, Formula, Junction, Name, Unary
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.types import BOOL, PREDICATE, Given, PairType, RecordType, SetOfType, Type
from quorbit.model.system.expression import Parameter

MOST_SOLUTIONS = 20_000  # of conditions that do not depend on the state
MANY_BITS = 12  # of a set whose subsets are rather solved for than gone through
MANY = 1 << MANY_BITS
Solved = tuple[Parameter, Scope, tuple[Formula, ...]]


def bind_solved(scope: Scope, step: Step, conditions: tuple[Formula, ...], keep: bool = False) -> Solved | None:
    """A parameter for a name whose values are many before conditions thin them out; these are told, for they hold."""
    name = name_of(step)
    if name is None:
        return None
    return solved_now(scope, step, name, conditions, keep) or solved_later(scope, step, name, conditions, keep)


def name_of(step: Step) -> Name | None:
    """The name that a step binds if its values may be many."""
    match step:
        case Member(pattern=Name() as name, set=s) if rank_of_set(s) >= POWERSET:
            return name
        case Subset(name=name) | Anything(name=name) if not isinstance(name.type, Given) and name.type != BOOL:
            return name
        case Range(name=name) if not (step.low and step.high):
            return name
    return None


def thins_out(step: Step, conditions: tuple[Formula, ...]) -> bool:
    """Whether conditions say more than where the values come from."""
    from_conjunct = isinstance(step, Member | Subset)
    return len(conditions) > from_conjunct and (not from_conjunct or any(settles(step, c) for c in conditions))


def solved_now(scope: Scope, step: Step, name: Name, conditions: tuple[Formula, ...], keep: bool) -> Solved | None:
    """By conditions that do not depend on the state."""
    fixed = tuple(
        c for c in conditions if name.name in free_names(c) and free_names(c) - {name.name} <= scope.fixed.keys()
    )
    if not thins_out(step, fixed):
        return None
    try:
        found = list(islice(scope.reference.solve_together((name,), fixed, scope.fixed), MOST_SOLUTIONS + 1))
    except (IllDefined, Unbounded):
        return None
    if len(found) > MOST_SOLUTIONS:
        return None
    values = literal(scope, frozenset(env[name.name] for env in found), SetOfType(name.type), name.span)
    parameter, inner, _ = bind_pattern(scope, name, values, name.type, frozenset({name.name}), keep)
    return parameter, inner, fixed


def solved_later(scope: Scope, step: Step, name: Name, conditions: tuple[Formula, ...], keep: bool) -> Solved | None:
    """By conditions about the state, once for the values that they mention, where candidates are very many."""
    known = scope.names.keys() | scope.fixed.keys()
    about = tuple(c for c in conditions if name.name in free_names(c) and free_names(c) - {name.name} <= known)
    if isinstance(step, Range) or not thins_out(step, about) or not has_many(scope, step, name.type):
        return None
    whole = SetOfType(name.type)
    together = about[0] if len(about) == 1 else Junction(name.span, "&", about, type=PREDICATE)
    described = Comprehension(name.span, (name,), together, type=whole)
    reference, spelling = scope.reference, scope.spelling

    def evaluate(env: Env) -> Any:
        return spelling.value(
            whole, frozenset(found[name.name] for found in reference.solve_deeply((name,), about, env))
        )

    values = compute(scope, described, "solutions ", evaluate)
    parameter, inner, _ = bind_pattern(scope, name, values, name.type, frozenset({name.name}), keep)
    return parameter, inner, about


def has_many(scope: Scope, step: Step, of: Type) -> bool:
    """Whether a step has very many candidates, as far as constants and types tell; numbers count as many."""
    match step:
        case Subset(set=s) | Member(set=Unary(op="POW" | "POW1" | "FIN" | "FIN1", argument=s)):
            return side_size(scope, s) > MANY_BITS
        case Member(set=Binary(op=op, left=left, right=right)) if op in ARROW:
            a, b = side_size(scope, left), side_size(scope, right)
            return (b + 1) ** min(a, MANY) > MANY if ARROW[op].function else a * b > MANY_BITS
        case Member(set=Unary(op="perm" | "iseq" | "iseq1", argument=s)):
            return side_size(scope, s) > 6
        case Anything():
            return size_of_type(scope, of) > MANY
    return False


def side_size(scope: Scope, s: Formula) -> int:
    found = hull(scope, s)
    if found is not None:
        return len(found)
    assert isinstance(s.type, SetOfType)
    return size_of_type(scope, s.type.element)


def size_of_type(scope: Scope, of: Type) -> int:
    match of:
        case Given(name):
            return len(scope.universe.atoms[name])
        case PairType(left, right):
            return size_of_type(scope, left) * size_of_type(scope, right)
        case RecordType(fields):
            total = 1
            for _, t in fields:
                total *= size_of_type(scope, t)
            return total
        case SetOfType(element):
            return 1 << min(size_of_type(scope, element), 64)
    return 2 if of == BOOL else MANY + 1
