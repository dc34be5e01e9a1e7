"""Event-B's mathematical language, with its own priorities: ↦ binds less tightly than → and than ∪, and ∧ is never
mixed with ∨ without brackets.

    predicate    ⇒ ⇔  then  ∧ ∨  then  ¬ and what compares
    expression   ⦂  then  ↦  then  arrows  then  sets and relations  then  ‥  then  + −  then  ∗ ÷ mod  then  ^
                 then  application, image, converse
"""

from __future__ import annotations

from quorbit.languages.b.eventb.build import (
    becomes_such,
    binary,
    choose_form,
    conjunction_of,
    finite,
    identity,
    partition,
    projection,
    typed,
)
from quorbit.languages.b.eventb.lex import END, IDENTIFIER, NUMBER, SIGN, Token, tokenise
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Formula,
    Junction,
    Name,
    Number,
    Quantifier,
    SetOf,
    Unary,
)
from quorbit.languages.b.syntax.spelling import ARROWS, COMPARISONS
from quorbit.languages.b.syntax.substitutions import Assign, BecomesIn, Skip, Substitution
from quorbit.languages.b.syntax.walk import descendants
from quorbit.source.errors import UserError
from quorbit.source.span import Span

DEEPEST = 150  # nested brackets and quantifiers
SETS = frozenset(["\\/", "/\\", "\\", "×", "<|", "<<|", "|>", "|>>", "<+", "><", "||", "circ", ";"])
LEVELS: tuple[frozenset[str], ...] = (
    frozenset(["|->"]),
    frozenset(ARROWS),
    SETS,
    frozenset([".."]),
    frozenset(["+", "-"]),
    frozenset(["*", "/", "mod"]),
    frozenset(["^"]),
)
B_NAME = {"^": "**"}
WORDS = frozenset(["INTEGER", "NATURAL", "NATURAL1", "BOOL", "TRUE", "FALSE", "pred", "succ"])
FUNCTIONS = frozenset(["dom", "ran", "card", "min", "max", "POW", "POW1", "union", "inter"])
BEGINS_PREDICATE = frozenset(["!", "#", "not", "btrue", "bfalse", "finite", "partition"])


def parse_predicate(at: Span) -> Formula:
    return whole(Parser(at), Parser.predicate)


def parse_expression(at: Span) -> Formula:
    return whole(Parser(at), Parser.expression)


def parse_action(at: Span) -> Substitution:
    parser = Parser(at)
    found = parser.action()
    parser.finish()
    return found


def whole(parser: Parser, what: object) -> Formula:
    found: Formula = what(parser)  # type: ignore[operator]
    parser.finish()
    return found


class Parser:
    def __init__(self, at: Span) -> None:
        self.at, self.tokens, self.k, self.depth = at, tokenise(at), 0, 0

    # Tokens.

    @property
    def token(self) -> Token:
        return self.tokens[self.k]

    def meets(self, *signs: str) -> bool:
        return self.token.kind == SIGN and self.token.sign in signs

    def take(self) -> Token:
        found = self.token
        self.k += 1
        return found

    def accept(self, *signs: str) -> bool:
        if self.meets(*signs):
            self.k += 1
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            raise self.wrong(f"'{sign}' is expected")

    def wrong(self, message: str) -> UserError:
        found = self.token.text if self.token.kind == END else f"'{self.token.text}'"
        return UserError(self.token.span, f"{message}, found {found}")

    def finish(self) -> None:
        if self.token.kind != END:
            raise self.wrong("the formula should end here")

    def since(self, start: int) -> Span:
        return self.tokens[start].span.to(self.tokens[max(start, self.k - 1)].span)

    # Predicates.

    def predicate(self) -> Formula:
        """P ⇒ Q and P ⇔ Q do not associate."""
        start = self.enter()
        left = self.junction()
        if self.meets("=>", "<=>"):
            op = self.take().sign
            right = self.junction()
            left = Binary(self.since(start), op, left, right)
            if self.meets("=>", "<=>"):
                raise self.wrong("⇒ and ⇔ need brackets beside each other; the end of the predicate is expected")
        self.depth -= 1
        return left

    def enter(self) -> int:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UserError(self.token.span, f"formulas are nested more than {DEEPEST} deep")
        return self.k

    def junction(self) -> Formula:
        start = self.k
        items = [self.literal()]
        op = self.token.sign
        while self.meets("&", "or"):
            if self.token.sign != op:
                raise self.wrong("∧ and ∨ need brackets beside each other")
            self.k += 1
            items.append(self.literal())
        return items[0] if len(items) == 1 else Junction(self.since(start), op, tuple(items))

    def literal(self) -> Formula:
        start = self.k
        if self.accept("not"):
            return Unary(self.since(start), "not", self.literal())
        if self.meets("!", "#"):
            op = self.take().sign
            names, types = self.bound_names()
            self.expect(".")
            return self.quantified(start, op, names, types)
        if self.meets("btrue", "bfalse"):
            return Builtin(self.since(start), self.take().sign)
        if self.accept("finite"):
            self.expect("(")
            s = self.expression()
            self.expect(")")
            return finite(self.since(start), s)
        if self.accept("partition"):
            self.expect("(")
            first, *rest = self.list_of_expressions()
            self.expect(")")
            return partition(self.since(start), first, tuple(rest))
        return self.comparison()

    def quantified(self, start: int, op: str, names: tuple[Name, ...], types: tuple[Formula, ...]) -> Formula:
        body = self.predicate()
        span = self.since(start)
        if types:
            body = with_types(span, op, types, body)
        return Quantifier(span, op, names, body)

    def comparison(self) -> Formula:
        """E ∈ S; or a predicate in brackets, which only what is inside tells from an expression in brackets."""
        start = self.k
        if self.meets("(") and (found := self.in_brackets()) is not None:
            return found
        left = self.expression()
        if not self.meets(*COMPARISONS):
            raise self.wrong("a comparison is expected, as in x ∈ S")
        op = self.take().sign
        right = self.expression()
        if self.meets(*COMPARISONS):
            raise self.wrong("comparisons do not follow each other")
        return Binary(self.since(start), op, left, right)

    def in_brackets(self) -> Formula | None:
        """A predicate in brackets; None if it is an expression, or the beginning of one."""
        back, depth = self.k, self.depth
        self.k += 1
        try:
            found = self.predicate()
            self.expect(")")
        except UserError as error:
            if self.is_expression(back):
                self.k, self.depth = back, depth
                return None
            raise error from None
        return found

    def is_expression(self, start: int) -> bool:
        """Whether what is in the brackets that begin here compares nothing and quantifies nothing."""
        level = 0
        for token in self.tokens[start:]:
            if token.kind == END:
                return True
            level += token.kind == SIGN and token.sign in ("(", "[", "{")
            level -= token.kind == SIGN and token.sign in (")", "]", "}")
            if level == 0:
                return True
            if level == 1 and token.kind == SIGN and token.sign in (COMPARISONS | BEGINS_PREDICATE | {"&", "or", "=>"}):
                return any(t.kind == SIGN and t.sign in ("%", "UNION", "INTER") for t in self.tokens[start : self.k])
        return True

    # Expressions.

    def expression(self) -> Formula:
        """E ⦂ T and everything that binds more tightly."""
        start = self.enter()
        found = self.level(0)
        if self.accept("oftype"):
            found = typed(self.since(start), found, self.level(1))
        self.depth -= 1
        return found

    def level(self, n: int) -> Formula:
        if n == len(LEVELS):
            return self.postfix()
        start = self.k
        if n == 4 and self.accept("-"):
            left: Formula = Unary(self.since(start), "-", self.level(n + 1))
        else:
            left = self.level(n + 1)
        while self.meets(*LEVELS[n]):
            op = self.take().sign
            right = self.level(n + 1)
            span = self.since(start)
            left = binary(span, ";", right, left) if op == "circ" else binary(span, B_NAME.get(op, op), left, right)
        return left

    def postfix(self) -> Formula:
        start = self.k
        found = self.primary()
        while True:
            if self.accept("~"):
                found = Unary(self.since(start), "~", found)
            elif self.accept("("):
                argument = self.expression()
                self.expect(")")
                found = Apply(self.since(start), found, (argument,))
            elif self.accept("["):
                argument = self.expression()
                self.expect("]")
                found = binary(self.since(start), "[]", found, argument)
            else:
                return found

    def primary(self) -> Formula:
        start, token = self.k, self.take()
        span = token.span
        if token.kind == IDENTIFIER:
            return Name(span, token.text)
        if token.kind == NUMBER:
            return Number(span, int(token.text))
        match token.sign:
            case sign if sign in WORDS:
                return Builtin(span, sign)
            case sign if sign in FUNCTIONS:
                return Unary(self.since(start), sign, self.argument())
            case "{}":
                return SetOf(span, ())
            case "id":
                return identity(span)
            case "prj1" | "prj2" as sign:
                return projection(span, sign)
            case "bool":
                self.expect("(")
                inside = self.predicate()
                self.expect(")")
                return Unary(self.since(start), "bool", inside)
            case "(":
                inside = self.expression()
                self.expect(")")
                return inside
            case "{":
                return self.braces(start)
            case "%":
                return self.function(start)
            case "UNION" | "INTER" as sign:
                return self.union(start, sign)
            case "-":
                return Unary(self.since(start), "-", self.postfix())
        self.k = start
        raise self.wrong("an expression is expected")

    def argument(self) -> Formula:
        self.expect("(")
        found = self.expression()
        self.expect(")")
        return found

    def list_of_expressions(self) -> list[Formula]:
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found

    def braces(self, start: int) -> Formula:
        """{a, b}, {x · P ∣ E} or {E ∣ P}."""
        if self.accept("}"):
            return SetOf(self.since(start), ())
        if self.binds():
            names, types = self.bound_names()
            self.expect(".")
            condition = self.predicate()
            self.expect("|")
            body = self.expression()
            self.expect("}")
            return choose_form(self.since(start), names, self.typed_condition(start, types, condition), body)
        items = self.list_of_expressions()
        if self.accept("|"):
            condition = self.predicate()
            self.expect("}")
            if len(items) != 1:
                raise UserError(self.since(start), "write {x, y · P ∣ x ↦ y}: before ∣ there is one expression")
            return choose_form(self.since(start), free_in(items[0]), condition, items[0])
        self.expect("}")
        return SetOf(self.since(start), tuple(items))

    def typed_condition(self, start: int, types: tuple[Formula, ...], condition: Formula) -> Formula:
        return conjunction_of(self.since(start), (*types, condition)) if types else condition

    def binds(self) -> bool:
        """Whether a list of identifiers and a dot come next."""
        level = 0
        for k in range(self.k, len(self.tokens)):
            token = self.tokens[k]
            if token.kind == SIGN:
                level += token.sign in ("(", "{", "[")
                level -= token.sign in (")", "}", "]")
                if token.sign == "." and level == 0:
                    return True
                if level < 0 or (level == 0 and token.sign not in (",", "oftype", ")") and not self.is_type(token)):
                    return False
            elif token.kind == END:
                return False
        return False

    def is_type(self, token: Token) -> bool:
        return token.sign in ("INTEGER", "BOOL", "POW", "×", "<->")

    def bound_names(self) -> tuple[tuple[Name, ...], tuple[Formula, ...]]:
        """x, y ⦂ T: names, and what their types say."""
        names: list[Name] = []
        types: list[Formula] = []
        while True:
            if self.token.kind != IDENTIFIER:
                raise self.wrong("an identifier is expected")
            token = self.take()
            names.append(Name(token.span, token.text))
            if self.accept("oftype"):
                types.append(Binary(token.span, ":", names[-1], self.level(1)))
            if not self.accept(","):
                return tuple(names), tuple(types)

    def function(self, start: int) -> Formula:
        """λ x ↦ y · P ∣ E"""
        pattern = self.level(0)
        types: tuple[Formula, ...] = ()
        if self.accept("oftype"):
            types = (Binary(pattern.span, ":", pattern, self.level(1)),)
        self.expect(".")
        condition = self.predicate()
        self.expect("|")
        body = self.expression()
        span = self.since(start)
        pair = Binary(span, "|->", pattern, body)
        return choose_form(span, free_in(pattern), self.typed_condition(start, types, condition), pair)

    def union(self, start: int, op: str) -> Formula:
        """⋃ x · P ∣ E or ⋃ E ∣ P"""
        if self.binds():
            names, types = self.bound_names()
            self.expect(".")
            condition = self.typed_condition(start, types, self.predicate())
            self.expect("|")
            return Binder(self.since(start), op, names, condition, self.expression())
        body = self.expression()
        self.expect("|")
        return Binder(self.since(start), op, free_in(body), self.predicate(), body)

    # Actions.

    def action(self) -> Substitution:
        start = self.k
        if self.accept("skip"):
            return Skip(self.since(start))
        targets = tuple(self.list_of_expressions())
        if self.accept(":="):
            values = tuple(self.list_of_expressions())
            if len(values) != len(targets):
                raise UserError(self.since(start), f"{len(targets)} targets for {len(values)} values")
            return Assign(self.since(start), targets, values)
        names = tuple(t for t in targets if isinstance(t, Name))
        if self.accept("::"):
            return BecomesIn(self.since(start), targets, self.expression())
        if self.accept(":|") and len(names) == len(targets):
            return becomes_such(self.since(start), names, self.predicate())
        raise self.wrong("≔, :∈ or :∣ is expected after what is assigned")


def with_types(span: Span, op: str, types: tuple[Formula, ...], body: Formula) -> Formula:
    """∀ x ⦂ T · P as ∀ x · x ∈ T ⇒ P."""
    if op == "#":
        return conjunction_of(span, (*types, body))
    if isinstance(body, Binary) and body.op == "=>":
        return Binary(span, "=>", conjunction_of(span, (*types, body.left)), body.right)
    return Binary(span, "=>", conjunction_of(span, types), body)


def free_in(f: Formula) -> tuple[Name, ...]:
    """The identifiers of an expression, each once, in the order of the text: {E ∣ P} binds them all."""
    found = {n.name: n for n in reversed([d for d in descendants(f) if isinstance(d, Name)])}
    return tuple(reversed(found.values()))
