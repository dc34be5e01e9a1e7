"""Macros of the preprocessor: their definitions and their replacement (C99, 6.10.3, with # and ## and ...)."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.languages.promela.parse.tokens import NAME, NUMBER, SIGN, STRING, Token, scan
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span

LARGEST_EXPANSION = 200_000  # tokens that macros may add
VARIADIC = "__VA_ARGS__"
Hidden = frozenset[str]
Marked = tuple[Token, Hidden]
NOTHING: Hidden = frozenset()


@frozen
class Macro:
    """``#define name(parameters) body``; parameters is None for an object-like macro."""

    name: str
    parameters: tuple[str, ...] | None
    variadic: bool
    body: tuple[Token, ...]
    span: Span


def parse_macro(word: Token, rest: list[Token]) -> Macro:
    """The macro of a #define line."""
    if not rest or rest[0].kind != NAME:
        raise UserError(word.span, "#define needs a name")
    name = rest[0]
    if name.text == "defined":
        raise UserError(name.span, "'defined' cannot be a macro")
    if len(rest) > 1 and rest[1].text == "(" and rest[1].span.start == name.span.end:
        parameters, variadic, body = parse_parameters(name, rest[2:])
        return Macro(name.text, parameters, variadic, tuple(body), name.span)
    return Macro(name.text, None, False, tuple(rest[1:]), name.span)


def parse_parameters(name: Token, tokens: list[Token]) -> tuple[tuple[str, ...], bool, list[Token]]:
    names: list[str] = []
    variadic = False
    for i, token in enumerate(tokens):
        if token.text == ")":
            return tuple(names), variadic, tokens[i + 1 :]
        if token.text == "...":
            names.append(VARIADIC)
            variadic = True
        elif token.kind == NAME and token.text not in names:
            names.append(token.text)
        elif token.text != ",":
            raise UserError(token.span, f"unexpected '{token.text}' in the parameters of macro {name.text}")
    raise UserError(name.span, f"the parameters of macro {name.text} are not closed")


def expand(tokens: Iterable[Token], macros: dict[str, Macro]) -> list[Token]:
    """The tokens with all macros replaced."""
    tokens = list(tokens)
    if not any(t.kind == NAME and (t.text in macros or t.text == "__LINE__") for t in tokens):
        return tokens
    return [t for t, _ in expand_marked([(t, NOTHING) for t in tokens], macros)]


def expand_marked(tokens: list[Marked], macros: dict[str, Macro]) -> list[Marked]:
    """Replace from left to right; a name is not replaced inside its own expansion (Prosser's algorithm)."""
    todo = tokens[::-1]
    out: list[Marked] = []
    while todo:
        token, hidden = todo.pop()
        if token.kind == NAME and token.text == "__LINE__" and "__LINE__" not in macros:
            token = Token(NUMBER, str(token.span.line), token.span, token.first)
        macro = macros.get(token.text) if token.kind == NAME and not token.fixed else None
        if macro is None or token.text in hidden:
            out.append((token, hidden))
        elif macro.parameters is None:
            push(todo, token, paste(substitute(macro, [], macros)), hidden | {macro.name})
        elif not todo or todo[-1][0].text != "(":
            out.append((token, hidden))
        else:
            arguments, closing = take_arguments(token, macro, todo)
            push(todo, token, paste(substitute(macro, arguments, macros)), (hidden & closing) | {macro.name})
        if len(out) + len(todo) - len(tokens) > LARGEST_EXPANSION:
            raise UserError(token.span, f"macros expand to more than {LARGEST_EXPANSION} tokens")
    return out


def push(todo: list[Marked], call: Token, body: list[Marked], hidden: Hidden) -> None:
    """Put a replacement back in front; its tokens stand on the line of the call."""
    if not body and call.first and todo:
        token, h = todo.pop()
        todo.append((token._replace(first=True), h))
    for i in range(len(body) - 1, -1, -1):
        token, h = body[i]
        todo.append((token._replace(first=call.first and i == 0, place=call.place or call.span), h | hidden))


def take_arguments(call: Token, macro: Macro, todo: list[Marked]) -> tuple[list[list[Marked]], Hidden]:
    """The arguments of a call (todo is reversed and starts with the opening bracket)."""
    todo.pop()
    arguments: list[list[Marked]] = [[]]
    depth = 0
    assert macro.parameters is not None
    while todo:
        token, hidden = todo.pop()
        if token.text == ")" and depth == 0 and token.kind == SIGN:
            return checked_arguments(call, macro, arguments), hidden
        rest_is_one = macro.variadic and len(arguments) >= len(macro.parameters)
        if token.text == "," and depth == 0 and token.kind == SIGN and not rest_is_one:
            arguments.append([])
            continue
        if token.kind == SIGN:
            depth += (token.text == "(") - (token.text == ")")
        arguments[-1].append((token, hidden))
    raise UserError(call.span, f"the call of macro {macro.name} is not closed")


def checked_arguments(call: Token, macro: Macro, arguments: list[list[Marked]]) -> list[list[Marked]]:
    assert macro.parameters is not None
    wanted = len(macro.parameters)
    if wanted == 0 and arguments == [[]]:
        return []
    if macro.variadic and len(arguments) == wanted - 1:
        arguments = [*arguments, []]
    if len(arguments) != wanted:
        raise UserError(call.span, f"macro {macro.name} takes {wanted} arguments, not {len(arguments)}")
    return arguments


def substitute(macro: Macro, arguments: list[list[Marked]], macros: dict[str, Macro]) -> list[Marked]:
    """The body with the arguments in place of the parameters; operands of # and ## are taken as written."""
    place = {name: i for i, name in enumerate(macro.parameters or ())}
    full: dict[int, list[Marked]] = {}
    out: list[Marked] = []
    body = macro.body
    i = 0
    while i < len(body):
        token = body[i]
        following = body[i + 1] if i + 1 < len(body) else None
        if token.text == "#" and macro.parameters is not None and following and following.text in place:
            out.append((quoted(arguments[place[following.text]], token), NOTHING))
            i += 2
            continue
        if token.kind == NAME and token.text in place:
            at = place[token.text]
            pasted = (following is not None and following.text == "##") or (i > 0 and body[i - 1].text == "##")
            if pasted:
                out.extend(arguments[at] or [(Token(SIGN, "", token.span), NOTHING)])
            else:
                if at not in full:
                    full[at] = expand_marked(arguments[at], macros)
                out.extend(full[at])
        else:
            out.append((token, NOTHING))
        i += 1
    return out


def quoted(argument: list[Marked], at: Token) -> Token:
    text = ""
    for i, (token, _) in enumerate(argument):
        spaced = i > 0 and token.span.start != argument[i - 1][0].span.end
        written = token.text.replace("\\", "\\\\").replace('"', '\\"') if token.kind == STRING else token.text
        text += (" " if spaced else "") + written
    return Token(STRING, f'"{text}"', at.span)


def paste(body: list[Marked]) -> list[Marked]:
    """Join the neighbours of every ##."""
    if not any(token.text == "##" for token, _ in body):
        return [(token, h) for token, h in body if token.text]
    out: list[Marked] = []
    i = 0
    while i < len(body):
        token, hidden = body[i]
        if token.text == "##" and out and i + 1 < len(body):
            left, right = out.pop()[0], body[i + 1][0]
            joined = scan(Source("<pasted>", left.text + right.text))
            out.extend((t._replace(span=left.span, first=left.first, fixed=False), hidden) for t in joined)
            i += 1
        else:
            out.append((token, hidden))
        i += 1
    return [(token, h) for token, h in out if token.text]
