"""Total functions found pair by pair: a condition that is false for what is known so far ends the attempt.

Only conditions in which the function is applied and nothing else is done with it can be asked before it is complete:
on a part of the function they are ill-defined or have the value they will have in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW, Arrow
from quorbit.languages.b.meaning.evaluator import Env, Evaluator, IllDefined
from quorbit.languages.b.meaning.plan import Check, Member, Step
from quorbit.languages.b.syntax.formulas import Apply, Binary, Formula, Junction, Name, Quantifier, Unary
from quorbit.languages.b.syntax.walk import bound_names, children
from quorbit.model.meaning.operators import sorted_elements


def early_checks(steps: tuple[Step, ...], name: str) -> tuple[Formula, ...]:
    """The checks that come right after a step and only apply the function it binds."""
    found: list[Formula] = []
    for step in steps:
        if not isinstance(step, Check):
            break
        if only_applied(step.condition, name):
            found.append(step.condition)
    return tuple(found)


def only_applied(f: Any, name: str) -> bool:
    """Whether the name stands only before brackets: name(e)."""
    if isinstance(f, Name):
        return f.name != name
    if name in {n.name for n in bound_names(f)}:
        return True
    if isinstance(f, Apply) and isinstance(f.function, Name) and f.function.name == name:
        return all(only_applied(argument, name) for argument in f.arguments)
    return all(only_applied(child, name) for child in children(f))


def function_space(step: Member) -> tuple[Arrow, Formula | None, Formula] | None:
    """The arrow, domain and range of a step that binds a name to a total function; no domain for perm(S)."""
    match step:
        case Member(pattern=Name(), set=Binary(op=op, left=left, right=right)) if op in ARROW:
            return (ARROW[op], left, right) if ARROW[op].total and ARROW[op].function else None
        case Member(pattern=Name(), set=Unary(op="perm", argument=argument)):
            return Arrow(total=True, injective=True, surjective=True), None, argument
    return None


def grow(
    evaluator: Evaluator, name: str, space: tuple[Arrow, list[Any], list[Any]], checks: tuple[Formula, ...], env: Env
) -> Iterator[frozenset[Any]]:
    """All functions of the space for which no check is false, in the order of their values."""
    arrow, domain, image = space

    def extend(pairs: tuple[tuple[Any, Any], ...]) -> Iterator[frozenset[Any]]:
        known = frozenset(pairs)
        used = {y for _, y in pairs}
        if arrow.surjective and len(image) - len(used) > len(domain) - len(pairs):
            return
        if pairs and any(is_false(evaluator, c, {**env, name: known}) for c in checks):
            return
        if len(pairs) == len(domain):
            yield known
            return
        for y in image:
            if not (arrow.injective and y in used):
                yield from extend((*pairs, (domain[len(pairs)], y)))

    return extend(())


def sides(
    evaluator: Evaluator, space: tuple[Arrow, Formula | None, Formula], env: Env, cut: bool
) -> tuple[Arrow, list[Any], list[Any]]:
    arrow, left, right = space
    image = sorted_elements(frozenset(evaluator.elements(right, env, cut)))
    if left is None:
        return arrow, list(range(1, len(image) + 1)), image
    domain = sorted_elements(frozenset(evaluator.elements(left, env, cut)))
    return arrow, domain, image


def is_false(evaluator: Evaluator, p: Formula, env: Env) -> bool:
    """Whether a condition is false whatever the missing pairs are."""
    match p:
        case Junction(op="&", items=items):
            return any(is_false(evaluator, item, env) for item in items)
        case Quantifier(op="!", names=names, predicate=Binary(op="=>", left=left, right=right)):
            return has_false_instance(evaluator, names, left, right, p, env)
    try:
        return not evaluator.holds(p, env)
    except IllDefined:
        return False


def has_false_instance(
    evaluator: Evaluator, names: tuple[Name, ...], left: Formula, right: Formula, key: Formula, env: Env
) -> bool:
    try:
        for inner in evaluator.solve(names, evaluator.parts(left), env, key):
            if is_false(evaluator, right, inner):
                return True
    except IllDefined:
        pass
    return False
