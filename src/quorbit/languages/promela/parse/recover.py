"""Go on behind a mistake, so that one reading of a model tells several: behind the statement, or at the next unit."""

from __future__ import annotations

from quorbit.languages.promela.parse.cursor import SEPARATORS
from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.tokens import END, NAME, SIGN
from quorbit.source.errors import UserError, raise_all
from quorbit.source.frozen import frozen

MOST_MISTAKES = 20
UNITS = {"active", "proctype", "D_proctype", "init", "never", "trace", "notrace", "ltl", "typedef", "inline"}
OPENING, CLOSING = {"{", "if", "do"}, {"}", "fi", "od"}


@frozen
class Mark:
    """How the parser stood before a statement."""

    waiting: int
    depth: int
    block: tuple[int, ...]
    loops: tuple[int, ...]
    inline: int
    inlines: int
    results: int


def mark(p: Parser) -> Mark:
    cursor, names = p.cursor, p.names
    inlines = len(p.active_inlines)
    return Mark(
        len(cursor.waiting), cursor.depth, names.block, tuple(p.loops), p.inline, inlines, len(p.results)
    )  # fmt: skip


def note(p: Parser, error: UserError) -> None:
    """Keep what is wrong; the same complaint is made once, and many end the reading."""
    known = {diagnostic.message for diagnostic in p.wrong}
    p.wrong += [diagnostic for diagnostic in error.diagnostics if diagnostic.message not in known]
    if len(p.wrong) >= MOST_MISTAKES:
        raise_all(p.wrong)


def skip_statement(p: Parser, before: Mark) -> None:
    """As the parser stood before the statement, but behind it."""
    while len(p.cursor.waiting) > before.waiting:
        p.cursor.leave()
    p.cursor.depth, p.cursor.brackets = before.depth, 0
    p.names.block, p.loops, p.inline = before.block, list(before.loops), before.inline
    del p.active_inlines[before.inlines :], p.results[before.results :]
    p.printing = p.in_formula = p.arrays_allowed = False
    p.structures_allowed = 0
    inner = 0
    while (token := p.cursor.peek()).kind != END:
        is_sign = token.kind in (SIGN, NAME)
        if not inner and is_sign and (token.text in SEPARATORS or token.text in CLOSING or token.text == "::"):
            return
        inner += (is_sign and token.text in OPENING) - (is_sign and token.text in CLOSING)
        p.cursor.next()


def skip_unit(p: Parser) -> None:
    """Up to the next word that begins a proctype, a claim, a typedef or an inline."""
    while p.cursor.waiting:
        p.cursor.leave()
    p.cursor.depth = p.cursor.brackets = 0
    p.cursor.in_body = p.in_formula = False
    p.names.close_scope()
    p.active_inlines.clear()
    p.results.clear()
    p.cursor.next()
    while (token := p.cursor.peek()).kind != END and not (token.kind == NAME and token.text in UNITS):
        p.cursor.next()
