"""What an event does on several levels at once: assignments side by side, choices, and what is said of new values.

Where a witness speaks of a new value x', what is assigned to x is known by a name: a choice x :∈ S then becomes
ANY n WHERE n : S, and x' is n.
"""

from __future__ import annotations

from quorbit.languages.b.eventb.build import PRIME, conjunction_of, is_primed, primed
from quorbit.languages.b.syntax.formulas import Apply, Binary, Formula, Name, Quantifier, SetOf
from quorbit.languages.b.syntax.substitutions import (
    Any,
    Assert,
    Assign,
    BecomesIn,
    BecomesSuch,
    Parallel,
    Pre,
    Skip,
    Substitution,
)
from quorbit.languages.b.syntax.walk import free_names, map_children, substitute
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["Effects"]

FOLLOWS = "no abstract step fits this event: there are no values as its witnesses want them"


class Effects:
    """The actions of an event so far: its own, and those of the abstract levels beside them.

    The concrete step is chosen first, then the abstract levels follow it."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.values: dict[str, Formula] = {}  # deterministic new values
        self.choices: list[BecomesIn | BecomesSuch] = []  # of the event itself
        self.beside: list[BecomesIn | BecomesSuch] = []  # of the abstract levels
        self.chosen: list[Name] = []  # by the abstract levels, such that all of ``said`` holds
        self.said: list[Formula] = []
        self.demands: list[tuple[Formula, str]] = []  # what must hold besides, each with what is wrong if it does not

    def add(self, s: Substitution, only: set[str] | None = None) -> None:
        """An action; of an abstract one only what it does to variables that are gone."""
        match s:
            case Assign(targets=targets, values=values):
                for target, value in zip(targets, values, strict=True):
                    name, whole = whole_value(target, value)
                    if only is None or name in only:
                        self.assign(s.span, name, whole)
            case BecomesIn(targets=targets) | BecomesSuch(targets=targets):
                names = {t.name for t in targets if isinstance(t, Name)}
                if only is None:
                    self.choices.append(s)
                elif names <= only:
                    self.beside.append(s)
                elif names & only:
                    raise UserError(s.span, "this action is refined for some of its variables only")

    def assign(self, span: Span, name: str, value: Formula) -> None:
        if name in self.values:
            raise UserError(span, f"{name} is assigned twice in one event")
        self.values[name] = value

    def choose(self, p: Name) -> Name:
        """A parameter that the abstract levels choose."""
        found = self.new_name(p)
        self.chosen.append(found)
        return found

    def new_name(self, p: Name, others: tuple[Name, ...] = ()) -> Name:
        taken = {c.name for c in (*self.chosen, *others)}
        name = f"{p.name}#"
        while name in taken:
            name += "#"
        return Name(p.span, name)

    def say(self, condition: Formula) -> None:
        """A condition on parameters, old values and new values."""
        self.said.append(condition)

    def demand(self, condition: Formula, message: str) -> None:
        self.demands.append((condition, message))

    def body(self, guards: tuple[Formula, ...]) -> Substitution:
        for choice in self.beside:
            new = {n: self.choose(Name(choice.span, n)) for n in targets_of(choice)}
            self.said.append(self.name_choice(choice, new))
        spoken = {n for c in self.said for n in free_names(c)}
        first: list[Name] = []
        conditions: list[Formula] = []
        for choice in [c for c in self.choices if any(primed(n) in spoken for n in targets_of(c))]:
            self.choices.remove(choice)
            new = {n: self.new_name(Name(choice.span, n), tuple(first)) for n in targets_of(choice)}
            first.extend(new.values())
            conditions.append(self.name_choice(choice, new))
        after: dict[str, Formula] = {primed(n): v for n, v in self.values.items()}
        kept = {n: Name(self.span, n.removesuffix(PRIME)) for n in spoken if is_primed(n) and n not in after}
        said = tuple(substitute(c, {**kept, **after}) for c in self.said)
        body = self.followed(said, self.assignments())
        if first:
            body = Any(self.span, tuple(first), conjunction_of(self.span, tuple(conditions)), body)
        return Pre(self.span, conjunction_of(self.span, guards), body) if guards else body

    def followed(self, said: tuple[Formula, ...], body: Substitution) -> Substitution:
        """The abstract levels follow; that they cannot is an error, so that no concrete step is lost."""
        for condition, message in reversed(self.demands):
            body = Assert(condition.span, condition, body, message)
        names, whole = tuple(self.chosen), conjunction_of(self.span, said)
        if names:
            exists = Quantifier(self.span, "#", names, whole)
            return Assert(self.span, exists, Any(self.span, names, whole, body), FOLLOWS)
        return Assert(self.span, whole, body, FOLLOWS) if said else body

    def assignments(self) -> Substitution:
        parts: list[Substitution] = list(self.choices)
        if self.values:
            targets = tuple(Name(v.span, n) for n, v in self.values.items())
            parts.insert(0, Assign(self.span, targets, tuple(self.values.values())))
        if not parts:
            return Skip(self.span)
        return parts[0] if len(parts) == 1 else Parallel(self.span, tuple(parts))

    def name_choice(self, s: BecomesIn | BecomesSuch, new: dict[str, Name]) -> Formula:
        """A choice as a condition on names of the new values."""
        for name, value in new.items():
            self.assign(s.span, name, value)
        match s:
            case BecomesIn(set=values):
                return conjunction_of(s.span, tuple(Binary(s.span, ":", n, values) for n in new.values()))
            case BecomesSuch(predicate=predicate):
                return old_and_new(predicate, new)


def old_and_new(f: Formula, new: dict[str, Name]) -> Formula:
    """B's x and x$0 as a new name and x."""
    between = {n: Name(f.span, primed(n)) for n in new}
    marked = substitute(f, between)  # x$0 becomes x'$0
    return restore(marked, {primed(n): (n, name) for n, name in new.items()})


def restore(f: Formula, names: dict[str, tuple[str, Name]]) -> Formula:
    if isinstance(f, Name) and f.name in names:
        old, new = names[f.name]
        return Name(f.span, old) if f.old else new
    return map_children(f, lambda child: restore(child, names))  # type: ignore[arg-type]


def targets_of(s: BecomesIn | BecomesSuch) -> tuple[str, ...]:
    return tuple(t.name for t in s.targets if isinstance(t, Name))


def whole_value(target: Formula, value: Formula) -> tuple[str, Formula]:
    """f(x) ≔ E means f ≔ f <+ {x ↦ E}."""
    match target:
        case Name(name=name):
            return name, value
        case Apply(function=function, arguments=(x,)):
            pair = SetOf(value.span, (Binary(value.span, "|->", x, value),))
            return whole_value(function, Binary(value.span, "<+", function, pair))
    raise UserError(target.span, "this cannot be assigned")
