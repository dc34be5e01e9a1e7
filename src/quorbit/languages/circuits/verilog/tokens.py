"""Tokens of Verilog after preprocessing: `define, `ifdef, `include are carried out here, each token keeps its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Sequence
from pathlib import Path

from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.read import is_file, read_source
from quorbit.source.span import Source, Span

__all__ = ["Place", "Token", "place_of", "raw_tokens"]

TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n\f\v\x1a]+|\\[ \t]*\r?\n|//[^\n]*|/\*(?s:.*?)\*/)
      |(?P<attribute>\(\*(?!\s*\))(?s:.*?)\*\))
      |(?P<directive>`[A-Za-z_][A-Za-z0-9_$]*)
      |(?P<string>"(?:[^"\\\n]|\\.)*")
      |(?P<number>(?:\d[\d_]*)?\s*'[sS]?[bBoOdDhH]\s*[0-9a-fA-FxXzZ?_]+|\d[\d_]*(?:\.\d+)?|'[01xXzZ](?![\w']))
      |(?P<name>\\[^\s]+|[A-Za-z_$][A-Za-z0-9_$]*)
      |(?P<symbol>\#\#|\#-\#|\#=\#|<<<|>>>|===|!==|==\?|!=\?|\|->|\|=>|&&&|<=|>=|==|!=|&&|\|\||<<|>>|~&|~\||~\^|\^~|\*\*|\+:|-:|\+\+|--|\+=|-=|->|::
        |[-+*/%&|^~!<>=?:;,.()\[\]{}@#'])""",
    re.VERBOSE,
)
TRANSLATE = re.compile(r"/[/*]\s*(?:synthesis|synopsys|pragma)\s+translate_(on|off)\b")  # as Yosys and slang take it
UNSIZED = re.compile(r"\s*'[sS]?[bBoOdDhH]")  # a based number without its size
BESIDE = frozenset(["attribute", "nettype"])  # kinds of tokens that are not part of the text proper
DEEPEST_INCLUDE, MOST_TOKENS, DEEPEST_MACRO = 20, 4_000_000, 50
IGNORED_LINES = frozenset(
    [
        "`timescale",
        "`resetall",
        "`celldefine",
        "`endcelldefine",
        "`line",
        "`pragma",
        "`nounconnected_drive",
        "`unconnected_drive",
        "`begin_keywords",
        "`end_keywords",
    ]
)


Place = tuple[str, int]  # a file, and where in it a name begins


def place_of(span: Span) -> Place:
    return span.file, span.start


@frozen
class Token:
    kind: str  # number, name, symbol, string or end
    text: str
    span: Span


@mutable
class Preprocessor:
    directory: Path
    includes: tuple[Path, ...] = ()  # where else included files are looked for
    macros: dict[str, tuple[list[str] | None, list[Token]]] = field(default_factory=dict)
    conditions: list[tuple[bool, bool]] = field(default_factory=list)  # active now, some branch taken
    count: int = 0
    is_off: bool = False  # by a comment: translate_off

    def active(self) -> bool:
        return all(now for now, _ in self.conditions)


def tokenize(source: Source, defines: tuple[tuple[str, str], ...] = ()) -> list[Token]:
    """All tokens of a file that the own reader looks at, with an end token."""
    return [t for t in tokenize_all([source], defines) if t.kind not in BESIDE]


def tokenize_all(
    sources: Sequence[Source],
    defines: tuple[tuple[str, str], ...] = (),
    includes: tuple[Path, ...] = (),
    synthesised: Collection[str] = (),
) -> list[Token]:
    """The tokens of files one after the other, attributes and default_nettype too, with an end token; a macro of one
    file is known in those after it.  As ``read_verilog -formal`` of Yosys does, FORMAL is defined; in files that are
    ``synthesised``, or where the user defines SYNTHESIS, that is instead."""
    p = Preprocessor(Path(sources[0].name).parent, includes)
    for name, value in defines:
        text = Source("<command line>", value)
        p.macros[name] = (None, [t for t in raw_tokens(text) if t.kind != "blank"])
    tokens: list[Token] = []
    for source in sources:
        p.directory, p.is_off = Path(source.name).parent, False
        synthesis = source.name in synthesised or any(name == "SYNTHESIS" for name, _ in defines)
        predefine(p, "SYNTHESIS" if synthesis else "FORMAL", defines)
        tokens += process(p, source, 0)
        end = Span(source, len(source.text), len(source.text))
        if p.conditions:
            raise UserError(end, "`ifdef without `endif")
    return [*with_sizes(tokens), Token("end", "", end)]


def predefine(p: Preprocessor, chosen: str, defines: tuple[tuple[str, str], ...]) -> None:
    """Define one of the two macros and not the other, except where the user says otherwise."""
    for name in ("FORMAL", "SYNTHESIS"):
        if any(name == each for each, _ in defines):
            continue
        p.macros.pop(name, None)
        if name == chosen:
            p.macros[name] = (None, list(raw_tokens(Source("<predefined>", "1"))))


def with_sizes(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, where the size of a number may come from a macro: `` `WIDTH'd5 `` is one number."""
    size: Token | None = None
    for token in tokens:
        if size is not None:
            based = token.kind == "number" and UNSIZED.match(token.text) is not None
            yield Token("number", size.text + token.text.lstrip(), token.span) if based else size
            size = None
            if based:
                continue
        if token.kind == "number" and token.text.isdecimal():
            size = token
        else:
            yield token
    if size is not None:
        yield size


def raw_tokens(source: Source) -> Iterator[Token]:
    at, text = 0, source.text
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise UserError(Span(source, at, at + 1), f"unexpected character {text[at]!r}")
        yield Token(match.lastgroup or "", match.group(), Span(source, at, match.end()))
        at = match.end()


def process(p: Preprocessor, source: Source, depth: int) -> Iterator[Token]:
    tokens = list(raw_tokens(source))
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        if token.kind == "blank":
            if (match := TRANSLATE.match(token.text)) is not None and p.active():
                p.is_off = match[1] == "off"
        elif token.kind == "directive":
            i = yield from directive(p, token, tokens, i, depth)
        elif p.active() and not p.is_off:
            p.count += 1
            if p.count > MOST_TOKENS:
                raise UserError(token.span, "the text grows without end")
            yield token


def directive(p: Preprocessor, token: Token, tokens: list[Token], i: int, depth: int) -> Generator[Token, None, int]:
    name = token.text
    if name in ("`ifdef", "`ifndef", "`elsif", "`else", "`endif"):
        return conditional(p, token, tokens, i)
    if not p.active():
        return skip_line(tokens, i) if name == "`define" else i
    if name == "`define":
        return define(p, token, tokens, i)
    if name == "`undef":
        word, i = next_word(token, tokens, i)
        p.macros.pop(word.text, None)
        return i
    if p.is_off:
        return skip_line(tokens, i) if name in ("`include", *IGNORED_LINES) else i
    if name == "`include":
        word, i = included_file(token, tokens, i)
        yield from include(p, word, depth)
        return i
    if name in IGNORED_LINES:
        return skip_line(tokens, i)
    if name == "`default_nettype":
        word, i = next_word(token, tokens, i)
        yield Token("nettype", f"`default_nettype {word.text}", token.span)
        return i
    if name in ("`__LINE__", "`__FILE__"):
        yield (
            Token("number", str(token.span.line), token.span)
            if name == "`__LINE__"
            else Token("string", '"' + Path(token.span.file).name.replace('"', "") + '"', token.span)
        )
        return i
    if name[1:] in p.macros:
        i, expanded = expand(p, token, tokens, i, 0)
        for t in expanded:
            p.count += 1
            yield t
        return i
    raise UserError(token.span, f"the macro {name} is not defined")


def conditional(p: Preprocessor, token: Token, tokens: list[Token], i: int) -> int:
    match token.text:
        case "`ifdef" | "`ifndef":
            word, i = next_word(token, tokens, i)
            holds = (word.text in p.macros) == (token.text == "`ifdef")
            p.conditions.append((holds, holds))
            return i
        case "`endif" if p.conditions:
            p.conditions.pop()
            return i
        case "`else" if p.conditions:
            _, taken = p.conditions.pop()
            p.conditions.append((not taken, True))
            return i
        case "`elsif" if p.conditions:
            word, i = next_word(token, tokens, i)
            _, taken = p.conditions.pop()
            holds = not taken and word.text in p.macros
            p.conditions.append((holds, taken or holds))
            return i
    raise UserError(token.span, f"{token.text} without `ifdef")


def next_word(token: Token, tokens: list[Token], i: int) -> tuple[Token, int]:
    while i < len(tokens) and tokens[i].kind == "blank":
        i += 1
    if i == len(tokens):
        raise UserError(token.span, f"{token.text} needs a name")
    return tokens[i], i + 1


def included_file(token: Token, tokens: list[Token], i: int) -> tuple[Token, int]:
    """A file name in quotes, or, as vl2mv allows it, the rest of the line."""
    word, after = next_word(token, tokens, i)
    if word.kind == "string":
        return word, after
    parts, after = line_tokens(tokens, i)
    name = "".join(part.text for part in parts)
    return Token("string", f'"{name}"', word.span), after


def skip_line(tokens: list[Token], i: int) -> int:
    return line_tokens(tokens, i)[1]


def line_tokens(tokens: list[Token], i: int) -> tuple[list[Token], int]:
    """The rest of a line, with continued lines."""
    found: list[Token] = []
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "blank" and "\n" in token.text and not token.text.startswith(("/*", "\\")):
            break
        if token.kind != "blank":
            found.append(token)
        i += 1
    return found, i


def define(p: Preprocessor, token: Token, tokens: list[Token], i: int) -> int:
    name, i = next_word(token, tokens, i)
    parameters: list[str] | None = None
    if i < len(tokens) and tokens[i].text == "(":
        parameters, i = [], i + 1
        while i < len(tokens) and tokens[i].text != ")":
            if tokens[i].kind == "name":
                parameters.append(tokens[i].text)
            i += 1
        i += 1
    body, i = line_tokens(tokens, i)
    p.macros[name.text] = (parameters, body)
    return i


def expand(p: Preprocessor, token: Token, tokens: list[Token], i: int, depth: int) -> tuple[int, list[Token]]:
    """The tokens a macro stands for; they are placed where it is used."""
    if depth > DEEPEST_MACRO:
        raise UserError(token.span, f"the macro {token.text} contains itself")
    parameters, body = p.macros[token.text[1:]]
    bound: dict[str, list[Token]] = {}
    if parameters is not None:
        arguments, i = read_arguments(token, tokens, i)
        if len(arguments) != len(parameters):
            raise UserError(token.span, f"{token.text} takes {len(parameters)} arguments, not {len(arguments)}")
        bound = dict(zip(parameters, arguments, strict=True))
    flat = [t for part in body for t in bound.get(part.text, [part])]
    found: list[Token] = []
    k = 0
    while k < len(flat):
        part = flat[k]
        k += 1
        if part.kind == "directive":
            if part.text[1:] not in p.macros:
                raise UserError(token.span, f"the macro {part.text} is not defined")
            k, inner = expand(p, Token("directive", part.text, token.span), flat, k, depth + 1)
            found += inner
        else:
            found.append(Token(part.kind, part.text, token.span))
        if len(found) > MOST_TOKENS:
            raise UserError(token.span, "the macro grows without end")
    return i, found


def read_arguments(token: Token, tokens: list[Token], i: int) -> tuple[list[list[Token]], int]:
    opening, i = next_word(token, tokens, i)
    if opening.text != "(":
        raise UserError(token.span, f"{token.text} needs arguments in brackets")
    arguments: list[list[Token]] = [[]]
    depth = 1
    while i < len(tokens):
        t = tokens[i]
        i += 1
        depth += (t.text in ("(", "[", "{")) - (t.text in (")", "]", "}"))
        if depth == 0:
            return arguments, i
        if t.text == "," and depth == 1:
            arguments.append([])
        elif t.kind != "blank":
            arguments[-1].append(t)
    raise UserError(token.span, "the arguments of this macro are not closed")


def include(p: Preprocessor, word: Token, depth: int) -> Iterator[Token]:
    if depth >= DEEPEST_INCLUDE:
        raise UserError(word.span, "too many nested `include")
    tried = [folder / word.text[1:-1] for folder in (p.directory, *p.includes)]
    path = next(filter(is_file, tried), None)
    if path is None:
        raise UserError(word.span, f"there is no file {' or '.join(map(str, tried))}; -I names more folders to look in")
    yield from process(p, read_source(path), depth + 1)
