"""Types of substitutions: targets and values agree, calls fit their operations."""

from __future__ import annotations

from quorbit.languages.b.meaning.externals import is_saying
from quorbit.languages.b.syntax.formulas import Apply, Field, Formula, Name
from quorbit.languages.b.syntax.substitutions import (
    Any,
    Assert,
    Assign,
    BecomesIn,
    BecomesSuch,
    Call,
    Case,
    Choice,
    If,
    Let,
    Parallel,
    Pre,
    Select,
    Sequence,
    Skip,
    Substitution,
    Var,
    While,
)
from quorbit.languages.b.types.infer_formulas import Inference, Scope, bind, demand, infer, predicate
from quorbit.languages.b.types.types import INTEGER, SetOfType, Type, product
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace


@frozen
class Signature:
    """Types of an operation's results and parameters."""

    results: tuple[Type, ...]
    parameters: tuple[Type, ...]


@frozen
class Context:
    """What a substitution may use: types of names, which of them it may assign, and the operations."""

    to: Inference
    scope: Scope
    writable: frozenset[str]
    operations: dict[str, Signature]

    def with_names(self, names: tuple[Name, ...], writable: bool = False) -> tuple[tuple[Name, ...], Context]:
        typed, scope = bind(self.to, self.scope, names)
        texts = frozenset(n.name for n in names)
        return typed, replace(self, scope=scope, writable=self.writable | texts if writable else self.writable - texts)


def infer_substitution(c: Context, s: Substitution) -> Substitution:
    match s:
        case Skip():
            return s
        case Assign(targets=targets, values=values):
            return infer_assign(c, s, targets, values)
        case BecomesIn(targets=targets, set=values):
            targets = tuple(infer_target(c, t) for t in targets)
            wanted = SetOfType(product(tuple(t.type for t in targets)))
            return replace(s, targets=targets, set=infer(c.to, c.scope, values, wanted))
        case BecomesSuch(targets=targets, predicate=condition):
            names = tuple(t for t in (infer_target(c, t) for t in targets) if isinstance(t, Name))
            return replace(s, targets=names, predicate=predicate(c.to, c.scope, condition))
        case Pre(predicate=condition, body=body) | Assert(predicate=condition, body=body):
            condition = predicate(c.to, c.scope, condition)
            return replace(s, predicate=condition, body=infer_substitution(c, body))
        case Choice(options=options):
            return replace(s, options=tuple(infer_substitution(c, o) for o in options))
        case If() | Select():
            branches = tuple((predicate(c.to, c.scope, p), infer_substitution(c, b)) for p, b in s.branches)
            return replace(s, branches=branches, otherwise=infer_optional(c, s.otherwise))
        case Case():
            return infer_case_of(c, s)
        case Sequence(parts=parts) | Parallel(parts=parts):
            return replace(s, parts=tuple(infer_substitution(c, p) for p in parts))
        case While():
            return infer_while(c, s)
        case Call():
            return infer_call(c, s)
    return infer_with_names(c, s)


def infer_optional(c: Context, s: Substitution | None) -> Substitution | None:
    return None if s is None else infer_substitution(c, s)


def infer_with_names(c: Context, s: Substitution) -> Substitution:
    match s:
        case Any(names=names, predicate=condition, body=body):
            names, inner = c.with_names(names)
            condition = predicate(c.to, inner.scope, condition)
            return replace(s, names=names, predicate=condition, body=infer_substitution(inner, body))
        case Let(names=names, definition=definition, body=body):
            names, inner = c.with_names(names)
            definition = predicate(c.to, inner.scope, definition)
            return replace(s, names=names, definition=definition, body=infer_substitution(inner, body))
        case Var(names=names, body=body):
            names, inner = c.with_names(names, writable=True)
            return replace(s, names=names, body=infer_substitution(inner, body))
    raise AssertionError(s)


def infer_target(c: Context, target: Formula) -> Formula:
    """Something that can be assigned: x, f(y), r'a."""
    base = target
    while isinstance(base, Apply | Field):
        base = base.function if isinstance(base, Apply) else base.record
    if not isinstance(base, Name) or base.old:
        raise UserError(target.span, "this cannot be assigned")
    if base.name in c.scope and base.name not in c.writable:
        raise UserError(target.span, f"{base.name} is not a variable and cannot be assigned")
    return infer(c.to, c.scope, target)


def infer_assign(c: Context, s: Assign, targets: tuple[Formula, ...], values: tuple[Formula, ...]) -> Substitution:
    targets = tuple(infer_target(c, t) for t in targets)
    typed = tuple(infer(c.to, c.scope, v, t.type) for t, v in zip(targets, values, strict=True))
    return replace(s, targets=targets, values=typed)


def infer_case_of(c: Context, s: Case) -> Substitution:
    subject = infer(c.to, c.scope, s.subject)
    branches = tuple(
        (tuple(infer(c.to, c.scope, label, subject.type) for label in labels), infer_substitution(c, body))
        for labels, body in s.branches
    )
    return replace(s, subject=subject, branches=branches, otherwise=infer_optional(c, s.otherwise))


def infer_while(c: Context, s: While) -> Substitution:
    return replace(
        s,
        condition=predicate(c.to, c.scope, s.condition),
        body=infer_substitution(c, s.body),
        invariant=predicate(c.to, c.scope, s.invariant),
        variant=infer(c.to, c.scope, s.variant, INTEGER),
    )


def infer_call(c: Context, s: Call) -> Substitution:
    signature = c.operations.get(s.operation)
    if signature is None:
        if is_saying(s.operation) and not s.targets:
            return Skip(s.span)
        raise UserError(s.span, f"there is no operation {s.operation}")
    if len(s.arguments) != len(signature.parameters):
        raise UserError(s.span, f"{s.operation} takes {len(signature.parameters)} arguments, not {len(s.arguments)}")
    if len(s.targets) != len(signature.results):
        raise UserError(s.span, f"{s.operation} has {len(signature.results)} results, not {len(s.targets)}")
    arguments = tuple(infer(c.to, c.scope, a, t) for a, t in zip(s.arguments, signature.parameters, strict=True))
    targets = tuple(infer_target(c, t) for t in s.targets)
    for target, wanted in zip(targets, signature.results, strict=True):
        demand(target.span, wanted, target.type)
    return replace(s, arguments=arguments, targets=targets)
