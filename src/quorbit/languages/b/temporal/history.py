"""Formulas about steps and about the past, checked on a System that remembers what they ask for.

Variables are added that every step writes from the state it leaves: whether the step was one of an operation; what a
formula that looks back was worth a step earlier; what an expression was. Then

    [op]    is  not deadlock & X taken         Y f    is  before
    O f     is  f or before                    H f    is  f & before
    f S g   is  g or (f & before)              f T g  is  g & (f or before)

where ``before`` is what the same formula (Y f: f) was worth in the state before, false at the start of a run and true
for H and T. Nothing else knows of these variables, so symmetries of the System with them and the formula are found as
always: an operation with arguments is kept only by what keeps the arguments.
"""

from __future__ import annotations

from quorbit.languages.b.lower.loops import STEP
from quorbit.languages.b.meaning.explore import START
from quorbit.languages.b.temporal.parse import DEAD
from quorbit.languages.b.temporal.steps import Past, Since, Taken
from quorbit.model.system.command import Assign, Command, Require, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Expr,
    Literal,
    Operator,
    Read,
    conjunction,
    conjuncts_of,
    disjunction,
    negation,
)
from quorbit.model.system.formula import (
    And,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Truth,
    conjoin,
    disjoin,
    map_propositions,
    propositions,
)
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import TRUTH, default
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span

__all__ = ["remember"]

LOOKS_BACK = {"O": "once", "H": "always", "S": "since", "T": "triggered", "Y": "yesterday"}


def remember(system: System, formula: Formula) -> tuple[Formula, System | None]:
    """The formula in terms of states alone, and the System that keeps what it needs; None: nothing is needed."""
    if not any(isinstance(p.expression, Taken | Past | Since) for p in propositions(formula)):
        return formula, None
    history = History(system)
    return history.now(formula), history.system_with()


class History:
    """Variables that steps write: ``values`` by their names, the first value and the formula or expression whose value
    a step keeps."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.values: dict[str, tuple[Variable, Expr, Formula | Expr]] = {}
        self.known: dict[object, str] = {}

    def now(self, formula: Formula) -> Formula:
        """What a formula says here, told by states."""
        return map_propositions(formula, self.told)

    def told(self, e: object) -> Formula:
        match e:
            case Taken():
                return self.next(Proposition(Read(self.keep(e, "taken", FALSE, Proposition(e)))))
            case Since(kept=kept, test=test):
                for variable, value in kept:
                    self.values[variable.name] = (variable, Literal(default(variable.type), variable.type), value)
                return self.next(Proposition(test))
            case Past(operator=operator, operands=operands):
                before = Proposition(Read(self.before(e)))
                here = [self.now(f) for f in operands]
                return looking_back(operator, here, before)
        return Proposition(e)

    def next(self, formula: Formula) -> Formula:
        return conjoin((Not(DEAD), Next(formula)))

    def before(self, e: Past) -> str:
        """The variable that holds what the formula (of Y: its operand) was worth a step earlier."""
        kept = e.operands[0] if e.operator == "Y" else Proposition(e)
        return self.keep(e, LOOKS_BACK[e.operator], TRUE if e.operator in "HT" else FALSE, kept)

    def keep(self, key: object, word: str, first: Expr, kept: Formula) -> str:
        if key not in self.known:
            name = self.known[key] = f"{word} {len(self.known) + 1}"
            self.values[name] = (Variable(name, TRUTH), first, kept)
            if isinstance(key, Past):
                self.worth(kept, None, key.span)  # what it needs is kept too, and what cannot be kept is refused
        return self.known[key]

    def worth(self, formula: Formula, command: Command | None, span: Span) -> Expr:
        """What a formula is worth in the state that a command leaves."""
        match formula:
            case Proposition(expression=Taken(operation=operation, tests=tests)):
                return conjunction(list(tests)) if command is not None and command.label == operation else FALSE
            case Proposition(expression=Past(operator=operator, operands=operands) as e):
                values = [self.worth(f, command, e.span) for f in operands]
                return as_expression(operator, values, Read(self.before(e)))
            case Proposition(expression=Since()):
                raise UserError(span, "what changes in a step cannot stand under an operator that looks back")
            case Proposition(expression=e):
                return e  # type: ignore[return-value]
            case Truth(value):
                return TRUE if value else FALSE
            case Not(operand):
                return negation(self.worth(operand, command, span))
            case And(operands):
                return conjunction([self.worth(f, command, span) for f in operands])
            case Or(operands):
                return disjunction([self.worth(f, command, span) for f in operands])
            case Implies(left, right):
                return disjunction([negation(self.worth(left, command, span)), self.worth(right, command, span)])
            case Iff(left, right):
                both = (self.worth(left, command, span), self.worth(right, command, span))
                return Apply(Operator.EQUAL, both)
        raise UserError(span, "an operator that looks ahead cannot stand under one that looks back")

    def system_with(self) -> System:
        """The System with these variables."""
        names = frozenset(self.values)
        telling = replace(self.system.telling, hidden=self.system.telling.hidden | names)
        return replace(
            self.system,
            variables=(*self.system.variables, *(v for v, _, _ in self.values.values())),
            commands=tuple(self.written(c) for c in self.system.commands),
            start=tuple(self.begun(c) for c in self.system.start),
            telling=telling,
        )

    def written(self, command: Command) -> Command:
        """The command that keeps what is asked for; one inside a loop goes on with what was kept at its start."""
        if command.label == START:
            return self.begun(command)
        if is_inside(command):
            return command
        values: list[Assign] = []
        for variable, _, kept in self.values.values():
            value = self.worth(kept, command, command.span) if isinstance(kept, Formula) else kept
            values.append(Assign(Read(variable.name), value))
        return writing(command, tuple(values))

    def begun(self, command: Command) -> Command:
        return writing(command, tuple(Assign(Read(v.name), first) for v, first, _ in self.values.values()))


def looking_back(operator: str, here: list[Formula], before: Formula) -> Formula:
    match operator:
        case "O":
            return disjoin((here[0], before))
        case "H":
            return conjoin((here[0], before))
        case "S":
            return disjoin((here[1], conjoin((here[0], before))))
        case "T":
            return conjoin((here[1], disjoin((here[0], before))))
    return before


def as_expression(operator: str, here: list[Expr], before: Expr) -> Expr:
    match operator:
        case "O":
            return disjunction([here[0], before])
        case "H":
            return conjunction([here[0], before])
        case "S":
            return disjunction([here[1], conjunction([here[0], before])])
        case "T":
            return conjunction([here[1], disjunction([here[0], before])])
    return before


def is_inside(command: Command) -> bool:
    """Whether a command goes on with an operation that a loop has in its middle."""
    for test in conjuncts_of(command.guard):
        match test:
            case Apply(Operator.EQUAL, (Read(variable=variable), Literal(value=value))) if variable == STEP:
                return value != 0
    return False


def writing(command: Command, writes: tuple[Assign, ...]) -> Command:
    """The command with assignments that read the state it leaves."""
    first = next((k for k, step in enumerate(command.effect) if not isinstance(step, Require)), len(command.effect))
    before, rest = command.effect[:first], command.effect[first:]
    if rest and isinstance(rest[0], Together):
        return replace(command, effect=(*before, Together((*writes, *rest[0].assignments)), *rest[1:]))
    return replace(command, effect=(*before, Together(writes), *rest))
