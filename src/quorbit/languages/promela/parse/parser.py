"""The state of the parser: the cursor, the names, and what must be checked when the whole model is read."""

from __future__ import annotations

from quorbit.languages.promela.parse.cursor import Cursor
from quorbit.languages.promela.parse.names import Names
from quorbit.languages.promela.parse.program import (
    Formula,
    Proctype,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Statement,
)
from quorbit.source.errors import Diagnostic
from quorbit.source.frozen import field, mutable


@mutable
class Parser:
    cursor: Cursor
    names: Names = field(default_factory=Names)
    role: str = ""  # of the body being read: proctype, init, never, trace, notrace
    in_formula: bool = False
    branching: bool = False  # a formula may have path quantifiers: not in an ltl block, which is SPIN's
    printing: bool = False  # reading the arguments of a printf
    structures_allowed: int = 0  # a structure may stand for all its fields
    arrays_allowed: bool = False  # an array may stand without an index
    before_statements: bool = True  # no statement of the body was read: initialisers are done at creation
    declaring: list[Statement] = field(default_factory=list)  # assignments a declaration leaves behind
    loops: list[int] = field(default_factory=list)
    loop_count: int = 0
    inline: int = 0  # number of the inline being read
    active_inlines: list[str] = field(default_factory=list)
    results: list[Reference | None] = field(default_factory=list)  # where a called inline returns its value
    runs: list[Run] = field(default_factory=list)
    remote_labels: list[RemoteLabel] = field(default_factory=list)
    remote_variables: list[RemoteVariable] = field(default_factory=list)
    exclusive: list[tuple[str, Reference]] = field(default_factory=list)
    proctypes: list[Proctype] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)
    claims: int = 0
    temporaries: int = 0
    wrong: list[Diagnostic] = field(default_factory=list)  # mistakes behind which the reading went on
