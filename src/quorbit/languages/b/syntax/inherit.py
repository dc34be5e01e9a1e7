"""What a refinement or implementation takes over from the machine it refines, so that it is a machine of its own."""

from __future__ import annotations

from quorbit.languages.b.syntax.formulas import Builtin, Formula, Junction
from quorbit.languages.b.syntax.machine import Machine, Operation, SetDeclaration
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.substitutions import Pre, Substitution, While
from quorbit.languages.b.syntax.walk import Node, free_names, map_children
from quorbit.source.frozen import replace


def inherit(machine: Machine, abstract: Machine, glued: bool) -> Machine:
    """Sets, constants, properties, concrete variables and the types of parameters come from the abstract machine.

    What is said of its other variables is left out, unless the two are ``glued`` to be compared.
    """
    declared = {v.name for v in machine.variables}
    kept = tuple(v for v in abstract.concrete if v.name not in declared)
    forgotten = {v.name for v in abstract.variables} - {v.name for v in kept}
    lost = set() if glued else forgotten - declared
    return replace(
        machine,
        sets=join(abstract.sets, machine.sets),
        freetypes=(*abstract.freetypes, *machine.freetypes),
        constants=(*abstract.constants, *machine.constants),
        properties=(*abstract.properties, *machine.properties),
        parameters=machine.parameters or abstract.parameters,
        constraints=(*abstract.constraints, *machine.constraints),
        variables=(*kept, *machine.variables),
        concrete=(*kept, *machine.concrete),
        invariant=(
            *(p for p in abstract.invariant if kept and not free_names(p) & forgotten),
            *(p for p in machine.invariant if not free_names(p) & lost),
        ),
        assertions=tuple(p for p in machine.assertions if not free_names(p) & lost),
        operations=machine.operations
        if glued
        else tuple(type_parameters(o, abstract.operations, lost) for o in machine.operations),
    )


def join(these: tuple[SetDeclaration, ...], those: tuple[SetDeclaration, ...]) -> tuple[SetDeclaration, ...]:
    names = {s.name.name for s in these}
    return (*these, *(s for s in those if s.name.name not in names))


def type_parameters(operation: Operation, abstract: tuple[Operation, ...], lost: set[str]) -> Operation:
    """What the abstract precondition says of the parameters alone holds in the refinement too."""
    operation = replace(operation, body=open_loops(operation.body, lost))
    for other in abstract:
        if other.name == operation.name and isinstance(other.body, Pre) and operation.parameters:
            same = [p.name for p in other.parameters] == [p.name for p in operation.parameters]
            kept = [c for c in conjuncts(other.body.predicate) if same and not free_names(c) & lost]
            body: Substitution = operation.body
            for conjunct in reversed(kept):
                body = Pre(conjunct.span, conjunct, body)
            return replace(operation, body=body)
    return operation


def open_loops(body: Substitution, lost: set[str]) -> Substitution:
    """Invariants of loops without what they say of abstract variables."""

    def change(node: Node) -> Node:
        if isinstance(node, Formula):
            return node
        changed = map_children(node, change)
        return replace(changed, invariant=without(changed.invariant, lost)) if isinstance(changed, While) else changed

    found = change(body)
    assert isinstance(found, Substitution)
    return found


def without(p: Formula, lost: set[str]) -> Formula:
    """A predicate less the conjuncts that mention these names."""
    kept = tuple(c for c in conjuncts(p) if not free_names(c) & lost)
    if not kept:
        return Builtin(p.span, "btrue")
    return kept[0] if len(kept) == 1 else Junction(p.span, "&", kept)
