"""Which variables statements may change, by name: so it is known what has to be kept aside before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.languages.murphi.lower.frame import Context
from quorbit.languages.murphi.syntax.program import (
    AliasStatement,
    Assignment,
    Claim,
    Clear,
    ErrorStatement,
    For,
    If,
    MultisetAdd,
    MultisetRemove,
    MultisetRemoveIf,
    ProcedureCall,
    Put,
    Return,
    Routine,
    Statement,
    Switch,
    Undefine,
    VariableDeclaration,
    While,
)
from quorbit.languages.murphi.syntax.terms import (
    Binary,
    Call,
    ElementOf,
    Expression,
    FieldOf,
    IsMember,
    IsUndefined,
    MultisetCount,
    Quantified,
    Ternary,
    Unary,
    Word,
)

Roots = dict[str, str]  # what a name stands for: the name of a variable


def changed_by(context: Context, statements: Iterable[Statement], roots: Roots) -> frozenset[str]:
    """The names of the variables that the statements may change."""
    found: set[str] = set()
    for statement in statements:
        match statement:
            case Assignment(target) | Clear(target) | Undefine(target):
                found |= root_of(target, roots)
            case MultisetAdd(set=target) | MultisetRemove(set=target) | MultisetRemoveIf(set=target):
                found |= root_of(target, roots)
            case AliasStatement(aliases, body):
                inner = dict(roots)
                for alias in aliases:
                    inner[alias.name.text] = next(iter(root_of(alias.value, inner)), "")
                found |= changed_by(context, body, inner)
            case ProcedureCall(call):
                found |= changed_by_call(context, call, roots)
            case _:
                pass
        for inside in blocks(statement):
            found |= changed_by(context, inside, roots)
        for call in calls_in(statement):
            found |= changed_by_call(context, call, roots)
    return frozenset(found)


def changed_by_call(context: Context, call: Call, roots: Roots) -> frozenset[str]:
    routine = context.program.routines.get(call.name.text)
    if routine is None:
        return frozenset()
    own = changed_by_routine(context, routine)
    found = {name for name in own if not name.startswith("&")}
    for formal, argument in zip(routine.formals, call.arguments, strict=False):
        if f"&{formal.name.text}" in own:
            found |= root_of(argument, roots)
    return frozenset(found)


def changed_by_routine(context: Context, routine: Routine) -> frozenset[str]:
    """The variables a routine may change, and with an & the parameters."""
    known = context.written.get(id(routine))
    if known is None:
        context.written[id(routine)] = frozenset()  # for a routine that calls itself, which is refused elsewhere
        roots = {formal.name.text: f"&{formal.name.text}" for formal in routine.formals}
        for declaration in routine.declarations:
            if isinstance(declaration, VariableDeclaration):
                roots.update({name.text: "" for name in declaration.names})
        known = context.written[id(routine)] = changed_by(context, routine.body, roots) - {""}
    return known


def level_of(context: Context, routine: Routine) -> int:
    """One more than the levels of all routines that it calls."""
    if id(routine) not in context.levels:
        context.levels[id(routine)] = 0  # for a routine that calls itself, which is refused elsewhere
        called = (context.program.routines.get(name) for name in called_by(routine.body))
        context.levels[id(routine)] = 1 + max((level_of(context, r) for r in called if r is not None), default=0)
    return context.levels[id(routine)]


def called_by(statements: Iterable[Statement]) -> Iterator[str]:
    """The names of the routines that statements call."""
    for statement in statements:
        if isinstance(statement, ProcedureCall):
            yield statement.call.name.text
        yield from (call.name.text for call in calls_in(statement))
        inside = [statement.body] if isinstance(statement, AliasStatement) else blocks(statement)
        for body in inside:
            yield from called_by(body)


def root_of(e: Expression, roots: Roots) -> set[str]:
    match e:
        case Word(text):
            return {roots.get(text, text)}
        case FieldOf(base) | ElementOf(base):
            return root_of(base, roots)
        case _:
            return set()


def blocks(statement: Statement) -> Iterator[tuple[Statement, ...]]:
    """The statements inside a statement; those of an alias have names of their own."""
    match statement:
        case If(arms, other):
            yield from (body for _, body in arms)
            yield other
        case Switch(_, cases, other):
            yield from (body for _, body in cases)
            yield other
        case For(body=body) | While(body=body):
            yield body
        case _:
            pass


def calls_in(statement: Statement) -> Iterator[Call]:
    """The function calls in the expressions of a statement itself."""
    for e in expressions_in(statement):
        yield from calls_of(e)


def expressions_in(statement: Statement) -> Iterator[Expression]:
    match statement:
        case Assignment(target, value):
            yield from (target, value)
        case If(arms):
            yield from (test for test, _ in arms)
        case Switch(subject, cases):
            yield subject
            yield from (value for values, _ in cases for value in values)
        case While(test):
            yield test
        case ProcedureCall(call):
            yield from call.arguments
        case Clear(target) | Undefine(target):
            yield target
        case Claim(condition=condition) | MultisetRemoveIf(condition=condition):
            yield condition
        case Put(value) if not isinstance(value, str):
            yield value
        case AliasStatement(aliases):
            yield from (alias.value for alias in aliases)
        case Return(value) if value is not None:
            yield value
        case MultisetAdd(element, set):
            yield from (element, set)
        case MultisetRemove(index, set):
            yield from (index, set)
        case For(quantifiers):
            yield from (bound for q in quantifiers for bound in (q.low, q.high) if bound is not None)
        case Put() | Return() | ErrorStatement():
            pass


def calls_of(e: Expression) -> Iterator[Call]:
    if isinstance(e, Call):
        yield e
    for part in parts_of(e):
        yield from calls_of(part)


def parts_of(e: Expression) -> tuple[Expression, ...]:
    match e:
        case FieldOf(base):
            return (base,)
        case ElementOf(base, index):
            return base, index
        case Call(_, arguments):
            return arguments
        case Unary(_, operand) | IsUndefined(operand) | IsMember(operand):
            return (operand,)
        case Binary(_, left, right):
            return left, right
        case Ternary(test, then, other):
            return test, then, other
        case Quantified(body=body):
            return (body,)
        case MultisetCount(set=set, condition=condition):
            return set, condition
        case _:
            return ()


def may_return(statements: Iterable[Statement]) -> bool:
    for statement in statements:
        if isinstance(statement, Return):
            return True
        if isinstance(statement, AliasStatement) and may_return(statement.body):
            return True
        if any(map(may_return, blocks(statement))):
            return True
    return False


def always_returns(statements: tuple[Statement, ...]) -> bool:
    """Whether the last statement returns whatever happens."""
    if not statements:
        return False
    match statements[-1]:
        case Return() | ErrorStatement():
            return True
        case If(arms, other):
            return always_returns(other) and all(always_returns(body) for _, body in arms)
        case Switch(_, cases, other):
            return always_returns(other) and all(always_returns(body) for _, body in cases)
        case AliasStatement(body=body):
            return always_returns(body)
        case _:
            return False
