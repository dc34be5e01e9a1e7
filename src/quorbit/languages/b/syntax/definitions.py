"""DEFINITIONS put in the place of their uses: expressions, predicates and substitutions, with or without parameters.

Names in a body that are not parameters mean what they mean where the definition is used; arguments are never captured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from quorbit.languages.b.syntax.formulas import Apply, Formula, Name
from quorbit.languages.b.syntax.machine import Definition
from quorbit.languages.b.syntax.substitutions import Call, Substitution
from quorbit.languages.b.syntax.walk import Node, bound_names, map_children, substitute
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["expand"]

N = TypeVar("N", bound="Formula | Substitution")


def expand(node: N, definitions: Mapping[str, Definition], used: tuple[str, ...] = ()) -> N:
    """The formula or substitution without definitions; ``used`` are those being expanded around it."""
    if not definitions:
        return node
    match node:
        case Name(name=name) if name in definitions:
            return result(node, inline(node.span, definitions[name], (), definitions, used), Formula)
        case Apply(function=Name(name=name), arguments=arguments) if name in definitions:
            return result(node, apply_definition(node, definitions[name], arguments, definitions, used), Formula)
        case Call(operation=name, targets=(), arguments=arguments) if name in definitions:
            return result(node, call_definition(node, definitions[name], arguments, definitions, used), Substitution)
    hidden = {n.name for n in bound_names(node)}
    if hidden & definitions.keys():
        definitions = {name: d for name, d in definitions.items() if name not in hidden}
    return map_children(node, lambda child: expand(child, definitions, used))


def result(node: N, body: Node, kind: type) -> N:
    if not isinstance(body, kind):
        wanted = "a formula" if kind is Formula else "a substitution"
        raise UserError(node.span, f"{node.span.text} is defined as {describe(body)}; {wanted} is expected here")
    return body  # type: ignore[return-value]


def describe(body: Node) -> str:
    return "a formula" if isinstance(body, Formula) else "a substitution"


def apply_definition(
    node: Apply,
    definition: Definition,
    arguments: tuple[Formula, ...],
    definitions: Mapping[str, Definition],
    used: tuple[str, ...],
) -> Node:
    """d(a, b): arguments of the definition, or a function application if it has no parameters."""
    if definition.parameters:
        return inline(node.span, definition, arguments, definitions, used)
    function = inline(node.span, definition, (), definitions, used)
    if not isinstance(function, Formula):
        raise UserError(node.span, f"the definition {definition.name} takes no arguments")
    return Apply(node.span, function, tuple(expand(a, definitions, used) for a in arguments))


def call_definition(
    node: Call,
    definition: Definition,
    arguments: tuple[Formula, ...],
    definitions: Mapping[str, Definition],
    used: tuple[str, ...],
) -> Node:
    body = inline(node.span, definition, arguments, definitions, used)
    match body:
        case Name(name=name):
            return Call(node.span, (), name, ())
        case Apply(function=Name(name=name), arguments=inner):
            return Call(node.span, (), name, inner)
    return body


def inline(
    span: Span,
    definition: Definition,
    arguments: tuple[Formula, ...],
    definitions: Mapping[str, Definition],
    used: tuple[str, ...],
) -> Node:
    """The body with its arguments put in, itself expanded."""
    if definition.name in used:
        raise UserError(definition.span, f"the definition {definition.name} refers to itself")
    if len(arguments) != len(definition.parameters):
        wanted = len(definition.parameters)
        raise UserError(span, f"the definition {definition.name} takes {wanted} arguments, not {len(arguments)}")
    given = {p.name: expand(a, definitions, used) for p, a in zip(definition.parameters, arguments, strict=True)}
    inner = {name: d for name, d in definitions.items() if name not in given}
    body = definition.body
    if isinstance(body, Formula):
        return substitute(expand(body, inner, (*used, definition.name)), given)
    return substitute(expand(body, inner, (*used, definition.name)), given)
