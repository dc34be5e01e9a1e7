"""Reading tokens one after the other, with SPIN's forgiveness about separators.

Inside a body a line's end stands for a semicolon after the tokens of ``CLOSING``; the cursor then shows a semicolon
that is not in the text.  Inlines are read by putting their tokens in front (``enter`` and ``leave``).
"""

from __future__ import annotations

from quorbit.languages.promela.parse.tokens import END, NAME, NUMBER, SIGN, Token
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Source, Span

DEEPEST = 100
CLOSING = {"}", ")", "]", "od", "fi", "else", "break", "++", "--"}
SEPARATORS = {";", "->"}
# After these keywords a line's end is not a separator; any other word that ends a line closes a statement.
WORDS = """
    active assert atomic bit bool byte chan d_step D_proctype do empty enabled eval for full get_priority goto hidden if
    in init inline int len local ltl mtype nempty never nfull notrace np_ of pc_value pid printf printm priority
    proctype provided return run select set_priority short show timeout trace typedef unless unsigned xr xs
    c_state c_track
"""
OPEN_WORDS = frozenset(WORDS.split())


@mutable
class Cursor:
    tokens: list[Token]
    source: Source
    at: int = 0
    in_body: bool = False  # a line's end may stand for a semicolon
    brackets: int = 0  # open round brackets: none inside them does
    depth: int = 0
    typenames: set[str] = field(default_factory=set)  # words that a line's end does not close
    waiting: list[tuple[list[Token], int]] = field(default_factory=list)

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or the one ``ahead`` after it as written; an implied semicolon is shown as one."""
        i = self.at + ahead
        if i >= len(self.tokens):
            return self.end_token()
        token = self.tokens[i]
        if ahead == 0 and token.first and self.in_body and self.brackets == 0 and self.closes(token):
            return Token(SIGN, ";", token.span, first=True, fixed=True)
        return token

    def closes(self, following: Token) -> bool:
        """Whether the line's end before ``following`` ends a statement."""
        if self.at == 0:
            return False
        last = self.tokens[self.at - 1]
        if last.text == "}" and following.text.startswith("u"):
            return False
        if last.text in CLOSING or last.kind in {NUMBER, "character"}:
            return True
        return last.kind == NAME and last.text not in OPEN_WORDS and last.text not in self.typenames

    def end_token(self) -> Token:
        if self.waiting:
            last = self.waiting[-1][0][self.waiting[-1][1] - 1]
            return Token(END, "the end of the inline", last.span)
        size = len(self.source.text)
        return Token(END, "the end of the file", Span(self.source, size, size))

    def last(self) -> Token:
        return self.tokens[self.at - 1] if self.at else self.peek()

    def next(self) -> Token:
        token = self.peek()
        if not (token.fixed and token.text == ";"):
            self.at += 1
        else:  # the implied semicolon is read: the token it stood before is no longer first
            self.tokens[self.at] = self.tokens[self.at]._replace(first=False)
        return token

    def sees(self, *texts: str) -> bool:
        token = self.peek()
        return token.text in texts and token.kind in {NAME, SIGN}

    def accept(self, text: str) -> Token | None:
        return self.next() if self.sees(text) else None

    def expect(self, text: str, why: str = "") -> Token:
        token = self.peek()
        if token.text != text or token.kind not in {NAME, SIGN}:
            raise UserError(token.span, f"expected '{text}'{why}, found {shown(token)}")
        return self.next()

    def open(self) -> Token:
        """Read an opening bracket; inside, lines' ends mean nothing."""
        token = self.expect("(")
        self.brackets += 1
        self.deeper(token)
        return token

    def close(self) -> Token:
        token = self.expect(")")
        self.brackets -= 1
        self.depth -= 1
        return token

    def deeper(self, token: Token) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UserError(token.span, f"nested more than {DEEPEST} levels deep")

    def name(self, what: str) -> Token:
        token = self.peek()
        if token.kind != NAME:
            raise UserError(token.span, f"expected {what}, found {shown(token)}")
        return self.next()

    def enter(self, tokens: list[Token]) -> None:
        """Read these tokens before going on."""
        self.waiting.append((self.tokens, self.at))
        self.tokens, self.at = tokens, 0

    def leave(self) -> None:
        self.tokens, self.at = self.waiting.pop()


def shown(token: Token) -> str:
    if token.kind == END:
        return token.text
    if token.fixed and token.text == ";":
        return "the end of the line"
    return f"'{token.text}'"
