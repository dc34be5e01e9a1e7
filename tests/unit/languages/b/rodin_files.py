"""Rodin's files from a short text, so that tests can show what they are about.

machine M1 refines M0 sees C
var x y
inv inv1: x ∈ ℕ
variant x
event up convergent refines go
any p
grd grd1: p ∈ 1 ‥ 2
with q: q = p
act act1: x ≔ x + p
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import quoteattr

CORE = "org.eventb.core."
CLAUSES = {"refines": "refinesMachine", "sees": "seesContext", "extends": "extendsContext"}
NAMES = {"set": "carrierSet", "const": "constant", "var": "variable", "any": "parameter"}
FORMULAS = {
    "axm": ("axiom", "predicate"),
    "inv": ("invariant", "predicate"),
    "grd": ("guard", "predicate"),
    "with": ("witness", "predicate"),
    "act": ("action", "assignment"),
}
STATUS = {"convergent": "1", "anticipated": "2"}


def write_rodin(folder: Path, text: str) -> Path:
    for block in re.split(r"^(?=machine |context )", text, flags=re.M):
        if block.strip():
            kind, name, lines = component(block.strip().splitlines())
            suffix = "bum" if kind == "machine" else "buc"
            (folder / f"{name}.{suffix}").write_text("\n".join(lines), encoding="utf-8")
    return folder


def component(lines: list[str]) -> tuple[str, str, list[str]]:
    kind, name, *rest = lines[0].split()
    body = [element(CLAUSES[word], target=target) for word, target in zip(rest[::2], rest[1::2], strict=True)]
    is_open = False
    for line in lines[1:]:
        word, _, said = line.strip().partition(" ")
        if word == "event":
            body += [f"</{CORE}event>"] * is_open + event(said.split())
            is_open = True
        elif word in NAMES:
            body += [element(NAMES[word], identifier=each) for each in said.split()]
        elif word == "variant":
            body.append(element("variant", expression=said))
        else:
            label, _, formula = said.partition(": ")
            tag, attribute = FORMULAS["inv" if word == "thm" else word]
            theorem = {"theorem": "true"} if word == "thm" else {}
            body.append(element(tag, label=label, **{attribute: formula}, **theorem))
    return kind, name, [f"<{CORE}{kind}File>", *body, *[f"</{CORE}event>"] * is_open, f"</{CORE}{kind}File>"]


def event(words: list[str]) -> list[str]:
    name, *rest = words
    status = next((STATUS[w] for w in rest if w in STATUS), "0")
    targets = [t for word, t in pairwise(rest) if word in ("refines", "extends")]
    head = element("event", label=name, convergence=status, extended=str("extends" in rest).lower())
    return [head.replace("/>", ">"), *(element("refinesEvent", target=t) for each in targets for t in each.split(","))]


def element(kind: str, **attributes: str) -> str:
    given = " ".join(f"{CORE}{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<{CORE}{kind} {given}/>"
