"""Which sets may be infinite, as far as their form tells."""

from __future__ import annotations

from quorbit.languages.b.lower.scope import Scope
from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import ENDLESS_MAKERS, Endless
from quorbit.languages.b.meaning.plan import Anything, Member, Range, Step, Subset, is_cut, make_plan
from quorbit.languages.b.syntax.formulas import (
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Formula,
    LetIn,
    Name,
    Record,
    Unary,
)
from quorbit.languages.b.syntax.parse_machine import conjuncts

ENDLESS_WORDS = frozenset(["INTEGER", "NATURAL", "NATURAL1", "STRING", "REAL", "FLOAT", "succ", "pred"])
OF_ARGUMENT = frozenset(
    ["POW", "POW1", "FIN", "FIN1", "iseq", "iseq1", "perm", "dom", "ran", "~", "id", "closure1", "fnc", "rel"]
)
OF_EITHER = frozenset(["\\/", "×", "<+", "><", "||", *ARROW])
OF_LEFT = frozenset(["\\", "|>", "|>>", ";"])


def is_infinite(scope: Scope, s: Formula) -> bool:
    """Whether a set may have infinitely many elements."""
    match s:
        case Name(name=name):
            return name in scope.symbolic or (name not in scope.names and isinstance(scope.fixed.get(name), Endless))
        case Builtin(name=name):
            return name in ENDLESS_WORDS
        case Unary(op=op) if op in ENDLESS_MAKERS:
            return True
        case Unary(op=op, argument=argument):
            return op in OF_ARGUMENT and is_infinite(scope, argument)
        case Binary(op="/\\" | "<|", left=left, right=right):
            return is_infinite(scope, left) and is_infinite(scope, right)
        case Binary(op="[]", left=left, right=right):
            return is_infinite(scope, left) and is_infinite(scope, right)
        case Binary(op="<<|", right=right):
            return is_infinite(scope, right)
        case Binary(op=op, left=left, right=right) if op in OF_EITHER:
            return is_infinite(scope, left) or is_infinite(scope, right)
        case Binary(op=op, left=left) if op in OF_LEFT:
            return is_infinite(scope, left)
        case Record(op="struct", fields=fields):
            return any(is_infinite(scope, f) for _, f in fields)
        case Comprehension(names=names, predicate=predicate) | Binder(op="%", names=names, predicate=predicate):
            hidden = scope.having({})
            return any(is_unbounded(hidden, step) for step in make_plan(names, conjuncts(predicate)))
        case Conditional(then=then, otherwise=otherwise):
            return is_infinite(scope, then) or is_infinite(scope, otherwise)
        case LetIn(body=body):
            return is_infinite(scope, body)
    return False


def is_unbounded(scope: Scope, step: Step) -> bool:
    match step:
        case Range() | Anything():
            return is_cut(step)
        case Member(set=s) | Subset(set=s):
            return is_infinite(scope, s)
    return False
