"""What a cut enumeration makes doubtful.

Where values of a parameter were not tried, steps may be missing: what is found is found, but nothing can be said to
hold, and a deadlock may be a step that was not tried. Where a formula was decided with some values untried it may have
the wrong truth value: one that quantifies ``#`` is right when it is true, one that quantifies ``!`` when it is false.
"""

from __future__ import annotations

from collections.abc import Collection

from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import SET_MAKERS
from quorbit.languages.b.syntax.formulas import Binary, Builtin, Formula, Junction, Quantifier, Unary
from quorbit.languages.b.syntax.substitutions import (
    Any,
    Assert,
    BecomesIn,
    BecomesSuch,
    Let,
    Pre,
    Select,
    Substitution,
)
from quorbit.languages.b.syntax.walk import Node, bound_names, children
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.source.span import Span

__all__ = ["has_cut", "is_doubtful", "is_sure"]

MEMBERSHIP = frozenset([":", "/:", "<:", "/<:", "<<:", "/<<:"])
TAKEN_APART = frozenset(["×", "\\/", "/\\", "\\", *ARROW])
Cuts = Collection[Span]


def has_cut(node: Node, cuts: Cuts) -> bool:
    """Whether the value or the outcomes of this depend on an enumeration that was cut."""
    if node.span in cuts or any(name.span in cuts for name in bound_names(node)):
        return True
    if isinstance(node, Binary) and node.op in MEMBERSHIP:
        return has_cut(node.left, cuts) or tests_with_cut(node.right, cuts)
    return any(has_cut(child, cuts) for child in children(node))


def tests_with_cut(s: Formula, cuts: Cuts) -> bool:
    """Whether membership of this set was decided by a cut enumeration; infinite sets are tested without listing."""
    match s:
        case Builtin():
            return False
        case Unary(op=op, argument=argument) if op in SET_MAKERS:
            return tests_with_cut(argument, cuts)
        case Binary(op=op, left=left, right=right) if op in TAKEN_APART:
            return tests_with_cut(left, cuts) or tests_with_cut(right, cuts)
    return has_cut(s, cuts)


def is_sure(p: Formula, truth: bool, cuts: Cuts) -> bool:
    """Whether a predicate that was found to have this truth value surely has it."""
    if not has_cut(p, cuts):
        return True
    match p:
        case Unary(op="not", argument=argument):
            return is_sure(argument, not truth, cuts)
        case Junction(items=items):
            return all(is_sure(item, truth, cuts) for item in items)
        case Binary(op="=>", left=left, right=right):
            return is_sure(left, not truth, cuts) and is_sure(right, truth, cuts)
        case Quantifier(op="#", predicate=predicate):
            return truth and is_sure(predicate, True, cuts)
        case Quantifier(op="!", predicate=predicate):
            return not truth and is_sure(predicate, False, cuts)
    return False


def has_sure_steps(s: Substitution, cuts: Cuts, top: bool = False) -> bool:
    """Whether every outcome that is found is one, though some may be missing."""
    if not has_cut(s, cuts):
        return True
    match s:
        case Pre(predicate=p, body=body) if top:
            return is_sure(p, True, cuts) and has_sure_steps(body, cuts, True)
        case Pre(predicate=p, body=body) | Assert(predicate=p, body=body):
            return not has_cut(p, cuts) and has_sure_steps(body, cuts)
        case Select(branches=branches, otherwise=otherwise):
            decided = all(is_sure(p, True, cuts) for p, _ in branches)
            refuted = otherwise is None or all(is_sure(p, False, cuts) for p, _ in branches)
            bodies = [body for _, body in branches] + ([] if otherwise is None else [otherwise])
            return decided and refuted and all(has_sure_steps(body, cuts) for body in bodies)
        case Any(predicate=p, body=body) | Let(definition=p, body=body):
            return is_sure(p, True, cuts) and has_sure_steps(body, cuts)
        case BecomesSuch(predicate=p):
            return is_sure(p, True, cuts)
        case BecomesIn(set=values):
            return not tests_with_cut(values, cuts)
    return all(
        has_sure_steps(child, cuts) if isinstance(child, Substitution) else not has_cut(child, cuts)
        for child in children(s)
    )


def is_doubtful(machine: TypedMachine, cuts: Cuts) -> bool:
    """Whether a state that is found may be none, so that nothing at all can be said of it."""
    starts = () if machine.initialisation is None else (machine.initialisation,)
    bodies = (*starts, *(o.body for o in machine.callable.values()))
    return not (
        all(is_sure(p, True, cuts) for p in machine.properties)
        and all(has_sure_steps(body, cuts, top=True) for body in bodies)
    )
