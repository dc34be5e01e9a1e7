"""One entry of a BLIF-MV table: a value, a set with ranges, a complement, ``-`` or ``=x``."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.netlists.netlist import ANYTHING, Among, Anything, Domain, Entry, Same
from quorbit.netlists.program import Word
from quorbit.source.errors import UserError

Lookup = Callable[[str], tuple[str, Domain]]


def read_entry(word: Word, domain: Domain, net: str, lookup: Lookup) -> Entry:
    """The meaning of an entry in the column of a net; lookup gives the net and the domain of the x in ``=x``."""
    text = word.text
    if text == "-":
        return ANYTHING
    if text.startswith("=") and len(text) > 1:
        other, its_domain = lookup(text[1:])
        if its_domain != domain:
            raise UserError(word.span, f"{text[1:]} and {net} have different domains")
        return Same(other)
    return Among(tuple(sorted(set(read_values(word, text, domain, net)))))


def read_values(word: Word, text: str, domain: Domain, net: str) -> list[int]:
    if text in domain.values:
        return [domain.values.index(text)]
    if text.startswith("!"):
        kept = read_entry(Word(text[1:], word.span), domain, net, lambda _: ("", domain))
        if isinstance(kept, Same):
            raise UserError(word.span, "the complement of =x is not an entry of BLIF-MV")
        excluded = range(len(domain)) if isinstance(kept, Anything) else kept.values
        return [k for k in range(len(domain)) if k not in excluded]
    if text[:1] in ("(", "{"):
        if text[-1] != {"(": ")", "{": "}"}[text[0]]:
            raise UserError(word.span, "this set is not closed")
        return [k for part in text[1:-1].split(",") for k in read_member(word, part, domain, net)]
    raise UserError(word.span, f"{text or 'nothing'} is not a value of {net}, whose values are {shown(domain)}")


def read_member(word: Word, text: str, domain: Domain, net: str) -> list[int]:
    """A value or a range low-high inside a set; ranges follow the order of the declaration."""
    if text in domain.values:
        return [domain.values.index(text)]
    for cut in (i for i, c in enumerate(text) if c == "-"):
        low, high = domain.index(text[:cut]), domain.index(text[cut + 1 :])
        if low is not None and high is not None:
            if low > high:
                raise UserError(word.span, f"the range {text} is empty")
            return list(range(low, high + 1))
    raise UserError(word.span, f"{text or 'nothing'} is not a value of {net}, whose values are {shown(domain)}")


def shown(domain: Domain) -> str:
    return ", ".join(domain.values[:8]) + (", ..." if len(domain) > 8 else "")
