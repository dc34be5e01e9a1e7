"""What Yosys's Verilog has beyond the standard, said in words that slang takes and cells.py understands.

What is chosen by the checker becomes a net that nobody drives, with an attribute that says what it is; a check in an
initial block becomes one about the first state; one about what happens some day says so by its label.
"""

from __future__ import annotations

from quorbit.languages.circuits.assertions.rewrite import DIRECTIVES, MODULES, end_of_statement
from quorbit.languages.circuits.assertions.token_lists import end_of_group, made
from quorbit.languages.circuits.verilog.tokens import Place, Token, place_of

__all__ = ["EVENTUALLY", "FREE", "labels_of_checks", "said_for_slang"]

EVENTUALLY = "$eventually"  # ends the label of a check that is about infinitely many steps
FREE = {"anyconst": "const", "allconst": "const", "anyseq": "free", "allseq": "free", "initstate": "first"}
VALUES = frozenset(f"${name}" for name in FREE if name != "initstate")
FIRST = "\\$initstate"
BEFORE_DECLARATIONS = frozenset([";", "begin", "end", "endgenerate", "endfunction", "endtask", "endcase"])


def said_for_slang(tokens: list[Token]) -> list[Token]:
    tokens = list(map(assumption, tokens))
    out: list[Token] = []
    start = 0  # behind the header of the module
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.text in MODULES and token.kind == "name":
            end = end_of_header(tokens, at)
            out += tokens[at:end]
            start, at = len(out), end
        elif token.text.startswith("end") and token.text[3:] in MODULES:
            if any(t.text == FIRST for t in out[start:]):
                out[start:start] = made(f"(* initstate *) wire {FIRST} ;", token.span)
            out.append(token)
            at += 1
        elif token.text == "initial":
            end = end_of_statement(tokens, at + 1)
            out += initial(token, tokens[at + 1 : end])
            at = end
        elif token.text == "$initstate":
            out += made(f"{FIRST} ", token.span)
            at += 1
        elif token.text == "$isunknown" and tokens[at + 1].text == "(":
            out += made("1'b0", token.span)  # nothing is, as in Yosys
            at = end_of_group(tokens, at + 1)
        elif token.text == "=" and tokens[at + 1].text in VALUES and tokens[at + 2].text == ";":
            place = declaration(out)
            out[place:place] = made(f"(* {tokens[at + 1].text[1:]} *)", token.span)
            at += 2
        elif token.text == "eventually" and len(out) > 3 and out[-3].text in DIRECTIVES:
            label(out)
            at += 1
        else:
            out.append(token)
            at += 1
    return out


def assumption(token: Token) -> Token:
    """Where it is not concurrent, restrict is Yosys's word for assume."""
    return Token("name", "assume", token.span) if token.text == "restrict" and token.kind == "name" else token


def labels_of_checks(tokens: list[Token]) -> dict[Place, str]:
    """By the places where they stand: slang loses those of some checks in clocked blocks."""
    return {
        place_of(name.span): name.text
        for name, colon, word in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if name.kind == "name" and colon.text == ":" and word.text in DIRECTIVES
    }


def end_of_header(tokens: list[Token], at: int) -> int:
    """Behind the ; of the header of a module, which may import packages."""
    while at < len(tokens) and tokens[at].text != ";":
        if tokens[at].text == "import":
            at = next(k for k in range(at, len(tokens)) if tokens[k].text == ";") + 1
        else:
            at = end_of_group(tokens, at) if tokens[at].text == "(" else at + 1
    return at + 1


def initial(word: Token, body: list[Token]) -> list[Token]:
    """An initial block, with its checks behind it."""
    kept: list[Token] = []
    checks: list[Token] = []
    first = 0 if body[0].text != "begin" else 3 if body[1].text == ":" else 1
    at, end = first, len(body) if not first else next(k for k in reversed(range(len(body))) if body[k].text == "end")
    while at < end:
        behind = end_of_statement(body, at)
        if is_check(body, at):
            checks += [*made(f"always_comb if ({FIRST} )", body[at].span), *body[at:behind]]
        else:
            kept += body[at:behind]
        at = behind
    return [*([word, *body[:first], *kept, *body[end:]] if kept else []), *checks]


def is_check(tokens: list[Token], at: int) -> bool:
    return tokens[at + 2 if tokens[at + 1].text == ":" else at].text in DIRECTIVES


def declaration(tokens: list[Token]) -> int:
    """Where the declaration begins whose name was the last token."""
    return next((k + 1 for k in reversed(range(len(tokens))) if tokens[k].text in BEFORE_DECLARATIONS), 0)


def label(out: list[Token]) -> None:
    """Mark the check whose directive, word and bracket were the last tokens."""
    span = out[-3].span
    if out[-4].text == ":":
        out[-5] = Token("name", out[-5].text + EVENTUALLY, span)
    else:
        out[-3:-3] = made(f"{out[-3].text}{len(out)}{EVENTUALLY} :", span)
