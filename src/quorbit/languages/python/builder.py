"""Write a model in Python: sorts, variables, commands as functions, properties.

    m = Builder("mutex")
    process = m.sort("process", 3)
    at = m.variable("at", ("N", "T", "C"), process)

    @m.command(i=process)
    def enter(i):
        return m.when(at[i] == "T", how_many(process, lambda j: at[j] == "C") == 0).do(at[i].to("C"))

    m.invariant("mutex", how_many(process, lambda j: at[j] == "C") <= 1)
    quorbit.check(m).verdict

Messages, ``why`` and traces point at the lines of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from quorbit.languages.python.values import Change, Plain, Sort, Value, declared_at, domain_of, here
from quorbit.model.system.command import Assign, Command, Require, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Atoms,
    Bound,
    Domain,
    Expr,
    Fresh,
    Literal,
    Parameter,
    Read,
    Use,
    conjunction,
    number,
)
from quorbit.model.system.formula import Formula
from quorbit.model.system.system import (
    Assertions,
    Atom,
    Definition,
    Invariant,
    NoDeadlock,
    Property,
    System,
    Temporal,
    Variable,
)
from quorbit.model.system.telling import RAW
from quorbit.model.system.types import TRUTH, AtomOf, Number, Type
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen

__all__ = ["Builder", "Family", "Rule"]

Body: TypeAlias = Callable[..., "Rule"]
Values: TypeAlias = "Type | range | tuple[str, ...] | Sort | type[bool]"


@frozen
class Rule:
    """What a command does where its guard holds: steps one after the other, the changes of one step together."""

    guard: Expr
    steps: tuple[Step, ...] = ()

    def do(self, *changes: Change) -> Rule:
        step = Together(tuple(Assign(change.target, change.value) for change in changes))
        return Rule(self.guard, (*self.steps, step))

    def require(self, condition: Value | bool, message: str) -> Rule:
        """The run violates the assertions unless this holds here."""
        test = condition.expr if isinstance(condition, Value) else TRUE if condition else FALSE
        return Rule(self.guard, (*self.steps, Require(test, message, span=here())))


class Family(Value):
    """A variable: itself where it has no owners, else one place for each, reached by ``[...]``."""

    def __init__(self, name: str, type: Type, owners: int) -> None:
        super().__init__(Read(name), type)
        self.name, self.owners = name, owners

    def __getitem__(self, keys: Plain | tuple[Plain, ...]) -> Value:
        listed = keys if isinstance(keys, tuple) else (keys,)
        lifted = tuple(number(k) if isinstance(k, int) else self.lift(k) for k in listed)
        return Value(Read(self.name, lifted[: self.owners], lifted[self.owners :], here()), self.type)


class Builder:
    """A model that is being written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.atoms: list[Atom] = []
        self.variables: list[Variable] = []
        self.commands: list[Command] = []
        self.starts: list[Command] = []
        self.definitions: list[Definition] = []
        self.properties: list[Property] = []
        self.passed_through: Expr = FALSE
        self.counts_once = False
        self.file = here().file

    def sort(self, name: str, size: int | tuple[str, ...], kind: str = "process") -> Sort:
        """New atoms: so many, or with these names.  Only atoms of one sort may be exchanged."""
        names = tuple(f"{name}[{k}]" for k in range(size)) if isinstance(size, int) else size
        first = len(self.atoms)
        self.atoms += [Atom(each, kind, name, here()) for each in names]
        return Sort(name, tuple(range(first, len(self.atoms))))

    def variable(self, name: str, values: Values, *owners: Sort, shape: tuple[int, ...] = ()) -> Family:
        """A variable, or one for each owner: of numbers, names, truth values or atoms (or nobody)."""
        kind = type_of(values)
        self.variables.append(Variable(name, kind, tuple(each.atoms for each in owners), shape, here()))
        return Family(name, kind, len(owners))

    def define(self, name: str, body: Value, *owners: Value) -> Value:
        """A shared expression with a name."""
        self.definitions.append(Definition(name, body.expr, tuple(atom_number(each) for each in owners), here()))
        return Value(Use(name, tuple(each.expr for each in owners)))

    @staticmethod
    def when(*conditions: Value) -> Rule:
        return Rule(conjunction([each.expr for each in conditions], here()))

    def command(
        self,
        *,
        rank: int = 0,
        turn: int = 0,
        label: str = "",
        actor: Value | None = None,
        **parameters: Sort | range | Domain,
    ) -> Callable[[Body], Body]:
        """Declares a function of the parameters as a command; those that are atoms are its actors.

        ``rank``: commands of a lower rank hide it; ``turn``: those of the same actor do.  See ``Command``."""

        def declare(body: Body) -> Body:
            domains = {name: domain_of(over) for name, over in parameters.items()}
            rule = body(**{name: Value(Bound(name)) for name in domains})
            movers = tuple(Bound(name) for name, domain in domains.items() if isinstance(domain, Atoms))
            listed = tuple(Parameter(name, domain) for name, domain in domains.items())
            self.commands.append(
                Command(
                    label or body.__name__,
                    rule.guard,
                    rule.steps,
                    listed,
                    movers if actor is None else (actor.expr,),
                    rank,
                    turn,
                    span=declared_at(body.__code__),
                )
            )
            return body

        return declare

    def start(self, *changes: Change) -> None:
        """An initial state, by what differs from 0, false, nobody and empty; several calls give several states."""
        self.starts.append(Command("start", effect=Rule(TRUE).do(*changes).steps, span=here()))

    def fresh(self, sort: Sort, free: Callable[[Value], Value], name: str = "new") -> Fresh:
        """The domain of a parameter: any atom that is free, none of which is told apart from the others."""
        return Fresh(sort.atoms, free(Value(Bound(name))).expr)

    def transient(self, condition: Value) -> None:
        """States in which this holds are passed through and not stored."""
        self.passed_through = condition.expr

    def count_once(self) -> None:
        """Moves that lead to the same state count as one."""
        self.counts_once = True

    def invariant(self, name: str, condition: Value) -> None:
        self.properties.append(Invariant(name, condition.expr, f"the invariant {name} does not hold", span=here()))

    def no_deadlock(self, allowed: Value | None = None) -> None:
        self.properties.append(NoDeadlock(allowed=FALSE if allowed is None else allowed.expr, span=here()))

    def assertions(self) -> None:
        """The conditions that commands ``require`` are checked."""
        self.properties.append(Assertions(span=here()))

    def formula(self, name: str, formula: Formula) -> None:
        """A formula of LTL, CTL or CTL*; ``Proposition(value.expr)`` makes a proposition of a Value."""
        self.properties.append(Temporal(name, formula, here()))

    def system(self) -> System:
        if not self.commands:
            raise UserError(here(), f"{self.name} has no command")
        return System(
            self.name,
            tuple(self.atoms),
            tuple(self.variables),
            tuple(self.commands),
            tuple(self.starts) or (Command("start"),),
            tuple(self.definitions),
            tuple(self.properties),
            self.passed_through,
            self.counts_once,
            telling=RAW,
        )

    @property
    def path(self) -> Path:
        return Path(self.file)


def atom_number(value: Value) -> int:
    """Of one atom, as ``sort[k]`` gives it."""
    if isinstance(value.expr, Literal) and isinstance(value.expr.value, int):
        return value.expr.value
    raise UserError(here(), "the owner of a definition is one atom: sort[k]")


def type_of(values: Values) -> Type:
    match values:
        case range():
            return Number(values.start, values.stop - 1)
        case tuple():
            return Number(0, len(values) - 1, values)
        case Sort():
            return AtomOf(values.atoms, True)
        case type():
            return TRUTH
    return values
