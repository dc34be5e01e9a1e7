"""The tokens of a Murphi text, and a position among them.

Keywords may be written in any case, names may not.  Rumur's keywords (``cover``, ``liveness``, ``assume``) are names
for CMurphi, so they are words here and recognised where a rule or a statement begins.
"""

from __future__ import annotations

import re

from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Source, Span

__all__ = ["Cursor", "read_tokens"]

KEYWORDS = frozenset(
    [
        "alias",
        "array",
        "begin",
        "boolean",
        "by",
        "case",
        "choose",
        "clear",
        "const",
        "do",
        "else",
        "elsif",
        "end",
        "endalias",
        "endchoose",
        "endexists",
        "endfor",
        "endforall",
        "endfunction",
        "endif",
        "endprocedure",
        "endrecord",
        "endrule",
        "endruleset",
        "endstartstate",
        "endswitch",
        "endwhile",
        "enum",
        "error",
        "exists",
        "false",
        "for",
        "forall",
        "function",
        "if",
        "ismember",
        "isundefined",
        "multiset",
        "multisetadd",
        "multisetcount",
        "multisetremove",
        "multisetremovepred",
        "of",
        "procedure",
        "put",
        "record",
        "return",
        "rule",
        "ruleset",
        "scalarset",
        "startstate",
        "switch",
        "then",
        "to",
        "true",
        "type",
        "undefine",
        "undefined",
        "union",
        "var",
        "while",
        "invariant",
        "assert",
    ]
)
SPELLINGS = {  # how the same thing may also be written
    "==": "=",
    "&&": "&",
    "||": "|",
    "≔": ":=",
    "⇒": "==>",
    "→": "->",
    "∧": "&",
    "∨": "|",
    "¬": "!",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "×": "*",
    "÷": "/",
    "−": "-",
    "∀": "forall",
    "∃": "exists",
}
BLANK = re.compile(r"(?:\s+|--[^\n]*|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
TOKEN = re.compile(
    r"(?P<real>[0-9]+\.[0-9]+)|(?P<number>[0-9]+)|(?P<word>[^\W\d]\w*)|(?P<text>\"(?:\\.|[^\"\\])*\"|“[^”]*”)"
    r"|(?P<symbol>==>|:=|->|\.\.|<=|>=|!=|==|&&|\|\||<<|>>|[-+*/%&|!=<>?:;,.(){}\[\]^~≔⇒→∧∨¬≠≤≥×÷−∀∃])"
)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t"}
LONGEST_NUMBER = 18  # digits
DEEPEST = 150  # nested expressions and statements, so that recursion stays far from Python's limit


@frozen
class Token:
    """``kind`` is number, word, keyword, text, symbol or end; ``text`` is the usual spelling."""

    kind: str
    text: str
    span: Span


@mutable
class Cursor:
    source: Source
    tokens: list[Token] = field(repr=False)
    at: int = 0
    depth: int = 0

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    @property
    def last(self) -> Span:
        """Where the token that was taken last stands."""
        return self.tokens[min(self.at, len(self.tokens)) - 1].span

    def is_next(self, *texts: str) -> bool:
        token = self.peek()
        return token.kind in ("symbol", "keyword") and token.text in texts

    def is_word(self, *texts: str) -> bool:
        """Whether one of Rumur's keywords is next; as a name it would be followed by something else."""
        token = self.peek()
        after = self.peek(1)
        is_name = after.kind == "symbol" and after.text in (":=", "[", ".", ":", ";")
        return token.kind == "word" and token.text.lower() in texts and not is_name

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.is_next(*texts) else None

    def expect(self, *texts: str, where: str = "") -> Token:
        if self.is_next(*texts):
            return self.take()
        raise self.unexpected(f"{' or '.join(map(repr, texts))}{where and ' '}{where}")

    def name(self, what: str) -> Token:
        if self.peek().kind == "word":
            return self.take()
        raise self.unexpected(what)

    def text(self) -> str:
        """The string that may stand here."""
        return self.take().text if self.peek().kind == "text" else ""

    def skip_semicolons(self) -> None:
        while self.accept(";"):
            pass

    def unexpected(self, wanted: str) -> UserError:
        token = self.peek()
        found = "the end of the file" if token.kind == "end" else f"'{token.span.text}'"
        hint = f" ('{token.text}' is a keyword)" if token.kind == "keyword" and "name" in wanted else ""
        return UserError(token.span, f"expected {wanted}, found {found}{hint}")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UserError(self.peek().span, f"nested more than {DEEPEST} levels deep")


def read_tokens(source: Source, start: int = 0, end: int | None = None) -> list[Token]:
    text, end = source.text, len(source.text) if end is None else end
    found = []
    while True:
        blank = BLANK.match(text, start, end)
        start = blank.end() if blank else start
        if start >= end:
            found.append(Token("end", "", Span(source, start, start)))
            return found
        match = TOKEN.match(text, start, end)
        if match is None or text.startswith("/*", start, end):
            raise UserError(Span(source, start, start + 1), complaint(text, start))
        found.append(token_of(source, match))
        start = match.end()


def token_of(source: Source, match: re.Match[str]) -> Token:
    kind, text, span = match.lastgroup or "symbol", match.group(), Span(source, match.start(), match.end())
    match kind:
        case "word" if (lower := text.lower()) in KEYWORDS:
            return Token("keyword", lower, span)
        case "text":
            return Token("text", ESCAPE.sub(unescape, text[1:-1]), span)
        case "real":
            raise UserError(span, "real numbers are not supported: the states of a model are finite; use a range")
        case "number" if len(text) > LONGEST_NUMBER:
            raise UserError(span, "this number is too large")
        case "symbol":
            usual = SPELLINGS.get(text, text)
            return Token("keyword" if usual in KEYWORDS else "symbol", usual, span)
    return Token(kind, text, span)


def unescape(match: re.Match[str]) -> str:
    """What a backslash and the character behind it stand for."""
    return ESCAPED.get(match.group(1), match.group(1))


def complaint(text: str, start: int) -> str:
    if text.startswith("/*", start):
        return "this comment is not closed"
    return "this text is not closed" if text[start] in '"“' else f"unexpected character {text[start]!r}"
