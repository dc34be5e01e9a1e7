"""Formulas that the operators of a System do not say: computed with the reference meaning, once for the values of the
names in them.

So are functions defined by recursion, strings made in a state, real numbers, free types, infinite sets in variables,
and solutions of conditions that depend on the state. A permutation of atoms acts on what a computation is given; what
tells atoms apart besides is given as well, in an order of its own, so that no permutation keeps it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.languages.b.lower.infinite import is_infinite
from quorbit.languages.b.lower.scope import Scope, Unlowered, literal, system_type
from quorbit.languages.b.meaning.evaluator import Endless, Env, IllDefined, Unbounded
from quorbit.languages.b.meaning.value_spelling import SPELLED, mentioned_sets, parts_of_type
from quorbit.languages.b.meaning.values import NoValue
from quorbit.languages.b.syntax.formulas import Binary, Formula, LetIn, Name, Unary
from quorbit.languages.b.syntax.show import show
from quorbit.languages.b.syntax.walk import descendants, free_names
from quorbit.languages.b.types.library import IN_ORDER
from quorbit.languages.b.types.types import PREDICATE, STRING, Free, SetOfType, Type
from quorbit.model.meaning.operators import Undefined
from quorbit.model.system.expression import Computation, Compute, Expr, Literal
from quorbit.model.system.types import AtomOf, TupleOf
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

__all__ = ["NeedsSpelling", "NeedsSymbolic"]

Given = tuple[tuple[str, Type, bool], ...]  # names, their types, and whether a set that may be infinite is handed over


class NeedsSpelling(Exception):
    """Strings are computed in a state: they are to be held as what they are made of."""


class NeedsSymbolic(Exception):
    """A variable or result may hold an infinite set."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def computed(scope: Scope, f: Formula, problem: UserError | None = None) -> Expr:
    """The value of a formula; refused where that may be an infinite set."""
    if isinstance(f.type, SetOfType) and is_infinite(scope, f):
        raise problem or Unlowered(f.span, "an infinite set is not a value here: it can be tested and applied")
    if free_names(f) <= scope.fixed.keys() and problem is not None and not is_ill_defined(scope, f):
        raise problem
    reference, spelling = scope.reference, scope.spelling

    def evaluate(env: Env) -> Any:
        if f.type == PREDICATE:
            return int(reference.holds(f, env))
        found = reference.value(f, env)
        if has_endless(found):
            raise Unbounded(f.span, "this is or holds an infinite set here and cannot be stored")
        return spelling.value(f.type, found)

    return compute(scope, f, "", evaluate)


def has_endless(x: Any) -> bool:
    return isinstance(x, Endless) or (isinstance(x, tuple | frozenset) and any(map(has_endless, x)))


def is_ill_defined(scope: Scope, f: Formula) -> bool:
    """Whether a formula that is the same in every state has no value in any."""
    try:
        scope.reference.value(f, scope.fixed)
    except IllDefined:
        return True
    except Unbounded:
        pass
    return False


def computed_set(scope: Scope, f: Formula) -> Expr:
    """A set that may be infinite, as a place that holds such sets has it."""
    reference, spelling = scope.reference, scope.spelling
    if isinstance(f, Name) and f.name in scope.symbolic:
        return scope.names[f.name]
    if free_names(f) <= scope.fixed.keys() and not is_ill_defined(scope, f):
        try:
            return Literal(spelling.set_value(f.type, reference.value(f, scope.fixed)), SPELLED, f.span)
        except Unbounded as unbounded:
            raise UserError(unbounded.span, unbounded.message) from None
    found = compute(scope, f, "as a set ", lambda env: spelling.set_value(f.type, reference.value(f, env)))
    assert isinstance(found, Compute)
    return replace(found, type=SPELLED)


def computed_elements(scope: Scope, f: Formula) -> Expr:
    """All elements of a set, one that has to be listed; what is cut then is noted when it happens."""
    reference, spelling = scope.reference, scope.spelling
    return compute(
        scope,
        f,
        "elements of ",
        lambda env: spelling.value(f.type, frozenset(reference.elements(f, env))),
    )


def compute(scope: Scope, f: Formula, what: str, evaluate: Callable[[Env], Any]) -> Expr:
    """``evaluate`` with the values of the free names of a formula."""
    names, operands = handed_over(scope, f)
    require_spelling(scope, f, names)
    spelling = scope.spelling
    known = {name: x for name, x in scope.fixed.items() if name not in {n for n, _, _ in names}}

    def run(*values: Any) -> Any:
        env = dict(known)
        try:
            for (name, of, symbolic), x in zip(names, values, strict=False):
                env[name] = spelling.set_back(x) if symbolic else spelling.back(of, x)
            return evaluate(env)
        except NoValue as problem:
            raise Undefined(str(problem)) from None
        except IllDefined as problem:
            raise Undefined(problem.message) from None
        except Unbounded as problem:
            raise UserError(problem.span, problem.message) from None
        except RecursionError:
            raise UserError(f.span, "a function calls itself too often here") from None

    text = f"{what}{show(f)} : {f.type} of {', '.join(f'{name} : {of}' for name, of, _ in names)}"
    pinned = [Literal(atoms, TupleOf((AtomOf(atoms),) * len(atoms))) for atoms in pins(scope, f, names)]
    return Compute(Computation(text, run), (*operands, *pinned), system_type(scope.universe, f.type), f.span)


def handed_over(scope: Scope, f: Formula) -> tuple[Given, list[Expr]]:
    """What the state or a symmetry may change: names of the state, and constants that mention atoms."""
    types = {n.name + "$0" * n.old: n.type for n in descendants(f) if isinstance(n, Name)}
    names: list[tuple[str, Type, bool]] = []
    operands: list[Expr] = []
    for name in sorted(free_names(f)):
        of = types[name]
        if name in scope.names:
            names.append((name, of, name in scope.symbolic))
            operands.append(scope.names[name])
        elif name in scope.fixed and not isinstance(scope.fixed[name], Endless) and mentions_atom(scope, name, of):
            names.append((name, of, False))
            operands.append(literal(scope, scope.fixed[name], of, f.span))
    return tuple(names), operands


def mentions_atom(scope: Scope, name: str, of: Type) -> bool:
    """Whether a constant tells atoms apart; a given set itself does not."""
    return name not in scope.universe.atoms and any(True for _ in mentioned_sets(scope.universe, of))


def require_spelling(scope: Scope, f: Formula, names: Given) -> None:
    if not scope.universe.spelled and any(has_string(of) for of in (f.type, *(of for _, of, _ in names))):
        raise NeedsSpelling


def has_string(of: Type) -> bool:
    return of == STRING or any(has_string(part) for part in parts_of_type(of))


def pins(scope: Scope, f: Formula, names: Given) -> list[tuple[int, ...]]:
    """The given sets whose elements a computation tells apart by more than what it is handed."""
    universe = scope.universe
    hidden = [of for _, of, symbolic in names if symbolic] + [t for _, of, _ in names for t in free_types(of)]
    hidden += free_types(f.type)
    for node in descendants(f):
        match node:
            case Unary(op=op, argument=argument) | Binary(op=op, left=argument) if op in IN_ORDER:
                hidden.append(argument.type)
            case LetIn(names=bound):
                hidden += [n.type for n in bound]
            case Name(name=name) if isinstance(infinite := scope.fixed.get(name), Endless):
                hidden += [
                    n.type
                    for n in descendants(infinite.formula)
                    if isinstance(n, Name) and n.name in infinite.env and n.name not in universe.atoms
                ]
    if is_infinite_set(scope, f):
        hidden.append(f.type)
    sets = dict.fromkeys(name for of in hidden for name in mentioned_sets(universe, of))
    return [universe.atoms[name] for name in sets]


def is_infinite_set(scope: Scope, f: Formula) -> bool:
    return isinstance(f.type, SetOfType) and is_infinite(scope, f)


def free_types(of: Type) -> list[Type]:
    if isinstance(of, Free):
        return [of]
    return [t for part in parts_of_type(of) for t in free_types(part)]
