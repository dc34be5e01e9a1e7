"""The System: one representation for the models of all languages.

Sorts of atoms, places whose addresses mention atoms, commands, properties.  What a language front end knows about its
model it says here; after that nobody asks which language it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import product

from quorbit.model.system.command import Command, Performed, Require, all_steps
from quorbit.model.system.expression import FALSE, Expr
from quorbit.model.system.formula import Formula
from quorbit.model.system.telling import RAW, Telling
from quorbit.model.system.types import NONE, Type, Value
from quorbit.source.frozen import field, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "ASSUMED",
    "BLOCKED",
    "PROCESS",
    "VARIABLE",
    "Address",
    "Assertions",
    "Atom",
    "Definition",
    "Invariant",
    "NoDeadlock",
    "Place",
    "Property",
    "State",
    "System",
    "Temporal",
    "Variable",
    "places_of",
]

State = tuple[Value, ...]
PROCESS = "process"  # the sort of processes of a program
VARIABLE = "variable"  # the sort of atoms that stand for variables of the text, where these may be exchanged
Address = tuple[str, tuple[int, ...], tuple[int, ...]]  # variable, owners, indices
# Names of a ``Require`` that nobody asks for:
ASSUMED = "assumptions"  # where it does not hold, the move leads to a state that is not looked at
BLOCKED = "blocked"  # where it does not hold, there is no move, as if the guard did not hold


@frozen
class Atom:
    """What permutations permute: a process, a channel, an element of a deferred set, a latch.

    Only atoms of one sort and one colour (proctype, channel type, ...) may be exchanged.
    """

    name: str
    sort: str
    colour: str = ""
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Variable:
    """A family of places of one type: one for each choice of owners (NONE may be listed) and indices 0..shape-1."""

    name: str
    type: Type
    owners: tuple[tuple[int, ...], ...] = ()
    shape: tuple[int, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    provisional: bool = False  # the front end can give its type more room: a value that does not fit is not an error


@frozen
class Place:
    """One entry of the state vector."""

    variable: str
    owners: tuple[int, ...]
    indices: tuple[int, ...]
    type: Type

    @property
    def address(self) -> Address:
        return self.variable, self.owners, self.indices


@frozen
class Definition:
    """A named sub-expression with owners; it may mention the parameters that are bound where it is used."""

    name: str
    body: Expr
    owners: tuple[int, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Invariant:
    """Holds in every stored state.  ``goal``: its negation is something the user looks for; reaching it is the news."""

    name: str
    condition: Expr
    message: str = ""
    goal: bool = False
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class NoDeadlock:
    """A stored state without a successor satisfies ``allowed``.  ``stuttering``: a move that leaves the state as it is
    does not count as one."""

    name: str = "deadlock"
    allowed: Expr = FALSE
    message: str = "deadlock"
    stuttering: bool = False
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Assertions:
    """The ``Require`` steps with this property's name hold whenever they are reached."""

    name: str = "assertions"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Temporal:
    """A formula of LTL, CTL or CTL* about the runs from the initial states; its propositions are expressions.
    ``about``: the System that remembers what the formula speaks of (steps, the past); None: the one it stands in.
    ``cover``: it says that some run reaches a condition (``to_reach``), which coverage tells; ``premise_of``: the
    property of this name is about what happens then, and says nothing if that is never reached."""

    name: str
    formula: Formula
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    cover: bool = field(default=False, compare=False)
    premise_of: str = field(default="", compare=False)
    on_demand: bool = field(default=False, compare=False)  # checked only if somebody asks for it by name
    about: System | None = field(default=None, compare=False, repr=False)  # the System that keeps what it asks for


Property = Invariant | NoDeadlock | Assertions | Temporal


@frozen
class System:
    """A model.  ``start`` commands run on the blank state (every place at its type's default), each value of their
    parameters gives an initial state.  A state in which ``transient`` holds is passed through and not stored.  With
    ``count_once`` moves from one state that differ only in hidden parameters and lead to one state count as one.
    ``most_moves``: of the moves with one label from one state so many are followed; where one is left out nothing can
    be said to hold.
    ``synchronous``: one step changes all places at once, as the clock of a circuit does.
    ``incomplete`` says what the front end had to cut: then nothing can be said to hold; ``doubtful``: nor to fail.
    ``late_cuts`` says, after a search, what computations had to cut on the way: then nothing at all can be said.
    ``bags``: sorts whose atoms only make room for the elements of a bag; nobody can tell which is which, so these are
    exchanged even where symmetry is off.
    ``forgettable``: variables that are not part of a state if nobody reads them.
    ``remarks``: what the front end found out about what may be exchanged.
    ``unread``: formulas of the text that cannot be checked, each with the reason.
    ``statements``: those of the text, also where no command performs them; engines do not look at them.
    ``telling``: how its runs are told in the words of the language."""

    name: str
    atoms: tuple[Atom, ...]
    variables: tuple[Variable, ...]
    commands: tuple[Command, ...]
    start: tuple[Command, ...] = (Command("start"),)
    definitions: tuple[Definition, ...] = ()
    properties: tuple[Property, ...] = ()
    transient: Expr = FALSE
    count_once: bool = False
    most_moves: int | None = None
    bags: tuple[str, ...] = ()
    forgettable: frozenset[str] = frozenset()
    synchronous: bool = False
    incomplete: tuple[str, ...] = field(default=(), compare=False)
    doubtful: bool = field(default=False, compare=False)
    late_cuts: Callable[[], tuple[str, ...]] = field(default=tuple, compare=False)
    unread: tuple[str, ...] = field(default=(), compare=False)
    remarks: tuple[str, ...] = field(default=(), compare=False, repr=False)
    statements: tuple[Performed, ...] = field(default=(), compare=False, repr=False)
    telling: Telling = field(default=RAW, compare=False, repr=False)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The entries of the state vector, in order."""
        return tuple(place for variable in self.variables for place in places_of(variable))

    @cached_property
    def index(self) -> dict[Address, int]:
        """Where in the state vector the place with this address is."""
        return {place.address: i for i, place in enumerate(self.places)}

    @cached_property
    def definition(self) -> dict[tuple[str, tuple[int, ...]], Expr]:
        return {(d.name, d.owners): d.body for d in self.definitions}

    @cached_property
    def variable(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def blocking(self) -> frozenset[int]:
        """The commands of which it may turn out only while they are performed that they cannot run."""

        def may_block(command: Command) -> bool:
            return any(isinstance(step, Require) and step.property == BLOCKED for step in all_steps(command.effect))

        return frozenset(k for k, command in enumerate(self.commands) if may_block(command))

    @cached_property
    def sorts(self) -> dict[str, tuple[int, ...]]:
        """The atoms of every sort."""
        found: dict[str, list[int]] = {}
        for i, atom in enumerate(self.atoms):
            found.setdefault(atom.sort, []).append(i)
        return {sort: tuple(atoms) for sort, atoms in found.items()}

    def atom_name(self, atom: int) -> str:
        return "none" if atom == NONE else self.atoms[atom].name


def places_of(variable: Variable) -> Iterator[Place]:
    for owners in product(*variable.owners):
        for indices in product(*map(range, variable.shape)):
            yield Place(variable.name, owners, indices, variable.type)
