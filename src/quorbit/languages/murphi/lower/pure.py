"""Functions that only compute: a call becomes an expression.

The body is followed along its ways; a local variable stands for the expression that was assigned to it last.  A way
that ends without ``return``, in ``error`` or in a failed assertion has no value: whoever asks for it is told so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from quorbit.languages.murphi.lower.changes import blocks, calls_in
from quorbit.languages.murphi.lower.frame import Context, Frame
from quorbit.languages.murphi.lower.quantifiers import Lower, LowerDesignator, dynamic_values, members, type_of
from quorbit.languages.murphi.lower.rotations import lower_wrapped
from quorbit.languages.murphi.lower.store import Spot
from quorbit.languages.murphi.lower.typed import Typed, limits_of
from quorbit.languages.murphi.resolve import resolve_type
from quorbit.languages.murphi.syntax.program import (
    AliasStatement,
    Assignment,
    Claim,
    ErrorStatement,
    For,
    If,
    Put,
    Return,
    Routine,
    Statement,
    Switch,
    VariableDeclaration,
    While,
)
from quorbit.languages.murphi.syntax.terms import Binary, Expression, Quantifier, Word
from quorbit.languages.murphi.types import Boolean, Type, is_simple, size_of
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import (
    TRUE,
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
MOST_ROUNDS = 64  # of a loop that becomes an expression
LARGEST = 4_000  # parts of the expression that a call may become


def is_pure(context: Context, routine: Routine, must: bool = False) -> bool:
    """Whether a call can become an expression.  ``must``: there is no other way, so loops from number to number are
    written out as well, and assertions become conditions for having a value."""
    key = routine.name.text, must
    if key not in context.pure:
        context.pure[key] = False  # for a function that calls itself, which is refused elsewhere
        context.pure[key] = find_pure(context, routine, must)
    return context.pure[key]


def find_pure(context: Context, routine: Routine, must: bool) -> bool:
    if routine.result is None or not is_simple(resolve_type(context.scope, routine.result)):
        return False
    locals: dict[str, Type] = {}
    for declaration in routine.declarations:
        if not isinstance(declaration, VariableDeclaration):
            return False
        type = resolve_type(context.scope, declaration.type)
        if not is_simple(type):
            return False
        locals |= {name.text: type for name in declaration.names}
    return all(is_pure_statement(context, statement, locals, must) for statement in routine.body)


def is_pure_statement(context: Context, statement: Statement, locals: dict[str, Type], must: bool) -> bool:
    called = [context.program.routines.get(call.name.text) for call in calls_in(statement)]
    if not all(routine is not None and is_pure(context, routine, must) for routine in called):
        return False

    def are_pure(body: tuple[Statement, ...]) -> bool:
        return all(is_pure_statement(context, inner, locals, must) for inner in body)

    match statement:
        case Assignment(Word(text)):
            return text in locals
        case If() | Switch():
            return all(map(are_pure, blocks(statement)))
        case For(quantifiers, body):
            return (must or all(q.type is not None for q in quantifiers)) and are_pure(body)
        case AliasStatement(_, body):
            return are_pure(body)
        case While(body=body):
            return are_pure(body) and most_rounds(statement, locals) <= MOST_ROUNDS
        case Return() | Put():
            return True
        case ErrorStatement() | Claim("assert" | "invariant"):
            return must
        case _:
            return False


def most_rounds(loop: While, locals: dict[str, Type]) -> int:
    """A loop changes nothing but locals, so it never ends after more rounds than these have values together."""
    total = 1
    for name in {e.text for e in targets(loop.body) if isinstance(e, Word)}:
        total *= size_of(locals[name])  # type: ignore[arg-type]
    return total


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

        if not may_end([first]):
            return continue_after_errors(self.straight(frame, first))
        match first:
            case Return(value):
                assert value is not None
                return frame.context.values.convert(self.lower(frame, value), self.type)
            case ErrorStatement():
                return self.nothing(frame, self.type).expr
            case Claim(condition=condition):
                truth = frame.context.values.as_truth(self.lower(frame, condition))
                return self.either(truth, continue_after_errors(frame), self.nothing(frame, self.type).expr)
            case If() if (turned := self.turned(frame, first, rest)) is not None:
                return turned
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
                return self.repeat(frame, first, most_rounds(first, self.locals), continue_after_errors)
        raise AssertionError(first)

    def turned(self, frame: Frame, statement: If, rest: tuple[Statement, ...]) -> Expr | None:
        """What is returned if that is a step round a ring: one value where the test holds, else that which follows."""
        match statement.arms, (*statement.other, *rest):
            case ((test, (Return(a),)),), (Return(b), *_) if a is not None and b is not None:
                found = lower_wrapped(frame, test, a, b, self.lower)
                return None if found is None else frame.context.values.convert(found, self.type)
        return None

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

    def loop(self, frame: Frame, quantifiers: list[Quantifier], body: tuple[Statement, ...], following: Next) -> Expr:
        if not quantifiers:
            return self.run(frame, body, following)
        q, *rest = quantifiers
        rounds = self.rounds_of(frame, q)

        def from_number(k: int, inner: Frame) -> Expr:
            if k == len(rounds):
                return following(inner)
            value, inside = rounds[k]
            bound = inner.bind({q.name.text: value})
            done = self.loop(bound, rest, body, lambda after: from_number(k + 1, after))
            return done if inside == TRUE else self.either(inside, done, from_number(k + 1, inner))

        return from_number(0, frame)

    def rounds_of(self, frame: Frame, q: Quantifier) -> list[tuple[Typed, Expr]]:
        """The values of a loop's name, each with the condition under which there is a round for it."""
        type = type_of(frame, q)
        if type is None:
            return dynamic_values(frame, q, self.lower)
        return [(value, TRUE) for value in members(frame, q, type)]

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
                for _ in range(most_rounds(statement, self.locals)):
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
        for value, inside in self.rounds_of(frame, q):
            after = self.straight_loop(frame.bind({q.name.text: value}), rest, body)
            frame = after if inside == TRUE else self.joined(frame, inside, after, frame)
        return frame

    def merged(self, frame: Frame, ways: list[tuple[Expression | None, tuple[Statement, ...]]]) -> Frame:
        (test, body), *others = ways
        if test is None:
            return self.straight_all(frame, body)
        condition = frame.context.values.as_truth(self.lower(frame, test))
        return self.joined(frame, condition, self.straight_all(frame, body), self.merged(frame, others))

    def joined(self, frame: Frame, condition: Expr, then: Frame, other: Frame) -> Frame:
        """The frame with the values that the locals have on one way or on the other."""
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


def may_end(statements: Iterable[Statement]) -> bool:
    """Whether a statement may be the last one that is performed: it returns, or it is an error."""
    for statement in statements:
        if isinstance(statement, Return | ErrorStatement | Claim):
            return True
        if isinstance(statement, AliasStatement) and may_end(statement.body):
            return True
        if any(map(may_end, blocks(statement))):
            return True
    return False


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
