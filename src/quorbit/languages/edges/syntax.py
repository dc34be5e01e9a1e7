"""What an edge diagram says, as it is written: the Program that the parser makes and ``lower`` reads."""

from __future__ import annotations

from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span


@frozen
class Name:
    text: str
    span: Span


# Expressions.


@frozen
class Numeral:
    value: int
    span: Span


@frozen
class Word:
    """A name standing alone: a variable, a state, a member of an enumeration, a constant, true, false or none."""

    text: str
    span: Span


@frozen
class Indexed:
    """``s[j]``, ``x[j]`` or ``reader[2]``."""

    base: Name
    index: Node
    span: Span


@frozen
class Count:
    """``#C``, ``#{T, C}``, ``#C[reader]``; ``#reader`` and ``#process`` count processes whatever they do."""

    names: tuple[Name, ...]
    of: Name | None
    span: Span


@frozen
class Neighbour:
    """The next or previous process in the ring of all processes: step 1 or -1."""

    operand: Node
    step: int
    span: Span


@frozen
class Negated:
    """``not a`` or ``-a``."""

    operator: str
    operand: Node
    span: Span


@frozen
class Joined:
    """Two or more operands of and, or, +; exactly two of =>, <=>, -, *, /, %."""

    operator: str
    operands: tuple[Node, ...]
    span: Span


@frozen
class Compared:
    """``a < b <= c``: every neighbouring pair is compared."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]
    span: Span


@frozen
class Listed:
    """``a in {T, C}``, ``j in reader``, ``n in 1..3``; ``negated`` for ``not in``."""

    element: Node
    choices: tuple[Node, ...]
    negated: bool
    span: Span


@frozen
class Between:
    """``low..high`` among the choices of ``in``."""

    low: Node
    high: Node
    span: Span


@frozen
class Quantified:
    """``forall j != i: ...``, ``exists j, k in reader: ...``, ``count j: ...``."""

    quantifier: str
    variables: tuple[Name, ...]
    of: Name | None
    condition: Node | None
    body: Node
    span: Span


Node = Numeral | Word | Indexed | Count | Neighbour | Negated | Joined | Compared | Listed | Between | Quantified


# Declarations.


@frozen
class Constant:
    name: Name
    value: Node


@frozen
class ClassOf:
    """A class of processes: ``size`` of them, or those numbered low..high; without a name, all processes."""

    name: Name | None
    size: Node | None
    low: Node | None
    high: Node | None
    span: Span


@frozen
class Start:
    """Initial local states: of a class, of one process, of all (target None); or of each process (vector)."""

    target: Node | None
    states: tuple[Name, ...]
    vector: bool
    span: Span


@frozen
class TypeOf:
    """``kind`` is bool, range, names or process (of a class, if one is named)."""

    kind: str
    span: Span
    low: Node | None = None
    high: Node | None = None
    names: tuple[Name, ...] = ()
    of: Name | None = None
    optional: bool = False


@frozen
class Declared:
    """A shared variable, or one of every process (local).  ``any``: it starts with any value of its type."""

    name: Name
    type: TypeOf
    value: Node | None
    any: bool
    local: bool


@frozen
class Chosen:
    """A parameter of an edge: a process (of a class) or a number low..high."""

    name: Name
    of: Name | None
    low: Node | None = None
    high: Node | None = None


@frozen
class Assigned:
    target: Word | Indexed
    value: Node


@frozen
class Edge:
    """``sources`` empty for any state; ``of`` the class it is restricted to."""

    of: Name | None
    sources: tuple[Name, ...]
    target: Name
    label: str
    chosen: tuple[Chosen, ...]
    guard: Node | None
    assigned: tuple[Assigned, ...]
    span: Span
    kept: tuple[tuple[tuple[Node, Node], ...], ...] = ()  # the cells of a partition, each as ranges of processes


@frozen
class Claim:
    """``kind`` is invariant, error or property; the text of a property is a temporal formula."""

    kind: str
    name: str
    condition: Node | None
    span: Span


@frozen
class DeadlockRule:
    """``allowed`` None: deadlocks are not looked for at all."""

    allowed: Node | None
    span: Span


@mutable
class Program:
    """All declarations in the order they are written."""

    constants: list[Constant] = field(default_factory=list)
    classes: list[ClassOf] = field(default_factory=list)
    states: list[Name] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    variables: list[Declared] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    deadlocks: list[DeadlockRule] = field(default_factory=list)
