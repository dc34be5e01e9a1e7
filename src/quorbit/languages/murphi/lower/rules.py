"""Rules, start states and properties: each becomes a command, a start or a property for the parameters around it."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.languages.murphi.lower.calls import declare_locals, needs_steps
from quorbit.languages.murphi.lower.expressions import lower_condition, lower_designator
from quorbit.languages.murphi.lower.frame import Context, Frame
from quorbit.languages.murphi.lower.quantifiers import is_present, members, parameter_for, slots_of, type_of
from quorbit.languages.murphi.lower.statements import bind_aliases, lower_body
from quorbit.languages.murphi.lower.typed import Typed
from quorbit.languages.murphi.syntax.program import (
    Alias,
    AliasRule,
    Choose,
    Declaration,
    PropertyRule,
    RuleItem,
    Ruleset,
    SimpleRule,
    StartState,
    Statement,
)
from quorbit.languages.murphi.syntax.terms import Expression, Quantifier
from quorbit.languages.murphi.types import SlotOf, value_names
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.command import Command, Print, Require, Step
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Atoms,
    Bound,
    Expr,
    Literal,
    Parameter,
    Quantify,
    conjunction,
)
from quorbit.model.system.expression import Quantifier as Kind
from quorbit.model.system.system import BLOCKED
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable, replace
from quorbit.source.span import Span


@frozen
class Stated:
    """A property as it is written: its condition is about the parameters around it."""

    kind: str
    name: str
    condition: Expr
    parameters: tuple[Parameter, ...]
    span: Span


@mutable
class Rules:
    """What the rules of a model become."""

    commands: list[Command] = field(default_factory=list)
    starts: list[Command] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)


@frozen
class Around:
    """What stands around a rule: parameters, conditions on them, aliases, those parameters that are atoms (who moves),
    values of parameters that are written out."""

    parameters: tuple[Parameter, ...] = ()
    guards: tuple[Expr, ...] = ()
    aliases: tuple[Alias, ...] = ()
    actors: tuple[Expr, ...] = ()
    label: str = ""


def lower_rules(context: Context, items: list[RuleItem]) -> Rules:
    found = Rules()
    frame = Frame(context, context.scope, dict(context.globals))
    for item in items:
        lower_rule(found, frame, item, Around())
    return found


def lower_rule(found: Rules, frame: Frame, item: RuleItem, around: Around) -> None:
    match item:
        case Ruleset(quantifiers, rules):
            lower_ruleset(found, frame, list(quantifiers), rules, around)
        case AliasRule(aliases, rules):
            inner = frame
            for alias in aliases:
                inner = inner.bind({alias.name.text: lower_designator(inner, alias.value)})
            for rule in rules:
                lower_rule(found, inner, rule, replace(around, aliases=(*around.aliases, *aliases)))
        case Choose():
            lower_choose(found, frame, item, around)
        case SimpleRule():
            found.commands += lower_simple_rule(frame, item, around, len(found.commands) + 1)
        case StartState(name, declarations, body, span):
            effect = lower_effect(frame, declarations, body, around, span)
            found.starts.append(Command(name or "startstate", TRUE, effect, around.parameters, span=span))
        case PropertyRule(kind, name, condition, span):
            truth = lower_condition(frame, condition)
            found.stated.append(Stated(kind, name + around.label if name else "", truth, around.parameters, span))


def lower_ruleset(
    found: Rules, frame: Frame, quantifiers: list[Quantifier], rules: tuple[RuleItem, ...], around: Around
) -> None:
    if not quantifiers:
        for rule in rules:
            lower_rule(found, frame, rule, around)
        return
    q, *rest = quantifiers
    type = type_of(frame, q)
    if type is None:
        raise UserError(q.span, "the bounds of a ruleset should be constants")
    parameter = parameter_for(frame, q, type)
    if parameter is not None:
        inner = replace(around, parameters=(*around.parameters, parameter[0]))
        if isinstance(parameter[0].domain, Atoms):
            inner = replace(inner, actors=(*around.actors, parameter[1].expr))
        lower_ruleset(found, frame.bind({q.name.text: parameter[1]}), rest, rules, inner)
        return
    for value, name in zip(members(frame, q, type), value_names(type), strict=False):
        label = f"{around.label}, {q.name.text}:{name}"
        lower_ruleset(found, frame.bind({q.name.text: value}), rest, rules, replace(around, label=label))


def lower_choose(found: Rules, frame: Frame, item: Choose, around: Around) -> None:
    spot, slots = slots_of(frame, item.set, lower_designator)
    name = frame.context.fresh_name(item.name.text)
    slot = Typed(Bound(name, item.name.span), SlotOf(spot.key), item.name.span, True)
    present = is_present(slots, spot, slot.expr, item.span)
    inner = replace(
        around,
        parameters=(*around.parameters, Parameter(name, Atoms(slots.atoms))),
        guards=(*around.guards, present),
    )
    for rule in item.rules:
        lower_rule(found, frame.bind({item.name.text: slot}), rule, inner)


def lower_simple_rule(frame: Frame, rule: SimpleRule, around: Around, number: int) -> list[Command]:
    in_steps = rule.guard is not None and needs_steps(frame.context, rule.guard)
    if in_steps and has_priorities(frame.context.program.rules):
        raise UserError(rule.span, "with priorities of rules, the functions in a condition should only compute a value")
    guard = TRUE if rule.guard is None or in_steps else lower_condition(frame, rule.guard)
    condition = fold(conjunction([*around.guards, guard], rule.span))
    if condition == FALSE:
        return []
    shows: list[Print] = []
    first = rule.guard if in_steps else None
    effect = lower_effect(frame, rule.declarations, rule.body, around, rule.span, shows, first)
    label = (rule.name or f"rule {number}") + around.label
    found = Command(label, condition, effect, around.parameters, around.actors, rule.priority, prints=tuple(shows))
    return [replace(found, span=rule.span)]


def has_priorities(items: Iterable[RuleItem]) -> bool:
    return any(
        item.priority != 0
        if isinstance(item, SimpleRule)
        else isinstance(item, Ruleset | AliasRule | Choose) and has_priorities(item.rules)
        for item in items
    )


def lower_effect(
    frame: Frame,
    declarations: tuple[Declaration, ...],
    body: tuple[Statement, ...],
    around: Around,
    span: Span,
    shows: list[Print] | None = None,
    guard: Expression | None = None,
) -> tuple[Step, ...]:
    """The statements of a rule; its scratch variables are as before at the end.  ``shows``: where goes what it
    prints.  ``guard``: a condition that is found out in steps; where it does not hold there is no move."""
    steps: list[Step] = []
    inner = Frame(frame.context, frame.scope.inner(), frame.names, steps)
    inner = bind_aliases(inner, around.aliases, body)
    if guard is not None:
        steps.append(Require(lower_condition(inner, guard), "", BLOCKED, guard.span))
    inner = declare_locals(inner, declarations, steps)
    inner.shows, before = [], len(steps)
    steps += lower_body(inner, body)
    if shows is not None:
        shows += [replace(print_, after=before + print_.after) for print_ in inner.shows]
    frame.context.give_back(0)
    return (*steps, *frame.context.forget_scratch(span))


def for_all(stated: Stated) -> Expr:
    """The condition for all values of the parameters around it."""
    condition = stated.condition
    for parameter in reversed(stated.parameters):
        if not isinstance(condition, Literal):
            condition = Quantify(Kind.ALL, parameter, condition, span=stated.span)
    return condition
