"""Lists of tokens: their brackets, their parts, and tokens of our own."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.languages.circuits.verilog.tokens import Token, raw_tokens
from quorbit.source.span import Source, Span

__all__ = ["end_of_group", "has_assertions", "made"]

OPEN, CLOSE = frozenset(["(", "[", "{"]), frozenset([")", "]", "}"])


def has_assertions(tokens: Sequence[Token]) -> bool:
    """Whether there may be a concurrent assertion, or what such are made of."""
    return any(t.text == "property" or (t.text == "sequence" and t.kind == "name") for t in tokens)


def made(text: str, span: Span) -> list[Token]:
    """Tokens of a text of ours, all standing at one place of the user's."""
    return [Token(t.kind, t.text, span) for t in raw_tokens(Source("<assertion>", text)) if t.kind != "blank"]


def texts(tokens: Sequence[Token]) -> list[str]:
    return [t.text for t in tokens]


def end_of_group(tokens: Sequence[Token], start: int) -> int:
    """Behind the partner of the bracket at ``start``; -1 if it has none."""
    depth = 0
    for k in range(start, len(tokens)):
        depth += (tokens[k].text in OPEN) - (tokens[k].text in CLOSE)
        if depth == 0:
            return k + 1
    return -1


def split_at(tokens: Sequence[Token], separator: str) -> list[list[Token]]:
    """The parts between separators that stand in no brackets; none of no tokens."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in OPEN) - (token.text in CLOSE)
        if token.text == separator and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if tokens else []


def split_commas(tokens: Sequence[Token]) -> list[list[Token]]:
    return split_at(tokens, ",")
