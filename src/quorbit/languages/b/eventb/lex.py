"""The words and signs of Event-B's mathematical language, in Unicode and in ASCII, named as B names them."""

from __future__ import annotations

from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

IDENTIFIER, NUMBER, SIGN, END = "identifier", "number", "sign", "end"

UNICODE = {
    "∀": "!", "∃": "#", "λ": "%", "∧": "&", "∨": "or", "¬": "not", "⇒": "=>", "⇔": "<=>", "⊤": "btrue", "⊥": "bfalse",
    "∈": ":", "∉": "/:", "⊆": "<:", "⊈": "/<:", "⊂": "<<:", "⊄": "/<<:", "=": "=", "≠": "/=", "<": "<", "≤": "<=",
    ">": ">", "≥": ">=", "↦": "|->", "↔": "<->", "\ue100": "<<->", "\ue101": "<->>", "\ue102": "<<->>", "⇸": "+->",
    "→": "-->", "⤔": ">+>", "↣": ">->", "⤀": "+->>", "↠": "-->>", "⤖": ">->>", "∪": "\\/", "∩": "/\\", "∖": "\\",
    "×": "×", "◁": "<|", "⩤": "<<|", "▷": "|>", "⩥": "|>>", "\ue103": "<+", "⊗": "><", "∥": "||", "∘": "circ",
    ";": ";", "‥": "..", "+": "+", "−": "-", "∗": "*", "÷": "/", "^": "^", "∼": "~", "·": ".", "∣": "|", "≔": ":=",
    ":∈": "::", ":∣": ":|", "∅": "{}", "ℤ": "INTEGER", "ℕ1": "NATURAL1", "ℕ": "NATURAL", "ℙ1": "POW1", "ℙ": "POW",
    "⋃": "UNION", "⋂": "INTER", "⦂": "oftype", "⊲": "<|", "⊳": "|>", "⋅": ".", "⁻¹": "~",
}  # fmt: skip
ASCII_SIGNS = {
    "<<->>": "<<->>", "<<->": "<<->", "<->>": "<->>", "<->": "<->", "+->>": "+->>", "-->>": "-->>", ">->>": ">->>",
    ">+>": ">+>", ">->": ">->", "+->": "+->", "-->": "-->", "<=>": "<=>", "/<<:": "/<<:", "/<:": "/<:", "<<:": "<<:",
    "<<|": "<<|", "|>>": "|>>", "|->": "|->", "/\\": "/\\", "\\/": "\\/", "<:": "<:", "/:": "/:", "/=": "/=",
    "=>": "=>", "<=": "<=", ">=": ">=", "<|": "<|", "|>": "|>", "<+": "<+", "><": "><", "||": "||", "**": "×",
    "..": "..", ":=": ":=", "::": "::", ":|": ":|", "{}": "{}", "\\": "\\", "!": "!", "#": "#", "%": "%", "&": "&",
    ":": ":", "=": "=", "<": "<", ">": ">", "+": "+", "-": "-", "*": "*", "/": "/", "~": "~", ".": ".", "|": "|",
    "(": "(", ")": ")", "[": "[", "]": "]", "{": "{", "}": "}", ",": ",", "∙": ".",
}  # fmt: skip
SIGNS = sorted({**UNICODE, **ASCII_SIGNS}.items(), key=lambda pair: (-len(pair[0]), pair[0]))
WORDS = {
    "or": "or", "not": "not", "true": "btrue", "false": "bfalse", "NAT1": "NATURAL1", "NAT": "NATURAL",
    "INT": "INTEGER", "POW": "POW", "POW1": "POW1", "UNION": "UNION", "INTER": "INTER", "oftype": "oftype",
    "circ": "circ", "mod": "mod",
    **{w: w for w in ("BOOL", "TRUE", "FALSE", "dom", "ran", "card", "finite", "partition", "min", "max", "bool", "id",
                      "prj1", "prj2", "pred", "succ", "union", "inter", "skip")},
}  # fmt: skip


@frozen
class Token:
    """``text`` is the word of the user's; ``sign`` what it means, "" for identifiers and numbers."""

    kind: str
    sign: str
    text: str
    span: Span


def tokenise(at: Span) -> list[Token]:
    """The tokens of a piece of text, with one for its end."""
    source, position, found = at.source, at.start, list[Token]()
    text = source.text
    while position < at.end:
        c = text[position]
        if c.isspace():
            position += 1
            continue
        token = word(at, position) if (c.isalpha() and c not in UNICODE) or c == "_" else None
        token = token or number(at, position) or sign(at, position)
        if token is None:
            raise UserError(Span(source, position, position + 1), f"{c!r} is not a symbol of Event-B")
        found.append(token)
        position = token.span.end
    found.append(Token(END, "", "the end of the formula", Span(source, at.end, at.end)))
    return found


def word(at: Span, start: int) -> Token:
    text, end = at.source.text, start
    while end < at.end and (text[end].isalnum() or text[end] == "_") and text[end] not in UNICODE:
        end += 1
    while end < at.end and text[end] in "'′":
        end += 1
    name = text[start:end].replace("′", "'")
    span = Span(at.source, start, end)
    return Token(SIGN, WORDS[name], name, span) if name in WORDS else Token(IDENTIFIER, "", name, span)


def number(at: Span, start: int) -> Token | None:
    text, end = at.source.text, start
    while end < at.end and text[end] in "0123456789":
        end += 1
    return Token(NUMBER, "", text[start:end], Span(at.source, start, end)) if end > start else None


def sign(at: Span, start: int) -> Token | None:
    for written, means in SIGNS:
        if at.source.text.startswith(written, start) and start + len(written) <= at.end:
            return Token(SIGN, means, written, Span(at.source, start, start + len(written)))
    return None
