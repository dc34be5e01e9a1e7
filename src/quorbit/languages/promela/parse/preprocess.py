"""The C preprocessor's part of Promela: conditions, includes and macros, without cpp.

Every token keeps the span of the text it was written in, so messages point into the user's file.
"""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.promela.parse import conditions
from quorbit.languages.promela.parse.macros import Macro, expand, parse_macro
from quorbit.languages.promela.parse.tokens import BAD, DIRECTIVE, NAME, STRING, Token, bad_character, scan
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span

__all__ = ["preprocess"]

DEEPEST_INCLUDE = 200
IGNORED = {"line", "pragma", "ident", "warning", "sccs", "assert", "unassert"}


@mutable
class Condition:
    """An open #if: where, whether its current part is read, whether a part was read already, whether #else was seen."""

    span: Span
    active: bool
    taken: bool
    closed: bool = False


@mutable
class State:
    macros: dict[str, Macro]
    out: list[Token] = field(default_factory=list)
    includes: list[Source] = field(default_factory=list)


def preprocess(source: Source, defines: tuple[str, ...] = ()) -> list[Token]:
    """The tokens of a model after its directives were obeyed; defines are NAME or NAME=TEXT from the command line."""
    state = State({})
    for define in defines:
        macro = command_line_macro(define)
        state.macros[macro.name] = macro
    read_file(source, state)
    return state.out


def command_line_macro(define: str) -> Macro:
    name, equals, text = define.partition("=")
    if not name.isidentifier():
        raise UserError(None, f"-D{define}: needs NAME or NAME=VALUE")
    source = Source(f"<-D{define}>", text if equals else "1")
    return Macro(name, None, False, tuple(scan(source)), Span(source, 0, len(source.text)))


def read_file(source: Source, state: State) -> None:
    if len(state.includes) >= DEEPEST_INCLUDE:
        raise UserError(Span(source, 0, 0), "#include nested too deeply")
    state.includes.append(source)
    conditions_open: list[Condition] = []
    pending: list[Token] = []  # text tokens up to the next directive, since a macro's arguments may span lines
    for line in directive_lines(scan(source)):
        if is_directive(line):
            flush(pending, state)
            obey(line, conditions_open, state)
        elif all(c.active for c in conditions_open):
            pending.extend(line)
    flush(pending, state)
    if conditions_open:
        raise UserError(conditions_open[-1].span, "this condition is not closed by #endif")
    state.includes.pop()


def flush(pending: list[Token], state: State) -> None:
    if pending:
        expanded = expand(pending, state.macros)
        for token in expanded:
            if token.kind == BAD:
                raise bad_character(token)
        state.out.extend(expanded)
        pending.clear()


def is_directive(line: list[Token]) -> bool:
    return line[0].text == DIRECTIVE and line[0].first


def directive_lines(tokens: list[Token]) -> list[list[Token]]:
    """The tokens cut before and after every directive line."""
    lines: list[list[Token]] = []
    for token in tokens:
        starts = token.first and (token.text == DIRECTIVE or is_directive(lines[-1])) if lines else True
        if starts:
            lines.append([])
        lines[-1].append(token)
    return lines


def obey(line: list[Token], open_conditions: list[Condition], state: State) -> None:
    if len(line) == 1:
        return
    word, rest = line[1], line[2:]
    if word.text in {"if", "ifdef", "ifndef", "elif", "else", "endif"}:
        obey_condition(word, rest, open_conditions, state)
    elif all(c.active for c in open_conditions):
        obey_active(word, rest, state)


def obey_condition(word: Token, rest: list[Token], opened: list[Condition], state: State) -> None:
    here = word.span
    if word.text in {"if", "ifdef", "ifndef"}:
        reached = all(c.active for c in opened)
        holds = reached and condition_holds(word, rest, state)
        opened.append(Condition(here, holds, holds))
        return
    if not opened:
        raise UserError(here, f"#{word.text} without #if")
    top = opened[-1]
    if word.text == "endif":
        opened.pop()
        return
    if top.closed:
        raise UserError(here, f"#{word.text} after #else")
    top.closed = word.text == "else"
    reached = all(c.active for c in opened[:-1]) and not top.taken
    top.active = reached and (top.closed or condition_holds(word, rest, state))
    top.taken = top.taken or top.active


def condition_holds(word: Token, rest: list[Token], state: State) -> bool:
    if word.text in {"ifdef", "ifndef"}:
        if not rest or rest[0].kind != NAME:
            raise UserError(word.span, f"#{word.text} needs a name")
        return (rest[0].text in state.macros) == (word.text == "ifdef")
    return conditions.evaluate(word, rest, state.macros)


def obey_active(word: Token, rest: list[Token], state: State) -> None:
    if word.text == "define":
        macro = parse_macro(word, rest)
        state.macros[macro.name] = macro
    elif word.text == "undef":
        if not rest or rest[0].kind != NAME:
            raise UserError(word.span, "#undef needs a name")
        state.macros.pop(rest[0].text, None)
    elif word.text in {"include", "include_next"}:
        include(word, rest, state)
    elif word.text == "error":
        raise UserError(word.span, "#error " + " ".join(t.text for t in rest))
    elif word.text not in IGNORED and not word.text.isdigit():
        raise UserError(word.span, f"unknown directive #{word.text}")


def include(word: Token, rest: list[Token], state: State) -> None:
    written = bool(rest) and (rest[0].text == "<" or rest[0].kind == STRING)
    tokens = rest if written else expand(rest, state.macros)
    if tokens and tokens[0].kind == STRING:
        name = tokens[0].text[1:-1]
    elif len(tokens) > 2 and tokens[0].text == "<" and tokens[-1].text == ">":
        name = "".join(t.text for t in tokens[1:-1])
    else:
        raise UserError(word.span, '#include needs "file" or <file>')
    path = Path(word.span.file).parent / name
    if not path.exists():
        raise UserError(rest[0].span.to(rest[-1].span), f"{name}: no such file to include")
    if any(Path(s.name).resolve() == path.resolve() for s in state.includes) and len(state.includes) >= DEEPEST_INCLUDE:
        raise UserError(rest[0].span, f"{name} includes itself")
    read_file(read_source(path), state)
