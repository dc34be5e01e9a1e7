"""What the names of an edge diagram stand for: constants, classes of processes, local states, variables, members.

One name has one meaning, except that members of enumerations and local states may share names: which is meant follows
from what they are compared with or assigned to.
"""

from __future__ import annotations

from quorbit.languages.edges.syntax import Name
from quorbit.model.system.types import AtomOf, Number, Type
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

OWN = "i"  # the index of the process that moves
LOCAL = "s"  # s[j] is the local state of process j
WORDS = frozenset(["true", "false", "none", "process", "any", OWN, LOCAL])


class Consequence(UserError):
    """A mistake that only follows from one that is reported already."""


@frozen
class Variable:
    name: str
    type: Type
    local: bool
    span: Span


@mutable
class Names:
    """The tables ``declare`` fills.  Process number k (from 1) is atom k - 1."""

    failed: set[str] = field(default_factory=set)  # names whose declaration is wrong: no more complaints about them
    constants: dict[str, int] = field(default_factory=dict)
    classes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    process_names: list[str] = field(default_factory=list)
    states: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)  # of enumerations
    declared: dict[str, str] = field(default_factory=dict)  # name -> what it is

    @property
    def processes(self) -> tuple[int, ...]:
        return tuple(range(len(self.process_names)))

    @property
    def state_type(self) -> Number:
        return Number(0, len(self.states) - 1, tuple(self.states))

    def declare(self, name: Name, what: str) -> None:
        """Note what a name is; two things of one name are an error, but for members and local states."""
        if name.text in WORDS:
            raise UserError(name.span, f"{name.text} has a meaning of its own and cannot be the name of a {what}")
        known = self.declared.get(name.text)
        both_values = {known, what} <= {"local state", "member of an enumeration"}
        if known is not None and not (both_values and "member of an enumeration" in (known, what)):
            raise UserError(name.span, f"{name.text} is already the name of a {known}")
        self.declared[name.text] = what

    def class_of(self, name: Name | None) -> tuple[int, ...]:
        """The atoms of a class; of all processes if there is no name."""
        if name is None or name.text == "process":
            return self.processes
        if name.text not in self.classes:
            raise self.complain(name, unknown("class of processes", name.text, list(self.classes)))
        return self.classes[name.text]

    def state(self, name: Name) -> int:
        if name.text not in self.states:
            raise self.complain(name, unknown("local state", name.text, list(self.states)))
        return self.states[name.text]

    def complain(self, name: Name, message: str) -> UserError:
        """What to raise about a name without a meaning."""
        return (Consequence if name.text in self.failed else UserError)(name.span, message)


def unknown(what: str, name: str, known: list[str]) -> str:
    """A complaint about a name, with the names that could have been meant."""
    if not known:
        return f"there is no {what} {name}; none is declared"
    listed = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
    return (
        f"there is no {what} {name}; there are {listed}"
        if len(known) > 1
        else f"there is no {what} {name}, only {listed}"
    )


def is_optional(type: Type) -> bool:
    return isinstance(type, AtomOf) and type.optional
