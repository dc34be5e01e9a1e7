"""Text → Formula: a precedence parser for LTL, CTL and CTL* around the expressions of a model's language.

The language supplies a *reader* of propositions.  `reader(span)` gets the text from the present position to the end of
the formula and returns the expression that begins there with the offset at which it ends.  It reads as far as one
expression goes that binds tighter than `&&` (in Promela everything from `|` upwards: `x > 3`, `P[1]@cs`, `len(q) < 2`,
a whole `(a && b)`), and raises `UserError` if none begins there.  It may return a `Formula` instead of an expression,
and does so best for connectives inside brackets, so that the automaton sees the single propositions.  `read_runs` makes
a reader out of a function for complete texts.

Brackets are ambiguous: `(x + 1) > y` is one proposition, `(a U b)` is none.  At a bracket the reader is asked first; if
it refuses, the bracket belongs to the formula.  Of two complaints the one that came further is shown.

    forall p: []<> in_cs[p]        forall p in Client: ...        exists p, q: ...

quantify over the atoms of a sort and reach as far to the right as they can.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable

from quorbit.logic.formulas.spellings import (
    AND,
    IMPLIES,
    INFIX,
    INFIX_SYMBOL,
    PREFIX,
    PREFIX_SYMBOL,
    QUANTIFIERS,
    REPEATABLE,
    SELECTED,
    SPIN,
    TRUTHS,
    UNTIL,
    WHOLE,
    WORD,
    Dialect,
    level_of,
)
from quorbit.model.system.formula import And, Exists, ForAll, Formula, Or, Proposition, Truth, children
from quorbit.model.system.formula_kinds import is_state_formula
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Source, Span

__all__ = ["parse_formula"]

Reader = Callable[[Span], tuple[Hashable, int]]
DEEPEST = 150  # so that functions that recurse over a formula stay far from Python's limit
LARGEST = 200_000  # parts of a formula
LONGEST_REPEAT = 100
TOO_DEEP = f"the formula is nested more than {DEEPEST} levels deep"


def parse_formula(
    text: str | Span,
    reader: Reader | None = None,
    dialect: Dialect = SPIN,
    is_name: Callable[[str], bool] = lambda word: False,
    macros: dict[str, Formula] | None = None,
) -> Formula:
    """The formula that is the whole text; names of the model win over operators that the dialect does not reserve."""
    parser = Parser(as_span(text), reader or read_runs(dialect=dialect), dialect, is_name, macros or {})
    formula = parser.formula()
    parser.expect_end()
    return formula


def as_span(text: str | Span) -> Span:
    return text if isinstance(text, Span) else Span(Source("<formula>", text), 0, len(text))


@mutable
class Parser:
    """A position in a text; every method reads something from there and moves on."""

    span: Span
    reader: Reader
    dialect: Dialect
    is_name: Callable[[str], bool]
    macros: dict[str, Formula]
    at: int = field(init=False)
    depth: int = field(init=False, default=0)
    until: int = field(init=False, default=UNTIL)  # how tightly U, R and W bind here

    def __post_init__(self) -> None:
        self.at = self.span.start
        self.skip()

    def formula(self) -> Formula:
        start = self.at
        formula = self.binary(IMPLIES)
        depth, size = measure(formula)
        if depth > 2 * DEEPEST:
            raise self.error(TOO_DEEP, start, self.at)
        if size > LARGEST:
            raise self.error(
                f"the formula has {size} parts with its macros written out; {LARGEST} are the limit", start
            )
        return formula

    def expect_end(self) -> None:
        if self.at < self.span.end:
            raise self.error("expected an operator or the end of the formula", self.at)

    def binary(self, level: int) -> Formula:
        """Operators of this level and of all that bind tighter, by precedence climbing."""
        left = self.unary()
        while (operator := self.peek_infix()) and self.level(operator) >= level:
            left = self.infix(left, operator)
        return left

    def level(self, operator: str) -> int:
        level = level_of(operator, self.dialect)
        return self.until if level == UNTIL else level

    def infix(self, left: Formula, operator: str) -> Formula:
        """The rest of a binary formula whose left operand is read; the operator is next."""
        level, build = self.level(operator), INFIX[operator].build
        if build is None:
            return self.several(left, level)
        self.take(operator)
        rightwards = level == IMPLIES and not self.dialect.left_implication
        return build(left, self.deeper(lambda: self.binary(level if rightwards else level + 1)))

    def several(self, first: Formula, level: int) -> Formula:
        """A conjunction or disjunction of any number of operands; bracketed ones of the same kind are merged."""
        kind = And if level == AND else Or
        operands = [first]
        while (operator := self.peek_infix()) and self.level(operator) == level:
            self.take(operator)
            operands.append(self.deeper(lambda: self.binary(level + 1)))
        return kind(tuple(g for f in operands for g in (f.operands if isinstance(f, kind) else (f,))))

    def unary(self) -> Formula:
        word = self.peek_word()
        if word in QUANTIFIERS and not self.is_name(word):
            return self.quantifier(word)
        operator = self.peek_prefix()
        if self.text("(") or (operator in ("!", "~") and self.dialect.tight_negation):
            return self.tried_by_reader(operator)
        if operator:
            return self.prefix(operator)
        if self.text("\\"):
            return self.macro()
        return self.proposition()

    def tried_by_reader(self, operator: str) -> Formula:
        """The reader's expression if there is one, else a negation or a bracketed formula."""
        start = self.at
        try:
            return self.proposition()
        except UserError as refused:
            self.at = start
            try:
                return self.prefix(operator) if operator else self.bracketed("(", ")")
            except UserError as error:
                raise max(error, refused, key=self.reached) from None

    def reached(self, error: UserError) -> int:
        return error.span.start if error.span.source is self.span.source else -1

    def prefix(self, operator: str) -> Formula:
        self.take(operator)
        build = PREFIX[operator]
        times = self.repetitions() if operator in REPEATABLE else 1
        if operator in ("A", "E"):
            return self.path_quantifier(operator)
        formula = self.deeper(self.unary)
        for _ in range(times):
            formula = build(formula)
        return formula

    def path_quantifier(self, operator: str) -> Formula:
        """A or E is read: E(f U g) and E [f U g] for whole formulas f and g, else E before another prefix operator."""
        start = self.at
        if self.text("(") or (self.text("[") and not self.text("[]")):
            brackets = ("(", ")") if self.text("(") else ("[", "]")
            formula = self.within_quantifier(*brackets)
        else:
            formula = self.deeper(self.unary)
        after = self.peek_until()
        if after and is_state_formula(formula):
            raise self.error(f"put brackets after {operator}: write {operator}(f {after} g)", start, self.at)
        return PREFIX[operator](formula)

    def within_quantifier(self, opening: str, closing: str) -> Formula:
        start = self.at
        self.take(opening)
        formula = self.deeper(lambda: self.binary(IMPLIES), WHOLE)
        if operator := self.peek_until():
            self.take(operator)
            build = INFIX[operator].build
            assert build is not None
            formula = build(formula, self.deeper(lambda: self.binary(IMPLIES), WHOLE))
            if again := self.peek_until():
                raise self.error(f"put brackets round one of {operator} and {again}", self.at, self.at + len(again))
        self.close(start, opening, closing)
        return formula

    def peek_until(self) -> str:
        operator = self.peek_infix()
        return operator if operator and level_of(operator, self.dialect) == UNTIL else ""

    def repetitions(self) -> int:
        """The number after AX:, or 1."""
        if not self.text(":"):
            return 1
        start = self.at
        self.take(":")
        digits = ""
        while self.at + len(digits) < self.span.end and self.char(len(digits)).isdecimal():
            digits += self.char(len(digits))
        if not digits or len(digits) > 4 or not 0 < int(digits) <= LONGEST_REPEAT:
            raise self.error(f"expected a number from 1 to {LONGEST_REPEAT} after :", start, self.at + len(digits))
        self.take(digits)
        return int(digits)

    def bracketed(self, opening: str, closing: str) -> Formula:
        start = self.at
        self.take(opening)
        formula = self.deeper(lambda: self.binary(IMPLIES), UNTIL)
        self.close(start, opening, closing)
        return formula

    def close(self, start: int, opening: str, closing: str) -> None:
        if not self.text(closing):
            if self.at >= self.span.end:
                raise self.error(f"this {opening} is not closed", start)
            raise self.error(f"expected an operator or {closing}", self.at)
        self.take(closing)

    def quantifier(self, word: str) -> Formula:
        self.take(word)
        variables = [self.identifier("a variable")]
        while self.text(","):
            self.take(",")
            variables.append(self.identifier("a variable"))
        sort = ""
        if self.peek_word() == "in":
            self.take("in")
            sort = self.identifier("the name of a sort")
        if not self.text(":"):
            raise self.error("expected : and the formula that is quantified", self.at)
        self.take(":")
        body = self.deeper(lambda: self.binary(IMPLIES))
        for variable in reversed(variables):
            body = ForAll(variable, sort, body) if word == "forall" else Exists(variable, sort, body)
        return body

    def macro(self) -> Formula:
        start = self.at
        self.at += 1
        name = self.identifier("the name of a macro")
        if name not in self.macros:
            raise self.error(f"\\{name} is not defined", start, start + 1 + len(name))
        return self.macros[name]

    def proposition(self) -> Formula:
        if (truth := self.truth()) is not None:
            return truth
        if self.at >= self.span.end:
            raise self.error("the formula ends where an operand is expected", self.at)
        expression, end = self.reader(Span(self.span.source, self.at, self.span.end))
        if not self.at < end <= self.span.end:
            raise self.error("expected a proposition", self.at)
        self.at = end
        self.skip()
        return expression if isinstance(expression, Formula) else Proposition(expression)

    def truth(self) -> Formula | None:
        """true or false, if the word stands alone and is not part of an expression."""
        start, word = self.at, self.peek_word()
        if word not in TRUTHS or self.is_name(word):
            return None
        self.take(word)
        if self.at >= self.span.end or self.char() in ")];" or self.peek_infix():
            return Truth(TRUTHS[word])
        self.at = start
        return None

    def deeper(self, read: Callable[[], Formula], until: int | None = None) -> Formula:
        """Read a part of a formula, in which U, R and W may bind otherwise than round it."""
        if self.depth >= DEEPEST:
            raise self.error(TOO_DEEP, self.at)
        before = self.until
        self.depth += 1
        self.until = before if until is None else until
        try:
            return read()
        finally:
            self.depth -= 1
            self.until = before

    def identifier(self, what: str) -> str:
        word = self.peek_word()
        if not word:
            raise self.error(f"expected {what}", self.at)
        self.take(word)
        return word

    def peek_word(self) -> str:
        match = WORD.match(self.span.source.text, self.at, self.span.end)
        return match.group() if match else ""

    def peek_infix(self) -> str:
        match = INFIX_SYMBOL.match(self.span.source.text, self.at, self.span.end)
        return match.group() if match else self.operator_word(INFIX)

    def peek_prefix(self) -> str:
        match = PREFIX_SYMBOL.match(self.span.source.text, self.at, self.span.end)
        if match:
            return match.group()
        word = self.operator_word(PREFIX)
        selected = word and SELECTED.match(self.span.source.text, self.at + len(word), self.span.end)
        return "" if selected else word

    def operator_word(self, operators: Container[str]) -> str:
        word = self.peek_word()
        return word if word in operators and (word in self.dialect.reserved or not self.is_name(word)) else ""

    def text(self, expected: str) -> bool:
        return self.span.source.text.startswith(expected, self.at, self.span.end)

    def char(self, offset: int = 0) -> str:
        return self.span.source.text[self.at + offset]

    def take(self, text: str) -> None:
        self.at += len(text)
        self.skip()

    def skip(self) -> None:
        match = self.dialect.comment.match(self.span.source.text, self.at, self.span.end)
        self.at = match.end() if match else self.at

    def error(self, message: str, start: int, end: int | None = None) -> UserError:
        start = min(start, self.span.end)
        end = min(self.span.end, start + 1) if end is None else end
        return UserError(Span(self.span.source, start, end), message)


def measure(formula: Formula) -> tuple[int, int]:
    """Depth and size; a part that macros share is looked at once, and counted as often as it occurs."""
    known: dict[int, tuple[int, int]] = {}
    waiting = [formula]
    while waiting:
        f = waiting[-1]
        parts = children(f)
        unknown = [g for g in parts if id(g) not in known]
        if unknown:
            waiting.extend(unknown)
            continue
        waiting.pop()
        depths, sizes = [known[id(g)][0] for g in parts], [known[id(g)][1] for g in parts]
        known[id(f)] = (1 + max(depths, default=0), 1 + sum(sizes))
    return known[id(formula)]


def read_runs(parse_expression: Callable[[Span], Hashable] = lambda span: span.text, dialect: Dialect = SPIN) -> Reader:
    """A reader that cuts out the longest run of text without a formula's operator and has it parsed as a whole.

    Brackets inside a run are balanced and not looked into; a run never begins with a bracket or a negation.
    """

    def read(span: Span) -> tuple[Hashable, int]:
        refused = span.source.text.startswith(tuple("([{!~"), span.start, span.end)
        end = span.start if refused else end_of_run(span, dialect)
        if end == span.start:
            raise UserError(Span(span.source, span.start, min(span.start + 1, span.end)), "expected a proposition")
        return parse_expression(Span(span.source, span.start, end)), end

    return read


def end_of_run(span: Span, dialect: Dialect) -> int:
    """Where the run that begins at the span's start ends, trailing blanks left out."""
    text, at, end, depth = span.source.text, span.start, span.start, 0
    while at < span.end:
        blank = dialect.comment.match(text, at, span.end)
        if blank and blank.end() > at:
            at = blank.end()
            continue
        c = text[at]
        if depth == 0 and (c in ")];," or is_infix_at(text, at, span.end, dialect)):
            break
        depth += (c in "([{") - (c in ")]}")
        word = WORD.match(text, at, span.end)
        at = end = word.end() if word else at + 1
    return end


def is_infix_at(text: str, at: int, end: int, dialect: Dialect) -> bool:
    if symbol := INFIX_SYMBOL.match(text, at, end):
        return len(symbol.group()) > 1 or symbol.group() in dialect.connectives
    word = WORD.match(text, at, end)
    return bool(word and word.group() in INFIX)
