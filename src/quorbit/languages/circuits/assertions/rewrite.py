"""Concurrent assertions of a design replaced by monitors, token by token, for whoever reads the design then.

Sequences, properties, default clocking and default disabling are taken out of the text.  Every new token stands where
the assertion stands, so that what is said about it points there.
"""

from __future__ import annotations

import re

from quorbit.languages.circuits.assertions.monitor import (
    ON,
    Monitor,
    disjunction,
    is_recurrence,
    watch_cover,
    watch_failures,
)
from quorbit.languages.circuits.assertions.parse import (
    Named,
    Names,
    Spec,
    computed,
    read_spec,
)
from quorbit.languages.circuits.assertions.sampled import Sampling
from quorbit.languages.circuits.assertions.sequences import Atom
from quorbit.languages.circuits.assertions.token_lists import (
    CLOSE,
    OPEN,
    end_of_group,
    has_assertions,
    made,
    split_commas,
    texts,
)
from quorbit.languages.circuits.covers import PREMISE
from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Span

__all__ = ["DIRECTIVES", "MODULES", "end_of_statement", "rewrite_assertions"]

DIRECTIVES = frozenset(["assert", "assume", "restrict", "cover"])
MODULES = frozenset(["module", "macromodule", "interface", "program"])
BLOCKS = frozenset(["always", "always_ff", "always_comb", "always_latch", "initial", "final"])


@mutable
class Region:
    """What is known inside a module: names, default clock and disabling, labels that are taken."""

    named: dict[str, Named] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    clock: tuple[Token, ...] = ()
    disable: tuple[Token, ...] = ()
    labels: set[str] = field(default_factory=set)


@mutable
class Rewriting:
    tokens: list[Token]
    overridden: frozenset[str]  # modules some of whose parameters are set from outside
    clocked: bool
    out: list[Token] = field(default_factory=list)
    at: int = 0
    count: int = 0
    outside: Region = field(default_factory=Region)

    def text(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""


def rewrite_assertions(tokens: list[Token], parameters: bool = False, clocked: bool = False) -> list[Token]:
    """``parameters``: those of the top module are set from outside, too; ``clocked``: there are moments without a tick,
    at which nothing is asserted."""
    if not has_assertions(tokens):
        return tokens
    r = Rewriting(tokens, overridden_modules(tokens, parameters), clocked)
    region = r.outside
    while r.at < len(r.tokens):
        token = r.tokens[r.at]
        if token.text in MODULES and token.kind == "name":
            region = Region(dict(r.outside.named))
            region.constants = constants_of(r)
        elif token.text in ("endmodule", "endinterface", "endprogram"):
            region = r.outside
        if not item(r, region):
            r.out.append(token)
            r.at += 1
    return r.out


def overridden_modules(tokens: list[Token], parameters: bool) -> frozenset[str]:
    """Modules whose instances give parameters; "*": any of them."""
    found = {
        name.text
        for before, name, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if after.text == "#" and name.kind == "name" and before.text not in MODULES  # else it is declared there
    }
    found |= {"*"} if parameters or any(t.text == "defparam" for t in tokens) else set()
    return frozenset(found)


def constants_of(r: Rewriting) -> dict[str, int]:
    """Parameters with a number that no instance changes, and local ones, of the module that begins here."""
    end = next((k for k in range(r.at, len(r.tokens)) if r.tokens[k].text == "endmodule"), len(r.tokens))
    inside = r.tokens[r.at : end]
    changed = "*" in r.overridden or r.text(1) in r.overridden
    found: dict[str, int] = {}
    local = False
    for k, token in enumerate(inside):
        if token.text in ("parameter", "localparam"):
            local = token.text == "localparam"
        elif token.text == "=" and k and inside[k - 1].kind == "name" and (local or not changed):
            words = [str(found.get(t.text, t.text)) for t in inside[k + 1 : end_of_value(inside, k + 1)]]
            if is_parameter(inside, k) and (value := computed(words)) is not None:
                found[inside[k - 1].text] = value
    return found


def end_of_value(tokens: list[Token], start: int) -> int:
    """Behind the value of a parameter: the list of parameters may end there, and that of the ports begin."""
    depth = 0
    for k in range(start, len(tokens)):
        depth += (tokens[k].text in OPEN) - (tokens[k].text in CLOSE)
        if depth < 0 or (depth == 0 and tokens[k].text in (",", ";")):
            return k
    return len(tokens)


def is_parameter(tokens: list[Token], k: int) -> bool:
    """Whether the = at k gives a value to a parameter: the word before the names and values says so."""
    for j in range(k - 1, -1, -1):
        if tokens[j].text in ("parameter", "localparam"):
            return True
        if tokens[j].text == ";" or tokens[j].text in DIRECTIVES:
            return False
    return False


def item(r: Rewriting, region: Region) -> bool:
    """Take what begins here if it concerns assertions; whether it did."""
    token = r.tokens[r.at]
    if token.kind != "name":
        return False
    if token.text in ("sequence", "property") and r.text(1) and r.tokens[r.at + 1].kind == "name":
        declare(r, region)
    elif token.text == "default" and r.text(1) in ("clocking", "disable"):
        default(r, region)
    elif token.text in DIRECTIVES and is_concurrent(r):
        directive(r, region, region.clock)
    elif token.text in BLOCKS:
        block(r, region)
    else:
        return False
    return True


def is_concurrent(r: Rewriting) -> bool:
    return r.text(1) == "property" or (r.text() == "cover" and r.text(1) == "sequence")


def declare(r: Rewriting, region: Region) -> None:
    """sequence or property NAME [(formals)]; body endsequence or endproperty [: NAME]"""
    kind, name = r.text(), r.tokens[r.at + 1]
    end = next((k for k in range(r.at, len(r.tokens)) if r.tokens[k].text == f"end{kind}"), -1)
    if end < 0:
        raise UserError(name.span, f"the {kind} {name.text} has no end{kind}")
    at, formals = r.at + 2, list[tuple[str, tuple[Token, ...]]]()
    if r.tokens[at].text == "(":
        close = end_of_group(r.tokens, at)
        for part in split_commas(r.tokens[at + 1 : close - 1]):
            words = texts(part)
            cut = words.index("=") if "=" in words else len(part)
            formals.append((part[cut - 1].text, tuple(part[cut + 1 :])))
        at = close
    at += r.tokens[at].text == ";"
    body = r.tokens[at:end]
    while body and body[-1].text == ";":
        body.pop()
    if any(t.text == ";" for t in body):
        inner = next(t for t in body if t.text == ";")
        raise UserError(inner.span, f"local variables of a {kind} are not supported")
    region.named[name.text] = Named(kind, name.text, tuple(formals), tuple(body), name.span)
    r.at = end + (3 if end + 1 < len(r.tokens) and r.tokens[end + 1].text == ":" else 1)


def default(r: Rewriting, region: Region) -> None:
    if r.text(1) == "disable":
        end = next(k for k in range(r.at, len(r.tokens)) if r.tokens[k].text in (";", ""))
        region.disable = tuple(r.tokens[r.at + 3 : end])
        r.at = end + 1
        return
    end = next((k for k in range(r.at, len(r.tokens)) if r.tokens[k].text in ("endclocking", ";")), r.at)
    event = next((k for k in range(r.at, end) if r.tokens[k].text == "@"), None)
    if event is None:
        raise UserError(r.tokens[r.at].span, "default clocking needs an event: default clocking @(posedge clk);")
    region.clock = tuple(r.tokens[event + 2 : end_of_group(r.tokens, event + 1) - 1])
    stop = next((k for k in range(r.at, len(r.tokens)) if r.tokens[k].text == "endclocking"), None)
    r.at = end + 1 if stop is None else stop + (3 if r.tokens[stop + 1].text == ":" else 1)


def block(r: Rewriting, region: Region) -> None:
    """A block; what it asserts as a property is a plain condition there, or the only statement of a clocked block."""
    begin, end = r.at, end_of_statement(r.tokens, r.at + 1)
    body = begin + 1
    clock: tuple[Token, ...] = ()
    if r.tokens[body].text == "@" and r.tokens[body + 1].text == "(":
        clock = tuple(r.tokens[body + 2 : end_of_group(r.tokens, body + 1) - 1])
        body = end_of_group(r.tokens, body + 1)
    first = body + (2 if r.tokens[body + 1].text == ":" else 0)
    r.at = first
    if len(clock) == 2 and r.tokens[first].text in DIRECTIVES and is_concurrent(r):
        r.out += r.tokens[body:first]
        directive(r, region, clock)
        return
    r.at = begin
    while r.at < end:
        if r.tokens[r.at].text in DIRECTIVES and is_concurrent(r):
            inside_block(r, region)
        else:
            r.out.append(r.tokens[r.at])
            r.at += 1


def inside_block(r: Rewriting, region: Region) -> None:
    word = r.tokens[r.at]
    close = end_of_group(r.tokens, r.at + 2)
    spec = read_spec(r.tokens[r.at + 3 : close - 1], Names(region.named, region.constants), word.span)
    if not isinstance(spec.sequence, Atom) or spec.disable or len(spec.atoms) > 1:
        raise UserError(word.span, "an assertion about several ticks cannot stand inside a block; move it out of it")
    condition = list(spec.atoms[0]) if spec.atoms else made("1", word.span)
    kind = Token("name", "assume" if word.text == "restrict" else word.text, word.span)
    r.out += [kind, *made("(", word.span), *condition, *made(")", word.span), *made(";", word.span)]
    r.at = end_of_action(r.tokens, close)


def directive(r: Rewriting, region: Region, clock: tuple[Token, ...]) -> None:
    """One assertion outside of blocks becomes its monitor."""
    word = r.tokens[r.at]
    kind = "assume" if word.text == "restrict" else word.text
    if r.text(2) != "(":
        raise UserError(word.span, f"expected ( after {word.text} {r.text(1)}")
    close = end_of_group(r.tokens, r.at + 2)
    if close < 0:
        raise UserError(r.tokens[r.at + 2].span, "this ( is not closed")
    spec = read_spec(r.tokens[r.at + 3 : close - 1], Names(region.named, region.constants), word.span, kind == "cover")
    spec.clock = spec.clock or clock
    spec.disable = spec.disable or region.disable
    label = take_label(r, region, kind, word)
    r.count += 1
    span = word.span.to(r.tokens[close - 1].span)
    r.out += monitor_of(spec, kind, label, f"$sva{r.count}_", span, r.clocked)
    r.at = end_of_action(r.tokens, close)


def take_label(r: Rewriting, region: Region, kind: str, word: Token) -> str:
    """The name before the directive, which is taken back; else its kind and line.  No other directive has it."""
    found = f"{kind}${word.span.line}"
    if len(r.out) > 1 and r.out[-1].text == ":" and r.out[-2].kind == "name":
        r.out.pop()
        found = r.out.pop().text
    label, k = found, 1
    while label in region.labels:
        k += 1
        label = f"{found}_{k}"
    region.labels.add(label)
    return label


def monitor_of(spec: Spec, kind: str, label: str, prefix: str, span: Span, clocked: bool) -> list[Token]:
    if not spec.clock:
        if isinstance(spec.sequence, Atom):
            return unclocked(spec, kind, label, span)
        raise UserError(span, "this assertion needs a clock: @(posedge clk), or default clocking")
    m = Monitor(prefix, span)
    sampling = Sampling(prefix, spec.clock, span)
    atoms = [sampling.plain(list(tokens)) for tokens in spec.atoms]
    off = sampling.plain(list(spec.disable))
    if off:
        m.on = f"!{m.name('off')}"
    parts: list[Token] = [*sampling.declared]
    for k, tokens in enumerate([*atoms, *([off] if off else [])]):
        name = m.name(f"a{k}" if k < len(atoms) else "off")
        parts += [*made(f"wire {name} = (", span), *tokens, *made(") ? 1'b1 : 1'b0;", span)]
    return [*parts, *checks(m, spec, kind, label, clocked)]


def checks(m: Monitor, spec: Spec, kind: str, label: str, clocked: bool) -> list[Token]:
    """The registers of the monitor and what is claimed about it."""
    at = "always @(" + " ".join(texts(spec.clock)) + ")"

    def claim(name: str, what: str, condition: str) -> str:
        return (
            f"{at} {named(name)} {what} ({condition});" if clocked else f"{named(name)} {what} property ({condition});"
        )

    claims: list[str] = []
    if kind == "cover":
        reached = m.wire(watch_cover(m, spec.body, m.on))
        claims.append(claim(label, "cover", reached))
    elif kind == "assume" and is_recurrence(spec.body) and m.on == ON:
        watch_failures(m, spec.body.body, ON)  # type: ignore[union-attr]
        claims.append(f"assume property (eventually !{m.wire(disjunction(m.failures))});")
    else:
        watch_failures(m, spec.body, m.on)
        if m.waits and kind == "assume":
            raise UserError(
                m.span, "an assumption about what happens some day is supported as s_eventually of a condition"
            )
        failed = m.wire(disjunction(m.failures))
        if m.waits:
            bad = m.register()
            m.registers[bad] = disjunction((bad, failed))
            waits = m.wire(disjunction([bad, *m.waits]))
            claims.append(f"{named(label)} assert property (eventually !({waits}));")
        else:
            claims.append(claim(label, kind, f"!{failed}"))
        if m.premises and kind == "assert":
            claims.append(claim(label + PREMISE, "cover", m.premises[-1]))
    lines = [f"wire {name} = {value};" for name, value in m.wires.items()]
    if m.registers:
        lines.insert(0, f"reg {', '.join(m.registers)};")
        lines.append("initial begin " + " ".join(f"{name} = 1'b0;" for name in m.registers) + " end")
        lines.append(f"{at} begin " + " ".join(f"{name} <= {value};" for name, value in m.registers.items()) + " end")
    return made(" ".join([*lines, *claims]), m.span)


def unclocked(spec: Spec, kind: str, label: str, span: Span) -> list[Token]:
    """A condition without a clock is one about every moment."""
    condition = list(spec.atoms[0]) if spec.atoms else made("1", span)
    if spec.disable:
        join = ") && !(" if kind == "cover" else ") || ("
        condition = [*made("(", span), *condition, *made(join, span), *spec.disable, *made(")", span)]
    return [*made(f"{named(label)} {kind} property (", span), *condition, *made(");", span)]


def named(label: str) -> str:
    """A label, which is a plain word for Yosys."""
    return re.sub(r"[^\w$]", "_", label.removeprefix("\\")) + " :"


def end_of_action(tokens: list[Token], at: int) -> int:
    """Behind the statements that an assertion runs when it passes or fails; they print, and are left out."""
    if tokens[at].text == ";":
        return at + 1
    if tokens[at].text != "else":
        at = end_of_statement(tokens, at)
    if at < len(tokens) and tokens[at].text == "else":
        at = end_of_statement(tokens, at + 1)
    return at


def end_of_statement(tokens: list[Token], at: int) -> int:
    """Behind the statement that begins at ``at``."""
    text = tokens[at].text if at < len(tokens) else ""
    if at >= len(tokens) or text in ("", "endmodule"):
        raise UserError(tokens[-1].span, "a statement is not complete")
    if text in ("@", "#"):
        at += 1
        at = end_of_group(tokens, at) if tokens[at].text == "(" else at + 1
        return end_of_statement(tokens, at)
    if text in ("begin", "fork", "case", "casez", "casex"):
        return end_of_block(tokens, at)
    if tokens[at].kind == "name" and tokens[at + 1].text == ":" and text != "default":
        return end_of_statement(tokens, at + 2)
    if text in ("if", "for", "while", "repeat", "wait", "foreach"):
        at = end_of_statement(tokens, end_of_group(tokens, at + 1))
        if text == "if" and at < len(tokens) and tokens[at].text == "else":
            return end_of_statement(tokens, at + 1)
        return at
    if text in ("unique", "unique0", "priority", "forever"):
        return end_of_statement(tokens, at + 1)
    if text in DIRECTIVES and tokens[at + 1].text in ("property", "(", "final", "#"):
        opening = next(k for k in range(at, len(tokens)) if tokens[k].text == "(")
        return end_of_action(tokens, end_of_group(tokens, opening))
    while tokens[at].text != ";":
        if tokens[at].kind == "end":
            raise UserError(tokens[at].span, "a statement is not complete")
        at = end_of_group(tokens, at) if tokens[at].text in ("(", "[", "{") else at + 1
    return at + 1


def end_of_block(tokens: list[Token], at: int) -> int:
    depth = 0
    for k in range(at, len(tokens)):
        text = tokens[k].text
        depth += text in ("begin", "fork", "case", "casez", "casex")
        depth -= text in ("end", "join", "join_any", "join_none", "endcase")
        if depth == 0:
            return k + (3 if tokens[k + 1].text == ":" and text == "end" else 1)
    raise UserError(tokens[at].span, f"this {tokens[at].text} has no end")
