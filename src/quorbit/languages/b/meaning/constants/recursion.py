"""Functions that are defined by themselves: constants of which PROPERTIES say ``c = E`` where E mentions c.

Such a constant is no unknown of the solver. Its definition is kept, and is looked into as far as an argument needs it.
"""

from __future__ import annotations

from dataclasses import replace

from quorbit.languages.b.syntax.formulas import Apply, Binary, Formula, Name
from quorbit.languages.b.syntax.walk import bound_names, children, descendants, free_names
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.languages.b.types.types import PairType, SetOfType
from quorbit.source.errors import UserError

__all__ = ["take_out_recursion"]


def take_out_recursion(machine: TypedMachine) -> TypedMachine:
    """The machine whose recursive constants are definitions; which properties of these are not checked is noted."""
    found = recursive_definitions(machine)
    if not found:
        return machine
    refuse_hidden(machine, found)
    taken = {id(p) for _, p in found.values()}
    others = [p for p in machine.properties if id(p) not in taken]
    checked = tuple(p for p in others if all(is_only_applied(p, name) for name in found))
    left = [p for p in others if p not in checked]
    notes = (f"not checked: what {p.span} says of a function that is defined by recursion" for p in left)
    return replace(
        machine,
        constants=tuple(c for c in machine.constants if c.name not in found),
        properties=checked,
        recursive={name: body for name, (body, _) in found.items()},
        notes=(*machine.notes, *notes),
    )


def recursive_definitions(machine: TypedMachine) -> dict[str, tuple[Formula, Formula]]:
    """By the name of a constant its definition and the property that says so, where it leads back to the constant."""
    constants = {c.name for c in machine.constants if is_relation(c)}
    found: dict[str, tuple[Formula, Formula]] = {}
    for p in machine.properties:
        match p:
            case Binary(op="=", left=Name(name=name), right=body) if name in constants and name not in found:
                found[name] = body, p
    uses = {name: free_names(body) & found.keys() for name, (body, _) in found.items()}
    return {name: found[name] for name in found if leads_to(uses, name)}


def is_relation(c: Name) -> bool:
    return isinstance(c.type, SetOfType) and isinstance(c.type.element, PairType)


def leads_to(uses: dict[str, frozenset[str]], name: str) -> bool:
    """Whether a definition comes back to its own name."""
    seen: set[str] = set()
    waiting = list(uses[name])
    while waiting:
        at = waiting.pop()
        if at == name:
            return True
        if at not in seen:
            seen.add(at)
            waiting.extend(uses[at])
    return False


def refuse_hidden(machine: TypedMachine, found: dict[str, tuple[Formula, Formula]]) -> None:
    """What a definition mentions must mean the same wherever the constant is used."""
    mentioned = {name for body, _ in found.values() for name in free_names(body)}
    bodies = [machine.initialisation, *(o.body for o in machine.callable.values())]
    nodes = (*machine.properties, *machine.invariant, *machine.assertions, *(b for b in bodies if b is not None))
    heads = [n for o in machine.callable.values() for n in (*o.parameters, *o.results)]
    for n in (*heads, *(n for top in nodes for node in descendants(top) for n in bound_names(node))):
        if n.name in mentioned:
            raise UserError(n.span, f"{n.name} is mentioned in a recursive definition; give this one another name")


def is_only_applied(f: Formula, name: str) -> bool:
    """Whether a formula uses a function by applying it and in no other way."""
    match f:
        case Name(name=other):
            return other != name
        case Apply(function=Name(name=other), arguments=arguments) if other == name:
            return all(is_only_applied(a, name) for a in arguments)
    return all(is_only_applied(child, name) for child in children(f) if isinstance(child, Formula))
