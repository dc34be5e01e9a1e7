"""What an event does on several levels at once: assignments side by side, choices, and what is said of new values.

Where a witness speaks of a new value x', what is assigned to x is known by a name: a choice x :∈ S then becomes
ANY n WHERE n : S, and x' is n.
"""

from __future__ import annotations

from quorbit.languages.b.eventb.build import conjunction_of, primed
from quorbit.languages.b.syntax.formulas import Apply, Binary, Formula, Name, SetOf
from quorbit.languages.b.syntax.substitutions import (
    Any,
    Assign,
    BecomesIn,
    BecomesSuch,
    Parallel,
    Pre,
    Skip,
    Substitution,
)
from quorbit.languages.b.syntax.walk import free_names, substitute
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["Effects"]


class Effects:
    """The actions of an event so far."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.values: dict[str, Formula] = {}  # deterministic new values
        self.choices: list[BecomesIn | BecomesSuch] = []
        self.chosen: list[Name] = []
        self.said: list[Formula] = []

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
                if only is None or names <= only:
                    self.choices.append(s)
                elif names & only:
                    raise UserError(s.span, "this action is refined for some of its variables only")

    def assign(self, span: Span, name: str, value: Formula) -> None:
        if name in self.values:
            raise UserError(span, f"{name} is assigned twice in one event")
        self.values[name] = value

    def choose(self, p: Name) -> Name:
        """A new hidden parameter."""
        taken = {c.name for c in self.chosen}
        name = p.name
        while name in taken:
            name += "#"
        found = Name(p.span, f"{name}#")
        self.chosen.append(found)
        return found

    def say(self, condition: Formula) -> None:
        """A condition on parameters, old values and new values."""
        self.said.append(condition)

    def body(self, guards: tuple[Formula, ...]) -> Substitution:
        spoken = {n for c in self.said for n in free_names(c)}
        for choice in [c for c in self.choices if any(primed(n) in spoken for n in targets_of(c))]:
            self.name_choice(choice)
        after = {primed(n): v for n, v in self.values.items()}
        kept = {n: Name(self.span, n.removesuffix("'")) for n in spoken if n.endswith("'") and n not in after}
        said = tuple(substitute(c, {**kept, **after}) for c in self.said)
        body = self.assignments()
        if self.chosen:
            body = Any(self.span, tuple(self.chosen), conjunction_of(self.span, said), body)
        elif said:
            guards = (*guards, *said)
        return Pre(self.span, conjunction_of(self.span, guards), body) if guards else body

    def assignments(self) -> Substitution:
        parts: list[Substitution] = list(self.choices)
        if self.values:
            targets = tuple(Name(v.span, n) for n, v in self.values.items())
            parts.insert(0, Assign(self.span, targets, tuple(self.values.values())))
        if not parts:
            return Skip(self.span)
        return parts[0] if len(parts) == 1 else Parallel(self.span, tuple(parts))

    def name_choice(self, s: BecomesIn | BecomesSuch) -> None:
        """A choice as parameters and conditions, so that the new values have names."""
        self.choices.remove(s)
        new = {n: self.choose(Name(s.span, n)) for n in targets_of(s)}
        match s:
            case BecomesIn(set=values):
                for n in new.values():
                    self.said.append(Binary(s.span, ":", n, values))
            case BecomesSuch(predicate=predicate):
                self.said.append(old_and_new(predicate, new))
        for n, value in new.items():
            self.assign(s.span, n, value)


def old_and_new(f: Formula, new: dict[str, Name]) -> Formula:
    """B's x and x$0 as a new name and x."""
    between = {n: Name(f.span, primed(n)) for n in new}
    marked = substitute(f, between)  # x$0 becomes x'$0
    return restore(marked, {primed(n): (n, name) for n, name in new.items()})


def restore(f: Formula, names: dict[str, tuple[str, Name]]) -> Formula:
    from quorbit.languages.b.syntax.walk import map_children

    if isinstance(f, Name) and f.name in names:
        old, new = names[f.name]
        return Name(f.span, old) if f.old else new
    return map_children(f, lambda child: restore(child, names))  # type: ignore[arg-type,return-value]


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
