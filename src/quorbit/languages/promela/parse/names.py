"""What the names of a model stand for while it is read: SPIN's scopes and tables."""

from __future__ import annotations

from quorbit.languages.promela.parse.program import Typedef, Variable
from quorbit.languages.promela.parse.tokens import Token
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

WORDS = """
    active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_step D_proctype do else empty
    enabled eval false fi for full get_priority goto hidden if init inline int len local ltl mtype nempty never nfull
    notrace np_ od of pc_value pid printf printm priority proctype provided return run select set_priority short show
    skip timeout trace true typedef unless unsigned xr xs
"""
KEYWORDS = frozenset(WORDS.split())
PREDEFINED = frozenset({"_", "_p", "_pid", "_last", "_nr_pr", "_priority"})


@frozen
class Inline:
    name: str
    number: int
    parameters: tuple[str, ...]
    body: tuple[Token, ...]
    span: Span


@mutable
class Names:
    """Global tables, and the variables visible in the proctype that is being read."""

    globals: dict[str, Variable] = field(default_factory=dict)
    locals: list[Variable] = field(default_factory=list)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    mtypes: dict[str, list[str]] = field(default_factory=dict)
    members: dict[str, tuple[str, int]] = field(default_factory=dict)  # of an mtype: its set and number
    proctypes: dict[str, Span] = field(default_factory=dict)
    inlines: dict[str, Inline] = field(default_factory=dict)
    owner: str | None = None
    block: tuple[int, ...] = ()
    blocks_seen: dict[tuple[int, ...], int] = field(default_factory=dict)
    read: set[Variable] = field(default_factory=set)
    learned: dict[Variable, str] = field(default_factory=dict)  # the mtype set an unnamed mtype was first given

    def open_scope(self, owner: str) -> None:
        """The body of a proctype or claim begins; only its own variables and the globals are known in it."""
        self.owner, self.locals, self.block, self.blocks_seen = owner, [], (), {}

    def close_scope(self) -> None:
        """What was declared in a body is unknown after it: a global may have the same name."""
        self.owner, self.locals, self.block = None, [], ()

    def enter_block(self) -> None:
        number = self.blocks_seen.get(self.block, 0) + 1
        self.blocks_seen[self.block] = number
        self.block = (*self.block, number)

    def leave_block(self) -> None:
        self.block = self.block[:-1]

    def find(self, name: str) -> Variable | None:
        for variable in reversed(self.locals):
            if variable.name == name and self.block[: len(variable.block)] == variable.block:
                return variable
        return self.globals.get(name)

    def declare(self, variable: Variable) -> None:
        """Add a variable; SPIN lets no local one hide another."""
        name = variable.name
        if name in KEYWORDS:
            raise UserError(variable.span, f"'{name}' is a keyword")
        if self.find(name) is not None or name in self.typedefs or name in self.proctypes or name in PREDEFINED:
            raise UserError(variable.span, f"'{name}' is already declared")
        if name in self.members:
            raise UserError(variable.span, f"'{name}' is already a value of an mtype")
        if name in self.inlines:
            raise UserError(variable.span, f"'{name}' is already an inline")
        if self.owner is None:
            self.globals[name] = variable
        else:
            self.locals.append(variable)

    def add_members(self, set_name: str, names: list[Token]) -> None:
        """Add values to an mtype; SPIN numbers the last one written first."""
        found = self.mtypes.setdefault(set_name, [])
        for token in reversed(names):
            if token.text in found:
                raise UserError(token.span, f"'{token.text}' appears twice in this mtype")
            if token.text in self.members or self.find(token.text) or token.text in PREDEFINED:
                raise UserError(token.span, f"'{token.text}' is already declared")
            found.append(token.text)
            self.members[token.text] = (set_name, len(found))
        if len(found) > 255:
            raise UserError(names[0].span, "an mtype has at most 255 values")
