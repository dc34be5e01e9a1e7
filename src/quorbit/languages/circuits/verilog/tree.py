"""The syntax tree of the Verilog that is read: expressions, statements, modules."""

from __future__ import annotations

from quorbit.languages.circuits.verilog.tokens import Place
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

# Expressions.

UNKNOWN_DIGITS = "x?"  # the bits of a number that are neither 0 nor 1


@frozen
class Number:
    """Bits from the lowest; x is 'x', z and ? are '?'.  Unsized numbers have 32 bits; '0 and '1 fill what they
    stand in."""

    bits: str
    signed: bool
    span: Span
    fills: bool = False


@frozen
class Name:
    text: str
    span: Span


@frozen
class Index:
    """target[index]: a bit or an element."""

    target: Expr
    index: Expr
    span: Span


@frozen
class Slice:
    """target[left:right], or target[left +: width] when ``kind`` says so."""

    target: Expr
    left: Expr
    right: Expr
    kind: str
    span: Span


@frozen
class Unary:
    operator: str
    operand: Expr
    span: Span


@frozen
class Binary:
    operator: str
    left: Expr
    right: Expr
    span: Span


@frozen
class Ternary:
    test: Expr
    then: Expr
    other: Expr
    span: Span


@frozen
class Join:
    """A concatenation, repeated ``times``."""

    parts: tuple[Expr, ...]
    times: Expr | None
    span: Span


@frozen
class Call:
    """A function, or $ND, $NDset, $signed, $unsigned, $clog2."""

    name: str
    arguments: tuple[Expr, ...]
    span: Span


Expr = Number | Name | Index | Slice | Unary | Binary | Ternary | Join | Call

# Statements.


@frozen
class Assign:
    """``continuous``: assign inside a block, from when on the target follows the value."""

    target: Expr
    value: Expr
    blocking: bool
    span: Span
    continuous: bool = False


@frozen
class Block:
    body: tuple[Statement, ...]
    span: Span
    locals: tuple[Declaration, ...] = ()
    name: str = ""


@frozen
class If:
    test: Expr
    then: Statement
    other: Statement | None
    span: Span


@frozen
class Case:
    kind: str  # case, casez or casex
    subject: Expr
    items: tuple[tuple[tuple[Expr, ...], Statement], ...]  # no labels: default
    span: Span


@frozen
class For:
    start: Assign
    test: Expr
    step: Assign
    body: Statement
    span: Span


@frozen
class While:
    """A loop that runs as long as the test holds."""

    test: Expr
    body: Statement
    span: Span


@frozen
class Repeat:
    times: Expr
    body: Statement
    span: Span


@frozen
class Check:
    """assert, assume or cover; live, fair: the condition holds infinitely often (must, is assumed to)."""

    kind: str
    condition: Expr
    label: str
    span: Span


@frozen
class TaskCall:
    name: str
    arguments: tuple[Expr, ...]
    span: Span


@frozen
class Nothing:
    span: Span


@frozen
class Leave:
    """``break`` and ``continue`` of a loop, ``return`` of a function or task, perhaps with its value; ``disable NAME``
    of the block with this name."""

    kind: str
    value: Expr | None
    span: Span


Statement = Assign | Block | If | Case | For | While | Repeat | Check | TaskCall | Leave | Nothing

# Module items.


@frozen
class Range:
    left: Expr
    right: Expr


@frozen
class Declaration:
    """One declared name; ``direction`` is input, output, inout or ''; ``type`` names an enumeration or is ''."""

    name: str
    kind: str  # wire, reg, integer
    type: str
    direction: str
    signed: bool
    range: Range | None
    array: Range | None
    value: Expr | None
    span: Span


@frozen
class Instance:
    module: str
    name: str
    parameters: tuple[tuple[str, Expr], ...]  # '' for positional
    connections: tuple[tuple[str, Expr | None], ...]
    span: Span
    range: Range | None = None


@frozen
class Always:
    """Edges: (posedge|negedge, signal); none for a combinational block."""

    edges: tuple[tuple[str, str], ...]
    body: Statement
    span: Span


TRISTATES = frozenset(["bufif0", "bufif1", "notif0", "notif1"])  # gates that may let go of their output


@frozen
class Gate:
    """A primitive: and, or, not, ...; with a range one for each bit."""

    kind: str
    arguments: tuple[Expr, ...]
    span: Span
    range: Range | None = None


@frozen
class Parameter:
    """Without a range and a sign it is as wide as its value, and signed if that is."""

    name: str
    value: Expr
    local: bool
    range: Range | None
    kind: str  # signed, integer, int, or nothing of these
    span: Span


@frozen
class Function:
    name: str
    result: Declaration
    inputs: tuple[Declaration, ...]
    locals: tuple[Declaration, ...]
    body: Statement
    span: Span
    parameters: tuple[Parameter, ...] = ()


@frozen
class GenerateFor:
    variable: str
    start: Expr
    test: Expr
    step: Expr
    label: str
    body: ModuleBody
    span: Span


@frozen
class GenerateIf:
    test: Expr
    then: ModuleBody
    other: ModuleBody | None
    label: str
    span: Span


@mutable
class ModuleBody:
    parameters: list[Parameter] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    assigns: list[tuple[Expr, Expr, Span]] = field(default_factory=list)
    always: list[Always] = field(default_factory=list)
    initial: list[Statement] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    gates: list[Gate] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    tasks: dict[str, Function] = field(default_factory=dict)
    generates: list[GenerateFor | GenerateIf] = field(default_factory=list)
    overrides: list[tuple[str, str, Expr, Span]] = field(default_factory=list)  # defparam instance.parameter
    checks: list[Check] = field(default_factory=list)


@mutable
class Module:
    name: str
    ports: list[str]
    body: ModuleBody
    span: Span


@frozen
class TableRow:
    """A row of a user-defined primitive.  An input is 0, 1, x, ? or b, or an edge as two of them; no state in a row of
    a function."""

    cells: tuple[str, ...]
    state: str
    after: str  # 0, 1, x, or - where the output stays
    span: Span


@frozen
class UserPrimitive:
    """Its output is stored if it is a reg, and then starts as ``start``, if that is given."""

    name: str
    inputs: int
    rows: tuple[TableRow, ...]
    is_stored: bool
    start: str
    span: Span


@mutable
class Design:
    """``implicit``: names that nobody declares are wires; ``is_vis``: it uses extensions that only VIS has;
    ``constants``: where names begin that attributes declare as chosen once."""

    implicit: bool = True
    is_vis: bool = False
    modules: dict[str, Module] = field(default_factory=dict)
    primitives: dict[str, UserPrimitive] = field(default_factory=dict)
    enumerations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    constants: frozenset[Place] = frozenset()
