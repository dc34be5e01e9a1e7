"""$past, $rose, $fell, $stable and $changed inside assertions: registers that hold what was there a tick before.

Before the first tick they may hold anything, as in Yosys.
"""

from __future__ import annotations

from quorbit.languages.circuits.assertions.token_lists import end_of_group, made, split_commas
from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Span

SAMPLED = frozenset(["$past", "$rose", "$fell", "$stable", "$changed", "$sampled"])
MOST_PAST = 64


@mutable
class Sampling:
    prefix: str
    clock: tuple[Token, ...]
    span: Span
    declared: list[Token] = field(default_factory=list)  # the registers and wires that were needed
    known: dict[tuple[str, ...], str] = field(default_factory=dict)
    count: int = 0

    def plain(self, tokens: list[Token]) -> list[Token]:
        """The expression with registers instead of sampled values."""
        out: list[Token] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.text in SAMPLED and at + 1 < len(tokens) and tokens[at + 1].text == "(":
                end = end_of_group(tokens, at + 1)
                out += self.value(token, [self.plain(part) for part in split_commas(tokens[at + 2 : end - 1])])
                at = end
            else:
                out.append(token)
                at += 1
        return out

    def value(self, word: Token, given: list[list[Token]]) -> list[Token]:
        if not given or not given[0] or (len(given) > 1 and word.text != "$past"):
            raise UserError(word.span, f"{word.text} takes an expression")
        e = given[0]
        if word.text == "$sampled":
            return [*self.made("("), *e, *self.made(")")]
        if word.text == "$past":
            return self.past(word, e, given[1:])
        if word.text in ("$stable", "$changed"):
            before = self.before(e, [])
            return [*self.made("(("), *e, *self.made(f") {'==' if word.text == '$stable' else '!='} {before})")]
        last = self.name()  # of one bit, so the lowest of the expression
        self.declared += [*self.made(f"wire {last} ; assign {last} = "), *e, *self.made(";")]
        before = self.before(self.made(last), [])
        return self.made(f"({last} & !{before})" if word.text == "$rose" else f"(!{last} & {before})")

    def past(self, word: Token, e: list[Token], more: list[list[Token]]) -> list[Token]:
        ticks = 1
        if more and more[0]:
            text = more[0][0].text
            if len(more[0]) != 1 or not text.isdecimal() or not 1 <= int(text) <= MOST_PAST:
                raise UserError(word.span, f"the number of ticks of $past is a number from 1 to {MOST_PAST}")
            ticks = int(text)
        if len(more) > 2:
            raise UserError(word.span, "$past with a clock of its own is not supported")
        gate = more[1] if len(more) > 1 else []
        for _ in range(ticks):
            e = self.made(self.before(e, gate))
        return e

    def before(self, e: list[Token], gate: list[Token]) -> str:
        """The name of the register that holds what an expression was at the tick before (at which the gate was 1)."""
        key = (*(t.text for t in e), "@", *(t.text for t in gate))
        if key not in self.known:
            self.known[key] = name = self.name()
            condition = [*self.made("if ("), *gate, *self.made(")")] if gate else []
            self.declared += [*self.made("reg [$bits("), *e, *self.made(f") - 1 : 0] {name} ;")]
            self.declared += [*self.made("always @("), *self.clock, *self.made(")"), *condition]
            self.declared += [*self.made(f"{name} <= "), *e, *self.made(";")]
        return self.known[key]

    def name(self) -> str:
        self.count += 1
        return f"\\{self.prefix}p{self.count} "

    def made(self, text: str) -> list[Token]:
        return made(text, self.span)
