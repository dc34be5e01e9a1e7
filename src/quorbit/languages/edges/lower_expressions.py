"""Expressions of a diagram -> expressions of the System."""

from __future__ import annotations

from quorbit.languages.edges.kinds import (
    Kind,
    Typed,
    arithmetic,
    as_number,
    as_process,
    as_truth,
    as_value,
    compare,
    describe,
    numeral,
)
from quorbit.languages.edges.names import LOCAL, OWN, Names, unknown
from quorbit.languages.edges.syntax import (
    Between,
    Compared,
    Count,
    Indexed,
    Joined,
    Listed,
    Name,
    Negated,
    Neighbour,
    Node,
    Numeral,
    Quantified,
    Word,
)
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Expr,
    Literal,
    NumberOf,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE, TRUTH, AtomOf, Number, Truth, Type
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

QUANTIFIERS = {"forall": Quantifier.ALL, "exists": Quantifier.SOME, "count": Quantifier.COUNT}


@frozen
class Scope:
    """The names of the diagram and those bound around an expression (to a process or a number)."""

    names: Names
    bound: tuple[tuple[str, Kind], ...] = ()

    def bind(self, name: Name, kind: Kind) -> Scope:
        known = self.names.declared.get(name.text)
        if name.text in dict(self.bound):
            raise UserError(name.span, f"{name.text} is already bound here; choose another name")
        if known is not None:
            raise UserError(name.span, f"{name.text} is already the name of a {known}")
        return Scope(self.names, (*self.bound, (name.text, kind)))


def lower_condition(scope: Scope, node: Node | None) -> Expr:
    return TRUE if node is None else as_truth(lower_node(scope, node))


def lower_node(scope: Scope, node: Node) -> Typed:
    match node:
        case Numeral(value, span):
            return Typed(number(value, span), Kind.NUMERAL, span)
        case Word():
            return lower_word(scope, node)
        case Indexed():
            return lower_indexed(scope, node)
        case Count():
            return Typed(lower_count(scope, node), Kind.NUMBER, node.span)
        case Neighbour():
            return lower_neighbour(scope, node)
        case Negated():
            return lower_negated(scope, node)
        case Joined(operator) if operator in ("and", "or", "=>", "<=>"):
            return Typed(lower_connective(scope, node), Kind.TRUTH, node.span)
        case Joined():
            return lower_arithmetic(scope, node)
        case Compared():
            return lower_compared(scope, node)
        case Listed():
            return lower_listed(scope, node)
        case Between():
            raise UserError(node.span, "a range may only follow 'in'")
        case Quantified():
            return lower_quantified(scope, node)


# Names and places.


def lower_word(scope: Scope, node: Word) -> Typed:
    names, text, span = scope.names, node.text, node.span
    bound = dict(scope.bound)
    if text in bound:
        return Typed(Bound(text, span), bound[text], span)
    if text in ("true", "false"):
        return Typed(Literal(int(text == "true"), TRUTH, span), Kind.TRUTH, span)
    if text == "none":
        return Typed(atom(NONE, span), Kind.NOTHING, span)
    if text in names.constants:
        return Typed(number(names.constants[text], span), Kind.NUMERAL, span)
    if text in names.variables:
        return lower_variable(scope, node)
    if text in names.states or text in names.members:
        return Typed(TRUE, Kind.SYMBOL, span, text=text)
    if text in names.classes and len(names.classes[text]) == 1:
        return Typed(atom(names.classes[text][0], span), Kind.PROCESS, span)
    raise names.complain(Name(text, span), complaint(names, text))


def complaint(names: Names, text: str) -> str:
    if text == OWN:
        return "i is the process that moves along an edge; here none does: write forall i: ... or exists i: ..."
    if text == LOCAL:
        return "s needs an index: s[i] is the local state of process i"
    if text in names.classes:
        return f"{text} is a class of several processes; name one of them, {text}[1]"
    return unknown("name", text, [*names.states, *names.variables, *names.constants])


def lower_variable(scope: Scope, node: Word) -> Typed:
    variable = scope.names.variables[node.text]
    if not variable.local:
        return typed_read(Read(variable.name, span=node.span), variable.type, node.span)
    if OWN not in dict(scope.bound):
        raise UserError(node.span, f"every process has its own {variable.name}: write {variable.name}[j]")
    return typed_read(Read(variable.name, (Bound(OWN, node.span),), span=node.span), variable.type, node.span)


def lower_indexed(scope: Scope, node: Indexed) -> Typed:
    names, base = scope.names, node.base.text
    if base in names.classes:
        return lower_member(scope, node)
    if base != LOCAL and not (base in names.variables and names.variables[base].local):
        hint = "is shared and has no index" if base in names.variables else "is not declared"
        raise names.complain(node.base, f"{base} {hint}; local states are s[j]")
    owner = as_process(names, lower_node(scope, node.index))
    type = names.state_type if base == LOCAL else names.variables[base].type
    return typed_read(Read(base, (owner,), span=node.span), type, node.span)


def lower_member(scope: Scope, node: Indexed) -> Typed:
    """``reader[2]``: the second process of the class."""
    processes = scope.names.classes[node.base.text]
    index = lower_node(scope, node.index)
    if index.kind is Kind.NUMERAL and not 1 <= numeral(index) <= len(processes):
        raise UserError(
            node.span, f"{node.base.text} has {len(processes)} processes, there is no number {numeral(index)}"
        )
    if index.kind is Kind.NUMERAL:
        return Typed(atom(processes[numeral(index) - 1], node.span), Kind.PROCESS, node.span)
    expr = AtomAt(as_number(scope.names, index), processes, 1, None, node.span)
    return Typed(expr, Kind.PROCESS, node.span)


def typed_read(read: Read, type: Type, span: Span) -> Typed:
    match type:
        case Truth():
            return Typed(read, Kind.TRUTH, span)
        case AtomOf():
            return Typed(read, Kind.PROCESS, span)
        case Number(names=members) if members:
            return Typed(read, Kind.VALUE, span, members)
        case _:
            return Typed(read, Kind.NUMBER, span)


def lower_neighbour(scope: Scope, node: Neighbour) -> Typed:
    """The ring of all processes: after the last comes the first."""
    numbering = scope.names.processes
    operand = as_process(scope.names, lower_node(scope, node.operand))
    k = NumberOf(operand, numbering, 0, None, node.span)
    moved = Apply(Operator.ADD, (k, number(node.step % len(numbering))), node.span)
    place = Apply(Operator.MODULO, (moved, number(len(numbering))), node.span)
    return Typed(AtomAt(place, numbering, 0, None, node.span), Kind.PROCESS, node.span)


# Operators.


def lower_negated(scope: Scope, node: Negated) -> Typed:
    operand = lower_node(scope, node.operand)
    if node.operator == "not":
        return Typed(negation(as_truth(operand), node.span), Kind.TRUTH, node.span)
    if operand.kind is Kind.NUMERAL:
        return Typed(number(-numeral(operand), node.span), Kind.NUMERAL, node.span)
    return Typed(Apply(Operator.NEGATE, (as_number(scope.names, operand),), node.span), Kind.NUMBER, node.span)


def lower_connective(scope: Scope, node: Joined) -> Expr:
    operands = [as_truth(lower_node(scope, operand)) for operand in node.operands]
    match node.operator:
        case "and":
            return conjunction(operands, node.span)
        case "or":
            return disjunction(operands, node.span)
        case "=>":
            return disjunction([negation(operands[0], node.operands[0].span), operands[1]], node.span)
        case _:
            return equal(operands[0], operands[1], node.span)


def lower_arithmetic(scope: Scope, node: Joined) -> Typed:
    a, b = (as_number(scope.names, lower_node(scope, operand)) for operand in node.operands)
    expr = arithmetic(node.operator, a, b, node.span)
    return Typed(expr, Kind.NUMERAL if isinstance(expr, Literal) else Kind.NUMBER, node.span)


def lower_compared(scope: Scope, node: Compared) -> Typed:
    operands = [lower_node(scope, operand) for operand in node.operands]
    pairs = zip(node.operators, operands, operands[1:], strict=False)
    return Typed(conjunction([compare(scope.names, o, a, b) for o, a, b in pairs], node.span), Kind.TRUTH, node.span)


def lower_listed(scope: Scope, node: Listed) -> Typed:
    """``a in {..}``; a process may also be ``in`` a local state or in a class."""
    element = lower_node(scope, node.element)
    expr = disjunction([lower_choice(scope, element, choice) for choice in node.choices], node.span)
    return Typed(negation(expr, node.span) if node.negated else expr, Kind.TRUTH, node.span)


def lower_choice(scope: Scope, element: Typed, choice: Node) -> Expr:
    if isinstance(choice, Between):
        low, high = lower_node(scope, choice.low), lower_node(scope, choice.high)
        within = [compare(scope.names, "<=", low, element), compare(scope.names, "<=", element, high)]
        return conjunction(within, choice.span)
    if isinstance(choice, Word) and element.kind in (Kind.PROCESS, Kind.NUMERAL):
        if choice.text in (*scope.names.classes, "process"):
            process, members = as_process(scope.names, element), scope.names.class_of(Name(choice.text, choice.span))
            return disjunction([equal(process, atom(a, choice.span), choice.span) for a in members], choice.span)
        if choice.text in scope.names.states:
            read = Read(LOCAL, (as_process(scope.names, element),), span=element.span)
            state = as_value(lower_node(scope, choice), tuple(scope.names.states))
            return equal(read, state, element.span.to(choice.span))
    return compare(scope.names, "=", element, lower_node(scope, choice))


# Counting and quantifying.


def lower_count(scope: Scope, node: Count) -> Expr:
    names, first = scope.names, node.names[0]
    if len(node.names) == 1 and node.of is None and (first.text == "process" or first.text in names.classes):
        return number(len(names.class_of(first)), node.span)
    states = [Literal(names.state(name), names.state_type, name.span) for name in node.names]
    here = Read(LOCAL, (Bound("p", node.span),), span=node.span)
    body = disjunction([equal(here, state, node.span) for state in states], node.span)
    parameter = Parameter("p", Atoms(names.class_of(node.of)))
    return Quantify(Quantifier.COUNT, parameter, body, TRUE, node.span)


def lower_quantified(scope: Scope, node: Quantified) -> Typed:
    """Several names are nested quantifiers; ``count`` takes one name."""
    if node.quantifier == "count" and len(node.variables) > 1:
        raise UserError(node.span, "count takes a single name")
    inner = scope
    for name in node.variables:
        inner = inner.bind(name, Kind.PROCESS)
    condition, expr = lower_condition(inner, node.condition), as_truth(lower_node(inner, node.body))
    for name in reversed(node.variables):
        parameter = Parameter(name.text, Atoms(scope.names.class_of(node.of)))
        expr = Quantify(QUANTIFIERS[node.quantifier], parameter, expr, condition, node.span)
        condition = TRUE
    return Typed(expr, Kind.NUMBER if node.quantifier == "count" else Kind.TRUTH, node.span)


def constant_value(scope: Scope, node: Node) -> int:
    """A number known before anything runs."""
    e = lower_node(scope, node)
    if e.kind is not Kind.NUMERAL:
        raise UserError(node.span, f"expected a constant number, this is {describe(e)}")
    return numeral(e)
