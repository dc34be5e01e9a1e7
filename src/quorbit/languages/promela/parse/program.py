"""A Promela model as data: declarations, proctypes, statements and expressions, with names resolved.

``parse`` makes it, ``control_flow`` and ``lower`` read it.  Inlines are expanded, ``for`` and ``select`` are written
out, a declaration after the first statement has become an assignment; what remains is the core of the language.
"""

from __future__ import annotations

from enum import Enum

from quorbit.source.frozen import field, frozen, frozen_distinct
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "NOBODY",
    "Assertion",
    "Assignment",
    "Binary",
    "Break",
    "ChannelInit",
    "Conditional",
    "Constant",
    "DataType",
    "Else",
    "End",
    "Eval",
    "Expression",
    "Formula",
    "Goto",
    "Guard",
    "Kind",
    "Labelled",
    "Nothing",
    "OfProcess",
    "Pattern",
    "Poll",
    "Predefined",
    "Print",
    "Probe",
    "Proctype",
    "Program",
    "Receive",
    "Reference",
    "RemoteLabel",
    "RemoteVariable",
    "Run",
    "Selection",
    "Send",
    "Sequence",
    "SetPriority",
    "Statement",
    "Temporal",
    "Typedef",
    "Unary",
    "Unless",
    "Variable",
]


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


@frozen
class DataType:
    """A type of a variable or message field; name: of the typedef, or of the mtype's set of names."""

    kind: Kind
    bits: int = 0  # of an unsigned
    name: str = ""


@frozen
class Typedef:
    name: str
    fields: tuple[Variable, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class ChannelInit:
    """``[capacity] of { fields }``."""

    capacity: int
    fields: tuple[DataType, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen_distinct
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


# ``_``: what is assigned to it is evaluated and forgotten.  SPIN counts it as a variable of the process.
NOBODY = Variable("_", DataType(Kind.SHORT), None, None, NOWHERE, visibility="local")


# Expressions ---------------------------------------------------------------------------------------------------------


@frozen
class Constant:
    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    mtype: str = ""  # the name, if the user wrote one of an mtype


@frozen
class Selector:
    """One step into a structure or an array: a field and its index."""

    variable: Variable
    index: Expression | None


@frozen
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


@frozen
class Predefined:
    """_pid, _nr_pr, _last, _priority, _ (only where a value is thrown away), timeout, np_."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Unary:
    operator: str
    operand: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Binary:
    operator: str
    left: Expression
    right: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Conditional:
    test: Expression
    then: Expression
    other: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Run:
    proctype: str
    arguments: tuple[Expression, ...]
    priority: int | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Probe:
    """len, full, empty, nfull, nempty of a channel."""

    operator: str
    channel: Reference
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Poll:
    """``q?[..]`` and ``q??[..]``: could the receive run?"""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class OfProcess:
    """enabled(pid), pc_value(pid), get_priority(pid)."""

    operator: str
    process: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class RemoteLabel:
    """``p[pid]@label``; without a pid, the only process of that type."""

    proctype: str
    process: Expression | None
    label: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class RemoteVariable:
    """``p[pid]:v``; name is resolved when all proctypes are known."""

    proctype: str
    process: Expression | None
    name: str
    index: Expression | None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
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


@frozen
class Eval:
    """``eval(e)`` in a receive: the field must equal e."""

    value: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Pattern = Constant | Eval | Reference | Predefined


# Statements ----------------------------------------------------------------------------------------------------------


@frozen
class Assignment:
    target: Reference
    value: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    step: bool = False  # ++ or --, which do not count as reading the variable
    declaration: bool = False  # comes from a declaration after the first statement


@frozen
class SetPriority:
    """``set_priority(process, priority)``; own: written ``_priority = e``."""

    process: Expression
    priority: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    own: bool = False


@frozen
class Guard:
    """An expression as a statement: it waits until it is not 0."""

    condition: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Assertion:
    condition: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Print:
    """printf, or printm if format is empty."""

    format: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Send:
    channel: Reference
    arguments: tuple[Expression, ...]
    sorted: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Receive:
    """? takes the first message, ?? the first that fits; keep: <...> leaves it in the channel."""

    channel: Reference
    patterns: tuple[Pattern, ...]
    random: bool
    keep: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Else:
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Goto:
    """block, inline: where it was written, which decides between labels of one name."""

    label: str
    block: tuple[int, ...]
    inline: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Break:
    """Leaves the loop with this number."""

    loop: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Nothing:
    """A step that does nothing: what a goto, break or the end of a choice leaves behind; made by control_flow."""

    why: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class End:
    """The closing brace of a proctype: the process dies here."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Selection:
    """if, or do if loop is its number."""

    options: tuple[tuple[Statement, ...], ...]
    loop: int | None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Sequence:
    """{ ... }, atomic { ... } or d_step { ... }."""

    how: str  # "", "atomic", "d_step"
    body: tuple[Statement, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Unless:
    body: Statement
    escape: Statement
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Labelled:
    label: str
    body: Statement
    block: tuple[int, ...]
    inline: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Basic = Assignment | SetPriority | Guard | Assertion | Print | Send | Receive | Else | Goto | Break | Nothing | End
Statement = Basic | Selection | Sequence | Unless | Labelled


# The whole -----------------------------------------------------------------------------------------------------------


@frozen
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


@frozen
class Formula:
    """An ``ltl`` block."""

    name: str
    body: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
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
