"""A Promela model as data: declarations, proctypes, statements and expressions, with names resolved.

``parse`` makes it, ``control_flow`` and ``lower`` read it.  Inlines are expanded, ``for`` and ``select`` are written
out, a declaration after the first statement has become an assignment; what remains is the core of the language.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from quorbit.source.span import NOWHERE, Span


class Kind(Enum):
    BIT = "bit"
    BYTE = "byte"
    PID = "pid"
    SHORT = "short"
    INT = "int"
    UNSIGNED = "unsigned"
    MTYPE = "mtype"
    CHAN = "chan"
    STRUCT = "struct"


@dataclass(frozen=True)
class DataType:
    """A type of a variable or message field; name: of the typedef, or of the mtype's set of names."""

    kind: Kind
    bits: int = 0  # of an unsigned
    name: str = ""


@dataclass(frozen=True)
class Typedef:
    name: str
    fields: tuple[Variable, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class ChannelInit:
    """``[capacity] of { fields }``."""

    capacity: int
    fields: tuple[DataType, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Variable:
    """A variable, parameter or field.  length is None for a scalar.  owner: its proctype, None if global."""

    name: str
    type: DataType
    length: int | None
    initial: Expression | tuple[int, ...] | ChannelInit | None
    span: Span
    owner: str | None = None
    parameter: bool = False
    visibility: str = ""  # hidden, show, local
    block: tuple[int, ...] = ()  # the blocks it is declared in
    field: bool = False


# Expressions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constant:
    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    mtype: str = ""  # the name, if the user wrote one of an mtype


@dataclass(frozen=True)
class Selector:
    """One step into a structure or an array: a field and its index."""

    variable: Variable
    index: Expression | None


@dataclass(frozen=True)
class Reference:
    """``a``, ``a[i]``, ``s.f``, ``s[i].f[j]``: the first selector is the variable itself."""

    path: tuple[Selector, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def variable(self) -> Variable:
        return self.path[0].variable

    @property
    def last(self) -> Variable:
        return self.path[-1].variable


@dataclass(frozen=True)
class Predefined:
    """_pid, _nr_pr, _last, _priority, _ (only where a value is thrown away), timeout, np_."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Unary:
    operator: str
    operand: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Expression
    right: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Conditional:
    test: Expression
    then: Expression
    other: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Run:
    proctype: str
    arguments: tuple[Expression, ...]
    priority: int | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Probe:
    """len, full, empty, nfull, nempty of a channel."""

    operator: str
    channel: Reference
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Poll:
    """``q?[..]`` and ``q??[..]``: could the receive run?"""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class OfProcess:
    """enabled(pid), pc_value(pid), get_priority(pid)."""

    operator: str
    process: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class RemoteLabel:
    """``p[pid]@label``; without a pid, the only process of that type."""

    proctype: str
    process: Expression | None
    label: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class RemoteVariable:
    """``p[pid]:v``; name is resolved when all proctypes are known."""

    proctype: str
    process: Expression | None
    name: str
    index: Expression | None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Temporal:
    """An operator of an ltl formula: [] <> X U V W -> <->."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Expression = (
    Constant
    | Reference
    | Predefined
    | Unary
    | Binary
    | Conditional
    | Run
    | Probe
    | Poll
    | OfProcess
    | RemoteLabel
    | RemoteVariable
    | Temporal
)


@dataclass(frozen=True)
class Eval:
    """``eval(e)`` in a receive: the field must equal e."""

    value: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Pattern = Constant | Eval | Reference | Predefined


# Statements ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assignment:
    target: Reference
    value: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    step: bool = False  # ++ or --, which do not count as reading the variable
    declaration: bool = False  # comes from a declaration after the first statement


@dataclass(frozen=True)
class SetPriority:
    """``set_priority(process, priority)``; own: written ``_priority = e``."""

    process: Expression
    priority: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    own: bool = False


@dataclass(frozen=True)
class Guard:
    """An expression as a statement: it waits until it is not 0."""

    condition: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Assertion:
    condition: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Print:
    """printf, or printm if format is empty."""

    format: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Send:
    channel: Reference
    arguments: tuple[Expression, ...]
    sorted: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Receive:
    """? takes the first message, ?? the first that fits; keep: <...> leaves it in the channel."""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool
    keep: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Else:
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Goto:
    """block, inline: where it was written, which decides between labels of one name."""

    label: str
    block: tuple[int, ...]
    inline: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Break:
    """Leaves the loop with this number."""

    loop: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Nothing:
    """A step that does nothing: what a goto, break or the end of a choice leaves behind; made by control_flow."""

    why: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class End:
    """The closing brace of a proctype: the process dies here."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Selection:
    """if, or do if loop is its number."""

    options: tuple[tuple[Statement, ...], ...]
    loop: int | None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Sequence:
    """{ ... }, atomic { ... } or d_step { ... }."""

    how: str  # "", "atomic", "d_step"
    body: tuple[Statement, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Unless:
    body: Statement
    escape: Statement
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Labelled:
    label: str
    body: Statement
    block: tuple[int, ...]
    inline: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Basic = Assignment | SetPriority | Guard | Assertion | Print | Send | Receive | Else | Goto | Break | Nothing | End
Statement = Basic | Selection | Sequence | Unless | Labelled


# The whole -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proctype:
    """A proctype, init (name ":init:"), a never claim or a trace assertion (role tells)."""

    name: str
    role: str  # proctype, init, never, trace, notrace
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    body: tuple[Statement, ...]
    active: int = 0
    priority: int | None = None
    provided: Expression | None = None
    deterministic: bool = False
    exclusive: tuple[tuple[str, Reference], ...] = ()  # xr and xs
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    end: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.parameters + self.locals


@dataclass(frozen=True)
class Formula:
    """An ``ltl`` block."""

    name: str
    body: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Program:
    name: str
    globals: tuple[Variable, ...]
    proctypes: tuple[Proctype, ...]  # in the order of the text, claims and traces included
    typedefs: tuple[Typedef, ...]
    mtypes: tuple[tuple[str, tuple[str, ...]], ...]  # set's name ("" for the unnamed one) and its members
    formulas: tuple[Formula, ...]
    read: frozenset[Variable] = frozenset()  # variables whose value is used somewhere, printing aside
    lossy: bool = False  # a message to a full channel is lost, where else its sender waits

    def proctype(self, name: str) -> Proctype:
        return next(p for p in self.proctypes if p.name == name)
