"""Functions that are defined by themselves: constants of which PROPERTIES say ``c = E`` where E mentions c.

Such a constant is not an unknown of the solver. Its definition is kept and looked into as far as an argument needs it.
"""

from __future__ import annotations

from collections.abc import Set

from quorbit.languages.b.syntax.formulas import Apply, Binary, Binder, Builtin, Comprehension, Formula, Name
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.walk import Node, bound_names, children, descendants, free_names
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.languages.b.types.types import BOOL, Given, PairType, SetOfType
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

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
    cyclic = {name: found[name] for name in found if leads_to(uses, name)}
    if all(is_guarded(body, cyclic.keys()) for body, _ in cyclic.values()):
        return cyclic
    return {}


def is_guarded(body: Formula, names: Set[str]) -> bool:
    """Whether a definition looks into these functions only for arguments: inside of functions over infinite domains."""
    match body:
        case Binder(op="%", names=bound, predicate=predicate) | Comprehension(names=bound, predicate=predicate):
            endless = any(is_unbounded(n, conjuncts(predicate)) for n in bound)
            return endless and all(is_only_applied(body, name) for name in names)
        case Binary(op="\\/" | "<+", left=left, right=right):
            return all(is_guarded(side, names) or not free_names(side) & names for side in (left, right))
    return False


def is_unbounded(n: Name, conditions: tuple[Formula, ...]) -> bool:
    """Whether a bound name ranges over infinitely many values, by the conditions that say where it is from."""
    if isinstance(n.type, Given) or n.type == BOOL:
        return False
    for c in conditions:
        match c:
            case Binary(op=":", left=Name(name=name), right=Binary(op="..") | Builtin(name="NAT" | "NAT1" | "INT")):
                if name == n.name:
                    return False
    return True


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
    start = () if machine.initialisation is None else (machine.initialisation,)
    bodies = (*start, *(o.body for o in machine.callable.values()))
    nodes: tuple[Node, ...] = (*machine.properties, *machine.invariant, *machine.assertions, *bodies)
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
