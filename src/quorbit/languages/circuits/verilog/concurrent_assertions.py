"""Concurrent assertions of SystemVerilog, rewritten as the clocked immediate ones that Yosys reads.

``name: assert property (@(posedge clk) disable iff (r) a |-> b);`` becomes a block that asserts ``!(a) || (b)`` at
every tick where r is 0; ``|=>`` remembers a for one tick.  Named properties without arguments, default clocking and
default disabling are put in.  Sequences with delays and repetitions, and operators about later ticks, are refused by
name.  Every line stays on its number, so that what Yosys says of a place holds for the text as written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span

__all__ = ["rewrite_assertions"]

HIDDEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
DIRECTIVE = re.compile(r"(?:\b([A-Za-z_]\w*)\s*:\s*)?\b(assert|assume|restrict|cover)\s+property\s*\(")
NAMED = re.compile(r"\bproperty\s+([A-Za-z_]\w*)\s*(?:\(\s*\)\s*)?;(.*?)\bendproperty\b(?:\s*:\s*\w+)?", re.DOTALL)
CLOCKING = re.compile(r"\bdefault\s+clocking\b[^;@]*(@\s*\([^)]*\))\s*;?\s*endclocking\b(?:\s*:\s*\w+)?", re.DOTALL)
DISABLING = re.compile(r"\bdefault\s+disable\s+iff\b([^;]*);")
EVENT = re.compile(r"\s*@\s*\(([^()]*)\)")
UNLESS = re.compile(r"\s*disable\s+iff\s*\(")
LATER = re.compile(
    r"##|\[\s*(?:\*|=|->)|\b(?:s_eventually|eventually|s_nexttime|nexttime|s_always|always|s_until_with|s_until|until_with"
    r"|until|throughout|within|intersect|first_match|strong|weak|accept_on|reject_on)\b"
)


@dataclass
class Rewriting:
    source: Source
    text: str  # with the same length and lines as the source until the directives are replaced
    properties: dict[str, tuple[str, int]] = field(default_factory=dict)  # body and where it stands
    clock: str = ""
    disable: str = ""
    count: int = 0


def rewrite_assertions(source: Source) -> str:
    """The text of a design with its concurrent assertions rewritten."""
    hidden = HIDDEN.sub(lambda m: blank(m.group()), source.text)
    if DIRECTIVE.search(hidden) is None:
        return source.text
    r = Rewriting(source, source.text)
    take_out(r, hidden, NAMED, lambda m: r.properties.update({m.group(1): (m.group(2).strip(" \t\n;"), m.start(2))}))
    take_out(r, hidden, CLOCKING, lambda m: setattr(r, "clock", m.group(1)))
    take_out(r, hidden, DISABLING, lambda m: setattr(r, "disable", m.group(1).strip()))
    parts, at = [], 0
    for m in DIRECTIVE.finditer(hidden):
        close = closing(hidden, m.end() - 1)
        end = hidden.find(";", close)
        if m.start() < at or close < 0 or end < 0:
            continue
        replaced = rewritten(r, m, hidden[m.end() : close])
        if replaced is not None:
            lines = source.text.count("\n", m.start(), end + 1)
            parts += [r.text[at : m.start()], replaced, "\n" * lines]
            at = end + 1
    return "".join([*parts, r.text[at:]])


def blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def take_out(r: Rewriting, hidden: str, pattern: re.Pattern[str], note: Callable[[re.Match[str]], object]) -> None:
    for m in pattern.finditer(hidden):
        note(m)
        r.text = r.text[: m.start()] + blank(m.group()) + r.text[m.end() :]


def closing(text: str, start: int) -> int:
    """Where the parenthesis that opens at ``start`` is closed; -1 if it is not."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def rewritten(r: Rewriting, m: re.Match[str], body: str) -> str | None:
    """The blocks for one directive; None if Yosys reads it as it is."""
    at = m.end()
    if (known := r.properties.get(body.strip())) is not None:
        body, at = known
    later = LATER.search(body)
    if later is not None:
        span = Span(r.source, at + later.start(), at + later.end())
        raise UserError(span, f"{later.group().strip()} is not supported; write the property with registers or as CTL")
    clock, body = taken(EVENT, body)
    unless, body = taken_disable(body)
    clock, unless = clock or r.clock, unless or r.disable
    before, implies, after = split_implication(body)
    if not clock:
        if implies == "|=>" or "$past" in body:
            raise UserError(Span(r.source, m.start(), m.end()), "this property needs a clock: @(posedge clk)")
        if not implies and not unless:
            return None
    r.count += 1
    return blocks(
        m, " ".join(clock.split()) or "@*", one_line(unless), one_line(before), implies, one_line(after), r.count
    )


def one_line(text: str) -> str:
    return " ".join(text.split())


def taken(pattern: re.Pattern[str], body: str) -> tuple[str, str]:
    """What a pattern finds at the start, and the rest."""
    m = pattern.match(body)
    return (m.group().strip(), body[m.end() :]) if m else ("", body)


def taken_disable(body: str) -> tuple[str, str]:
    m = UNLESS.match(body)
    if m is None:
        return "", body
    close = closing(body, m.end() - 1)
    return body[m.end() : close], body[close + 1 :]


def split_implication(body: str) -> tuple[str, str, str]:
    """Left side, operator and right side of an implication at the top level; the body alone if there is none."""
    depth = 0
    for i, character in enumerate(body):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if depth == 0 and body.startswith(("|->", "|=>"), i):
            return body[:i], body[i : i + 3], body[i + 3 :]
    return body, "", ""


def blocks(m: re.Match[str], clock: str, unless: str, before: str, implies: str, after: str, number: int) -> str:
    label = f"{m.group(1)}: " if m.group(1) else ""
    kind = m.group(2)
    guard = f"if (!({unless})) " if unless else ""
    memory = ""
    if implies == "|=>":
        held = f"quorbit_held_{number}"
        condition = f"!{held} || ({after})" if kind != "cover" else f"{held} && ({after})"
        first = f"({before}) && !({unless})" if unless else before
        memory = f"reg {held}; initial {held} = 0; always {clock} {held} <= ({first}) ? 1'b1 : 1'b0; "
    elif implies:
        condition = f"!({before}) || ({after})" if kind != "cover" else f"({before}) && ({after})"
    else:
        condition = before
    return f"{memory}always {clock} {guard}{label}{kind} ({condition});"
