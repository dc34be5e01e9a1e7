"""The expressions of #if and #elif."""

from __future__ import annotations

from quorbit.languages.promela.parse.macros import Macro, expand
from quorbit.languages.promela.parse.tokens import CHARACTER, NAME, NUMBER, Token
from quorbit.source.errors import UserError

PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
DEEPEST = 400


def evaluate(word: Token, tokens: list[Token], macros: dict[str, Macro]) -> bool:
    """Whether the condition after ``word`` holds; names that are not macros count as 0."""
    if not tokens:
        raise UserError(word.span, f"#{word.text} needs a condition")
    reader = Reader(expand(without_defined(tokens, macros), macros), word)
    value = reader.choice(0)
    if reader.at < len(reader.tokens):
        raise UserError(reader.tokens[reader.at].span, f"unexpected '{reader.tokens[reader.at].text}' in #{word.text}")
    return value != 0


def without_defined(tokens: list[Token], macros: dict[str, Macro]) -> list[Token]:
    """Replace ``defined X`` and ``defined(X)`` by 0 or 1, before macros are replaced."""
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.text != "defined":
            out.append(token)
            i += 1
            continue
        bracket = i + 1 < len(tokens) and tokens[i + 1].text == "("
        at = i + 2 if bracket else i + 1
        if (
            at >= len(tokens)
            or tokens[at].kind != NAME
            or (bracket and (at + 1 >= len(tokens) or tokens[at + 1].text != ")"))
        ):
            raise UserError(token.span, "'defined' needs a name")
        out.append(Token(NUMBER, str(int(tokens[at].text in macros)), token.span))
        i = at + (2 if bracket else 1)
    return out


class Reader:
    """Reads an integer expression by precedence."""

    def __init__(self, tokens: list[Token], word: Token) -> None:
        self.tokens, self.word, self.at = tokens, word, 0

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def take(self) -> Token:
        if self.at >= len(self.tokens):
            raise UserError(self.word.span, f"the condition of #{self.word.text} ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def choice(self, depth: int) -> int:
        value = self.binary(1, depth)
        if self.peek() != "?":
            return value
        self.take()
        yes = self.choice(depth + 1)
        if self.take().text != ":":
            raise UserError(self.word.span, "'?' without ':'")
        no = self.choice(depth + 1)
        return yes if value else no

    def binary(self, least: int, depth: int) -> int:
        left = self.unary(depth)
        while (power := PRECEDENCE.get(self.peek(), 0)) >= least:
            sign = self.take()
            left = combine(sign, left, self.binary(power + 1, depth + 1))
        return left

    def unary(self, depth: int) -> int:
        token = self.take()
        if depth > DEEPEST:
            raise UserError(token.span, "nested too deeply")
        if token.text == "(":
            value = self.choice(depth + 1)
            if self.take().text != ")":
                raise UserError(token.span, "this bracket is not closed")
            return value
        if token.text in {"!", "-", "+", "~"}:
            value = self.unary(depth + 1)
            return {"!": int(not value), "-": -value, "+": value, "~": ~value}[token.text]
        if token.kind == NUMBER:
            return int(token.text)
        if token.kind == CHARACTER:
            return ord(token.text[-2])
        if token.kind == NAME:
            return 0
        raise UserError(token.span, f"unexpected '{token.text}' in #{self.word.text}")


def combine(sign: Token, a: int, b: int) -> int:
    if sign.text in {"/", "%"}:
        if b == 0:
            raise UserError(sign.span, "division by zero")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if sign.text == "/" else a - quotient * b
    if sign.text in {"<<", ">>"}:
        return a << min(b, 64) if sign.text == "<<" else a >> b
    table = {
        "||": bool(a or b), "&&": bool(a and b), "|": a | b, "^": a ^ b, "&": a & b, "==": a == b, "!=": a != b,
        "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "+": a + b, "-": a - b, "*": a * b,
    }  # fmt: skip
    return int(table[sign.text])
