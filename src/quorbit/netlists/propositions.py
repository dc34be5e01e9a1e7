"""The atomic propositions of VIS: ``net=value``, ``net={A,B}``, ``vec[3:0]=b0101``, ``vec==vec``, or a boolean net
alone.

A vector is the nets ``vec<3>`` ... ``vec<0>`` (or ``vec[3]`` ...).  Unlike VIS we also take ``net!=value``, compare
unsigned numbers as in ``vec<=4`` or ``vec[2:0]>1``, and leave out ``=1``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Hashable

from quorbit.model.system.formula import Formula, Iff, Not, Proposition, Truth, conjoin, disjoin
from quorbit.netlists.netlist import BOOLEAN, Domain, Netlist
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span
from quorbit.source.suggest import did_you_mean

__all__ = ["Names", "NetIs", "NetsAgree", "proposition_reader", "read_number"]

NAME = re.compile(r"(?:[A-Za-z0-9_.$@/?%:\\|~](?<!:)|<\*?\d+\*?>|\[\s*\d+\s*(?::\s*\d+\s*)?\])+")
WORD, WORD_INDEX = re.compile(r"<\*\d+\*>$"), re.compile(r"\[(\d+)\]$")  # of a memory, as VIS and as Verilog name it
INDEXED = re.compile(r"(.*)\[(\d+)(?::(\d+))?\]$")
RELATION = re.compile(r"\s*(==|!=|<=(?!>)|>=|=(?!>)|<(?!-)|>)\s*")
ORDERS = ("<", "<=", ">", ">=")
VALUE = re.compile(r"[A-Za-z0-9_.$@'\-]+")
LITERALS = (
    (re.compile(r"(?:0b|b)([01_]+)$"), 2),
    (re.compile(r"(?:0x|x)([0-9a-fA-F_]+)$"), 16),
    (re.compile(r"i?(\d+)$"), 10),
)
SIZED = re.compile(r"(\d*)'([bBoOdDhH])([0-9a-fA-F_]+)$")  # as Verilog writes it
BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
WIDEST = 1024


@frozen
class NetIs:
    """The net has one of these values."""

    net: str
    values: tuple[int, ...]


@frozen
class NetsAgree:
    """Two nets of one domain have the same value."""

    left: str
    right: str


@frozen
class Names:
    """The nets of a netlist as properties call them."""

    netlist: Netlist
    known: Container[str]

    def net(self, name: str) -> str | None:
        """The net with this name, if there is one."""
        found = self.netlist.resolve(name)
        return found if found in self.known else None


def proposition_reader(names: Names, all_names: list[str]) -> Callable[[Span], tuple[Hashable, int]]:
    """A reader for logic.parse: the proposition at the start of a span and where it ends."""

    def read(span: Span) -> tuple[Hashable, int]:
        text = span.source.text
        match = NAME.match(text, span.start, span.end)
        if match is None or not match.group().strip():
            raise UserError(
                Span(span.source, span.start, min(span.start + 1, span.end)), "expected a proposition such as net=value"
            )
        where = Span(span.source, match.start(), match.end())
        relation = RELATION.match(text, match.end(), span.end)
        return read_rest(names, all_names, where, relation, span.end)

    return read


def read_rest(
    names: Names, all_names: list[str], where: Span, relation: re.Match[str] | None, limit: int
) -> tuple[Hashable, int]:
    name = re.sub(r"\s", "", where.text)
    if relation is None:
        if name in ("0", "1") and names.net(name) is None:
            return Truth(name == "1"), where.end
        return holds(names, all_names, name, where), where.end
    if relation.group(1) == "==":
        other = NAME.match(where.source.text, relation.end(), limit)
        if other is not None and (found := compare(names, name, re.sub(r"\s", "", other.group()))) is not None:
            return found, other.end()
    if relation.group(1) in ORDERS:
        return read_order(names, all_names, name, where, relation, limit)
    values, end = read_values(where.source, relation.end(), limit)
    formula = disjoin([has_value(names, all_names, name, where, value, span) for value, span in values])
    return (Not(formula) if relation.group(1) == "!=" else formula), end


def read_order(
    names: Names, all_names: list[str], name: str, where: Span, relation: re.Match[str], limit: int
) -> tuple[Hashable, int]:
    """A comparison with a number: ``vec<=4``."""
    ((value, span), *others), end = read_values(where.source, relation.end(), limit)
    n = read_number(value)
    if n is None or others:
        raise UserError(span, "a number is expected after an order")
    kind = relation.group(1)
    least = n + 1 if kind in ("<=", ">") else n  # of those that are not below
    bits = bits_of(names, name)
    if bits is not None:
        below = less_than(bits, least)
    else:
        net = names.net(name)
        if net is None:
            raise unknown(names, all_names, name, where)
        domain = names.netlist.domain(net)
        if not all(v.isdecimal() for v in domain.values):
            raise UserError(where, f"the values of {name} are names, which have no order")
        below = is_one_of(net, [k for k, v in enumerate(domain.values) if int(v) < least], len(domain))
    return (Not(below) if kind in (">", ">=") else below), end


def is_one_of(net: str, values: list[int], size: int) -> Formula:
    return Truth(bool(values)) if len(values) in (0, size) else Proposition(NetIs(net, tuple(values)))


def less_than(bits: list[str], n: int) -> Formula:
    """Whether the number of some bits, the most significant first, is below n."""
    if n >> len(bits):
        return Truth(True)
    cases, same = [], list[Formula]()
    for i, bit in enumerate(bits):
        wanted = n >> (len(bits) - 1 - i) & 1
        if wanted:
            cases.append(conjoin([*same, Proposition(NetIs(bit, (0,)))]))
        same.append(Proposition(NetIs(bit, (wanted,))))
    return disjoin(cases)


def read_values(source: Source, start: int, limit: int) -> tuple[list[tuple[str, Span]], int]:
    """A value, or several in braces."""
    text = source.text
    if text.startswith("{", start):
        end = text.find("}", start, limit)
        if end < 0:
            raise UserError(Span(source, start, start + 1), "this { is not closed")
        parts = list(VALUE.finditer(text, start + 1, end))
        if not parts:
            raise UserError(Span(source, start, end + 1), "the set of values is empty")
        return [(m.group(), Span(source, m.start(), m.end())) for m in parts], end + 1
    match = VALUE.match(text, start, limit)
    if match is None:
        raise UserError(Span(source, start, min(start + 1, limit)), "expected a value")
    value = match.group()
    while value.endswith("-"):  # x=1->y=2
        value = value[:-1]
    if "-" in value:
        value = value[: value.index("-")]
    return [(value, Span(source, start, start + len(value)))], start + len(value)


def holds(names: Names, all_names: list[str], name: str, where: Span) -> Formula:
    bits = bits_of(names, name)
    if bits is not None and len(bits) == 1:
        return Proposition(NetIs(bits[0], (1,)))
    net = names.net(name)
    if net is None and bits is None:
        raise unknown(names, all_names, name, where)
    if net is None or names.netlist.domain(net) != BOOLEAN:
        raise UserError(where, f"{name} is not a single bit; write {name}=value")
    return Proposition(NetIs(net, (1,)))


def has_value(names: Names, all_names: list[str], name: str, where: Span, value: str, span: Span) -> Formula:
    net = names.net(name)
    labels = {label: number for number, label in names.netlist.labels.get(name, {}).items()}
    n = labels[value] if value in labels else read_number(value)
    if net is not None:
        value = str(n) if value in labels else value
        return Proposition(NetIs(net, (value_in(names.netlist.domain(net), name, value, span),)))
    bits = bits_of(names, name)
    if bits is None:
        raise unknown(names, all_names, name, where)
    if n is None or n >> len(bits):
        named = f", whose labels are {', '.join(labels)}{did_you_mean(value, list(labels))}" if labels else ""
        raise UserError(span, f"{value} is not a value of the {len(bits)} bits {name}{named}")
    return conjoin([Proposition(NetIs(bit, (n >> i & 1,))) for i, bit in enumerate(reversed(bits))])


def value_in(domain: Domain, name: str, value: str, span: Span) -> int:
    k = domain.index(value)
    if k is None and all(v.isdecimal() for v in domain.values) and (n := read_number(value)) is not None:
        k = domain.index(str(n))
    if k is None:
        shown = ", ".join(domain.values[:8]) + (", ..." if len(domain) > 8 else "")
        raise UserError(span, f"{value} is not a value of {name}, whose values are {shown}")
    return k


def compare(names: Names, left: str, right: str) -> Formula | None:
    """left == right for two nets or two vectors; None if the right side is not a net."""
    a, b = names.net(left), names.net(right)
    if a is not None and b is not None:
        if names.netlist.domain(a) != names.netlist.domain(b):
            return None
        return Proposition(NetsAgree(*sorted((a, b))))
    x, y = single_bit(names, a) or bits_of(names, left), single_bit(names, b) or bits_of(names, right)
    if x is None or y is None or len(x) != len(y):
        return None
    return conjoin([Iff(Proposition(NetIs(p, (1,))), Proposition(NetIs(q, (1,)))) for p, q in zip(x, y, strict=True)])


def single_bit(names: Names, net: str | None) -> list[str] | None:
    """A net of one bit, to be compared with a bit of a vector."""
    return [net] if net is not None and names.netlist.domain(net) == BOOLEAN else None


def bits_of(names: Names, name: str) -> list[str] | None:
    """The nets of a vector or of a part of one, the most significant first."""
    if names.net(name) is not None:
        return None
    if match := INDEXED.match(name):
        first = int(match.group(2)[:9])
        last = int(match.group(3)[:9]) if match.group(3) is not None else first
        if abs(first - last) >= WIDEST:
            return None
        step = 1 if last >= first else -1
        found = [bit_of(names, match.group(1), i) for i in range(first, last + step, step)]
        if None in found and match.group(3) is None and match.group(1) in names.netlist.vectors:
            return bits_of(names, f"{match.group(1)}<*{first}*>")  # a word of a memory
        return None if None in found else [bit for bit in found if bit is not None]
    if (word := WORD.sub("", name)) in names.netlist.vectors:
        left, right = names.netlist.vectors[word]
        return bits_of(names, f"{name}[{left}:{right}]")
    bits: list[str] = []
    low = next((i for i in (0, 1) if bit_of(names, name, i) is not None), None)
    while low is not None and (bit := bit_of(names, name, low + len(bits))) is not None:
        bits.append(bit)
    return bits[::-1] or None


def bit_of(names: Names, name: str, i: int) -> str | None:
    inside = WORD_INDEX.sub(r"<*\1*>", name)
    return names.net(f"{inside}<{i}>") or names.net(f"{name}[{i}]") or names.net(f"{inside}<*{i}*>")


def read_number(text: str) -> int | None:
    if match := SIZED.match(text):
        return read_sized(*match.groups())
    for pattern, base in LITERALS:
        if match := pattern.match(text):
            return int(match.group(1).replace("_", ""), base) if match.group(1).strip("_") else None
    return None


def read_sized(size: str, base: str, digits: str) -> int | None:
    """A number of Verilog that fits into its size."""
    try:
        n = int(digits.replace("_", ""), BASES[base.lower()])
    except ValueError:
        return None
    return None if size and n.bit_length() > int(size) else n


def unknown(names: Names, all_names: list[str], name: str, where: Span) -> UserError:
    _, _, below = name.partition(".")  # who names the top module, too
    is_known = below and (names.net(below) is not None or bits_of(names, below) is not None)
    hint = f"; did you mean {below}?" if is_known else did_you_mean(name, all_names)
    return UserError(where, f"there is no net {name}{hint}")
