"""Functions that only compute: a call becomes an expression.

The body is followed along its ways; a local variable stands for the expression that was assigned to it last.  A way
that ends without ``return`` has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.languages.murphi.lower.changes import blocks, calls_in, may_return
from quorbit.languages.murphi.lower.frame import Context, Frame
from quorbit.languages.murphi.lower.quantifiers import Lower, LowerDesignator, members, type_of
from quorbit.languages.murphi.lower.store import Spot
from quorbit.languages.murphi.lower.typed import Typed, limits_of
from quorbit.languages.murphi.resolve import resolve_type
from quorbit.languages.murphi.syntax import (
    AliasStatement,
    Assignment,
    Binary,
    Expression,
    For,
    If,
    Put,
    Quantifier,
    Return,
    Routine,
    Statement,
    Switch,
    VariableDeclaration,
    While,
    Word,
)
from quorbit.languages.murphi.types import Boolean, Type, is_simple, size_of
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import (
    Apply,
    Condition,
    Expr,
    Literal,
    Operator,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.source.errors import UserError
from quorbit.source.span import Span

Next = Callable[[Frame], Expr]
MOST_ROUNDS = 64  # of a loop
LARGEST = 4_000  # parts of the expression that a call may become


def is_pure(context: Context, routine: Routine) -> bool:
    """Whether a call can become an expression."""
    if routine.name.text not in context.pure:
        context.pure[routine.name.text] = False  # for a function that calls itself, which is refused elsewhere
        context.pure[routine.name.text] = find_pure(context, routine)
    return context.pure[routine.name.text]


def find_pure(context: Context, routine: Routine) -> bool:
    if routine.result is None or not is_simple(resolve_type(context.scope, routine.result)):
        return False
    locals: set[str] = set()
    for declaration in routine.declarations:
        if not isinstance(declaration, VariableDeclaration):
            return False
        if not is_simple(resolve_type(context.scope, declaration.type)):
            return False
        locals |= {name.text for name in declaration.names}
    return all(is_pure_statement(context, statement, locals) for statement in routine.body)


def is_pure_statement(context: Context, statement: Statement, locals: set[str]) -> bool:
    called = [context.program.routines.get(call.name.text) for call in calls_in(statement)]
    if not all(routine is not None and is_pure(context, routine) for routine in called):
        return False
    match statement:
        case Assignment(Word(text)):
            return text in locals
        case If() | Switch():
            inside = blocks(statement)
            return all(is_pure_statement(context, s, locals) for body in inside for s in body)
        case For(quantifiers, body):
            constant = all(q.type is not None for q in quantifiers)
            return constant and all(is_pure_statement(context, s, locals) for s in body)
        case AliasStatement(_, body) | While(body=body):
            return all(is_pure_statement(context, s, locals) for s in body)
        case Return() | Put():
            return True
        case _:
            return False


class PureCall:
    """One call, written out as an expression."""

    def __init__(self, routine: Routine, type: Type, span: Span, lower: Lower, designate: LowerDesignator) -> None:
        self.routine, self.type, self.span = routine, type, span
        self.lower, self.designate = lower, designate
        self.locals: dict[str, Type] = {}
        self.parts = 0

    def value(self, frame: Frame) -> Typed:
        """The value of the call; ``frame`` knows the parameters."""
        for declaration in self.routine.declarations:
            assert isinstance(declaration, VariableDeclaration)
            type = resolve_type(frame.scope, declaration.type)
            for name in declaration.names:
                self.locals[name.text] = type
                frame = frame.bind({name.text: self.nothing(frame, type)})
        found = self.run(frame, self.routine.body, lambda inner: self.nothing(inner, self.type).expr)
        return Typed(found, self.type, self.span, False, limits_of(self.type))

    def nothing(self, frame: Frame, type: Type) -> Typed:
        absent = frame.context.store.absent(type, self.span)  # type: ignore[arg-type]
        return Typed(Apply(Operator.PRESENT, (absent, absent), self.span), type, self.span)

    def run(self, frame: Frame, statements: tuple[Statement, ...], following: Next) -> Expr:
        """The value that is returned by the statements, or by what follows them."""
        if not statements:
            return following(frame)
        self.count()
        first, rest = statements[0], statements[1:]

        def continue_after_errors(inner: Frame) -> Expr:
            return self.run(self.locals_of(inner, frame), rest, following)

        if not may_return([first]):
            return continue_after_errors(self.straight(frame, first))
        match first:
            case Return(value):
                assert value is not None
                return frame.context.values.convert(self.lower(frame, value), self.type)
            case If() | Switch():
                return self.choose(frame, ways_of(first), lambda f, body: self.run(f, body, continue_after_errors))
            case AliasStatement(aliases, body):
                inner = frame
                for alias in aliases:
                    inner = inner.bind({alias.name.text: self.designate(inner, alias.value)})
                return self.run(inner, body, continue_after_errors)
            case For(quantifiers, body):
                return self.loop(frame, list(quantifiers), body, continue_after_errors)
            case While():
                return self.repeat(frame, first, self.most_rounds(first), continue_after_errors)
        raise AssertionError(first)

    def repeat(self, frame: Frame, loop: While, left: int, following: Next) -> Expr:
        """The rounds of a loop, as many as there can be."""
        condition = frame.context.values.as_truth(self.lower(frame, loop.test))

        def again(inner: Frame) -> Expr:
            if not left:
                return self.nothing(inner, self.type).expr
            return self.repeat(self.locals_of(inner, frame), loop, left - 1, following)

        return self.either(condition, self.run(frame, loop.body, again), following(frame))

    def either(self, condition: Expr, a: Expr, b: Expr) -> Expr:
        return either_truth(condition, a, b) if isinstance(self.type, Boolean) else fold(Condition(condition, a, b))

    def most_rounds(self, loop: While) -> int:
        """A loop changes nothing but locals, so it never ends after more rounds than these have values together."""
        assigned = {e.text for e in targets(loop.body) if isinstance(e, Word)}
        total = 1
        for name in assigned:
            total *= size_of(self.locals[name])  # type: ignore[arg-type]
        if total > MOST_ROUNDS:
            raise UserError(loop.span, f"this loop may take more than {MOST_ROUNDS} rounds; it cannot be used here")
        return total

    def loop(self, frame: Frame, quantifiers: list[Quantifier], body: tuple[Statement, ...], following: Next) -> Expr:
        if not quantifiers:
            return self.run(frame, body, following)
        q, *rest = quantifiers
        values = self.values_of(frame, q)

        def from_number(k: int, inner: Frame) -> Expr:
            if k == len(values):
                return following(inner)
            bound = inner.bind({q.name.text: values[k]})
            return self.loop(bound, rest, body, lambda after: from_number(k + 1, after))

        return from_number(0, frame)

    def values_of(self, frame: Frame, q: Quantifier) -> list[Typed]:
        type = type_of(frame, q)
        assert type is not None
        return members(frame, q, type)

    def choose(
        self,
        frame: Frame,
        ways: list[tuple[Expression | None, tuple[Statement, ...]]],
        run: Callable[[Frame, tuple[Statement, ...]], Expr],
    ) -> Expr:
        (test, body), *others = ways
        if test is None:
            return run(frame, body)
        condition = frame.context.values.as_truth(self.lower(frame, test))
        return self.either(condition, run(frame, body), self.choose(frame, others, run))

    def locals_of(self, inner: Frame, outer: Frame) -> Frame:
        """The outer names with the values that the locals have inside."""
        return outer.bind({name: inner.names[name] for name in self.locals})

    # Statements that do not return.

    def straight(self, frame: Frame, statement: Statement) -> Frame:
        """The frame after a statement that does not return."""
        self.count()
        match statement:
            case Assignment(Word(text), value):
                type = self.locals[text]
                found = self.lower(frame, value)
                e = frame.context.values.convert(found, type)
                return frame.bind({text: Typed(e, type, value.span, found.fixed, limits_of(type))})
            case If() | Switch():
                return self.merged(frame, ways_of(statement))
            case For(quantifiers, body):
                return self.locals_of(self.straight_loop(frame, list(quantifiers), body), frame)
            case AliasStatement(aliases, body):
                inner = frame
                for alias in aliases:
                    inner = inner.bind({alias.name.text: self.designate(inner, alias.value)})
                return self.locals_of(self.straight_all(inner, body), frame)
            case While(test, body):
                for _ in range(self.most_rounds(statement)):
                    frame = self.merged(frame, [(test, body), (None, ())])
                return frame
            case _:
                return frame

    def straight_all(self, frame: Frame, statements: tuple[Statement, ...]) -> Frame:
        for statement in statements:
            frame = self.straight(frame, statement)
        return frame

    def straight_loop(self, frame: Frame, quantifiers: list[Quantifier], body: tuple[Statement, ...]) -> Frame:
        if not quantifiers:
            return self.straight_all(frame, body)
        q, *rest = quantifiers
        for value in self.values_of(frame, q):
            frame = self.straight_loop(frame.bind({q.name.text: value}), rest, body)
        return frame

    def merged(self, frame: Frame, ways: list[tuple[Expression | None, tuple[Statement, ...]]]) -> Frame:
        (test, body), *others = ways
        if test is None:
            return self.straight_all(frame, body)
        condition = frame.context.values.as_truth(self.lower(frame, test))
        then, other = self.straight_all(frame, body), self.merged(frame, others)
        names: dict[str, Typed | Spot] = {}
        for name, type in self.locals.items():
            a, b = then.names[name], other.names[name]
            assert isinstance(a, Typed)
            assert isinstance(b, Typed)
            if a.expr is not b.expr:
                join = either_truth if isinstance(type, Boolean) else either
                names[name] = Typed(join(condition, a.expr, b.expr), type, a.span, False, limits_of(type))
        return frame.bind(names)

    def count(self) -> None:
        self.parts += 1
        if self.parts > LARGEST:
            raise UserError(self.span, f"the function {self.routine.name.text} has too many ways to be used here")


def either(condition: Expr, a: Expr, b: Expr) -> Expr:
    """One or the other; a sum is counted up without writing it twice."""
    match a, b:
        case Apply(Operator.ADD, (first, more)), _ if first is b or first == b:
            return Apply(Operator.ADD, (b, Condition(condition, more, number(0))))
        case _, Apply(Operator.ADD, (first, more)) if first is a or first == a:
            return Apply(Operator.ADD, (a, Condition(condition, number(0), more)))
        case _:
            return fold(Condition(condition, a, b))


def either_truth(condition: Expr, a: Expr, b: Expr) -> Expr:
    """One truth value or the other; where one is known this is a junction, of which the order does not matter."""
    match a, b:
        case Literal(value), _:
            joined = [condition, b] if value else [fold(negation(condition)), b]
            return fold(disjunction(joined) if value else conjunction(joined))
        case _, Literal(value):
            joined = [fold(negation(condition)), a] if value else [condition, a]
            return fold(disjunction(joined) if value else conjunction(joined))
        case _:
            return fold(Condition(condition, a, b))


def targets(statements: tuple[Statement, ...]) -> Iterator[Expression]:
    """What is assigned, at any depth."""
    for statement in statements:
        if isinstance(statement, Assignment):
            yield statement.target
        if isinstance(statement, AliasStatement):
            yield from targets(statement.body)
        for body in blocks(statement):
            yield from targets(body)


def ways_of(statement: If | Switch) -> list[tuple[Expression | None, tuple[Statement, ...]]]:
    """The tests in their order, each with what is done; the last way has no test."""
    if isinstance(statement, If):
        return [*statement.arms, (None, statement.other)]
    found: list[tuple[Expression | None, tuple[Statement, ...]]] = []
    for values, body in statement.cases:
        tests: list[Expression] = [Binary("=", statement.subject, value, value.span) for value in values]
        test = tests[0]
        for more in tests[1:]:
            test = Binary("|", test, more, more.span)
        found.append((test, body))
    return [*found, (None, statement.other)]
