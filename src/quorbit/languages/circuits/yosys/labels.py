"""The labels of enumerations, by where variables of them are declared: slang hands on places, but no labels.

Only what is plain is taken: labels whose values are numbers or follow each other, and types that have one meaning where
they are used.  Of everything else nothing is said, and its variables are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quorbit.languages.circuits.verilog.tokens import Place, Token, place_of
from quorbit.netlists.netlist import Labels
from quorbit.netlists.propositions import read_number
from quorbit.source.frozen import field, mutable

__all__ = ["declared_labels", "labels_of"]

SCOPES = {"module": "endmodule", "package": "endpackage", "interface": "endinterface", "program": "endprogram"}
ENDS = frozenset(SCOPES.values())
AFTER_NAME = frozenset(",;)=[")  # what may follow the name of a variable in its declaration


def declared_labels(tokens: Sequence[Token]) -> dict[Place, Labels]:
    """What the values of variables are called, by the places of the names in their declarations."""
    listed = [token for token in tokens if token.kind in ("name", "number", "symbol")]
    if not any(token.text == "enum" for token in listed):
        return {}
    scan = Scan(listed)
    scan.run()
    return {place: labels for place, labels in scan.found.items() if labels is not None}


@mutable
class Scan:
    """One way through a text; ``None`` stands for what is not an enumeration, or not plainly one."""

    tokens: list[Token]
    types: dict[tuple[str, str], Labels | None] = field(default_factory=dict)  # by scope and name
    packages: list[str] = field(default_factory=list)
    found: dict[Place, Labels | None] = field(default_factory=dict)
    scope: str = ""

    def run(self) -> None:
        k = 0
        while k < len(self.tokens):
            k = self.step(k)

    def text(self, k: int) -> str:
        return self.tokens[k].text if k < len(self.tokens) else ""

    def is_name(self, k: int) -> bool:
        return k < len(self.tokens) and self.tokens[k].kind == "name"

    def step(self, k: int) -> int:
        """What begins at a token; where to go on."""
        text = self.text(k)
        if text in SCOPES:
            self.scope = self.text(k + 2 if self.text(k + 1) in ("automatic", "static") else k + 1)
            self.packages += [self.scope] if text == "package" else []
        elif text in ENDS:
            self.scope = ""
        elif text == "typedef":
            return self.type_definition(k)
        elif text == "enum":
            labels, end = self.enumeration(k)
            return self.variables(end, labels)
        elif text == "type" and self.is_name(k + 1):  # a parameter
            self.define(self.text(k + 1), None)
        elif self.is_name(k) and self.text(k + 1) == "::" and self.is_name(k + 3):
            return self.variables(k + 3, self.types.get((text, self.text(k + 2))))
        elif self.is_name(k) and self.is_name(k + 1) and (labels := self.meant(text)) is not None:
            return self.variables(k + 1, labels)
        return k + 1

    def meant(self, name: str) -> Labels | None:
        """What the name of a type means here: its own scope, the text outside of all, the packages if they agree."""
        for scope in (self.scope, ""):
            if (scope, name) in self.types:
                return self.types[scope, name]
        listed = [self.types[p, name] for p in self.packages if (p, name) in self.types]
        return listed[0] if listed and all(labels == listed[0] for labels in listed) else None

    def define(self, name: str, labels: Labels | None) -> None:
        key = self.scope, name
        self.types[key] = labels if self.types.get(key, labels) == labels else None

    def type_definition(self, k: int) -> int:
        labels, end = None, k + 1
        if self.text(k + 1) == "enum":
            labels, end = self.enumeration(k + 1)
        elif self.is_name(k + 1) and self.is_name(k + 2) and self.text(k + 3) == ";":
            labels, end = self.meant(self.text(k + 1)), k + 2
        elif self.text(k + 2) == "::" and self.is_name(k + 3) and self.is_name(k + 4) and self.text(k + 5) == ";":
            labels, end = self.types.get((self.text(k + 1), self.text(k + 3))), k + 4
        stop = self.skip(end, ";")
        if labels is not None and stop == end + 1:
            self.define(self.text(end), labels)
        elif names := [n for n in range(end, stop) if self.is_name(n)]:  # the last one, in front of dimensions
            for n in names:
                self.define(self.text(n), None)
        return stop

    def enumeration(self, k: int) -> tuple[Labels | None, int]:
        """The labels, and where the text goes on behind the brace."""
        start = self.skip(k, "{;")
        if self.text(start) != "{":
            return None, start
        labels: dict[int, str] | None = {}
        value, k = -1, start + 1
        while k < len(self.tokens) and self.text(k) != "}":
            stop = self.skip(k, ",}")
            next_value = self.label_value(k, stop, value)
            if labels is None or next_value is None or next_value in labels:
                labels = None
            else:
                value = next_value
                labels[value] = self.text(k)
            k = stop + 1 if self.text(stop) == "," else stop
        return labels, k + 1

    def label_value(self, k: int, stop: int, before: int) -> int | None:
        """The number of the label that is declared from k to stop."""
        if not self.is_name(k):
            return None
        if stop == k + 1:
            return before + 1
        is_plain = stop == k + 3 and self.text(k + 1) == "=" and self.tokens[k + 2].kind == "number"
        return read_number("".join(self.text(k + 2).split())) if is_plain else None

    def variables(self, k: int, labels: Labels | None) -> int:
        """The names in a declaration, from the first on."""
        while self.is_name(k) and self.text(k + 1) in AFTER_NAME and self.text(k + 1):
            place = place_of(self.tokens[k].span)
            is_one = self.text(k + 1) != "["
            self.found[place] = labels if is_one and self.found.get(place, labels) == labels else None
            k = self.skip(k + 1, ",;)")
            if self.text(k) != ",":
                return k
            k += 1
        return k

    def skip(self, k: int, ends: str) -> int:
        """The first of some signs that stands outside of brackets opened from here on."""
        depth = 0
        while k < len(self.tokens):
            text = self.text(k)
            if depth == 0 and text in ends:
                return k
            depth += (text in "([{") - (text in ")]}")
            k += 1
        return k


def labels_of(attributes: Mapping[str, str]) -> Labels | None:
    """Those that Yosys's own reader hands on."""
    begin = "enum_value_"
    listed = [(name[len(begin) :], label) for name, label in attributes.items() if name.startswith(begin)]
    if not listed or not all(set(bits) <= {"0", "1"} for bits, _ in listed):
        return None
    return {int(bits, 2): label.removeprefix("\\") for bits, label in listed}
