"""The declarations of a diagram -> the tables of ``Names``.  Every mistake is noted and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from quorbit.languages.edges.lower_expressions import Scope, constant_value
from quorbit.languages.edges.names import Consequence, Names, Variable
from quorbit.languages.edges.syntax import ClassOf, Constant, Declared, Name, Program, TypeOf, Word
from quorbit.model.system.types import TRUTH, AtomOf, Number, Type
from quorbit.source.errors import Diagnostic, UserError

MOST_PROCESSES = 10_000
T = TypeVar("T")


def declare(program: Program, defines: dict[str, int], errors: list[Diagnostic]) -> Names:
    names = Names()
    each(program.constants, lambda c: declare_constant(names, c, defines), errors)
    each(program.classes, lambda c: declare_class(names, c, program), errors)
    each(program.states, lambda state: declare_state(names, state), errors)
    each(program.variables, lambda variable: declare_members(names, variable), errors)
    each(program.variables, lambda variable: declare_variable(names, variable), errors)
    names.failed.update(written_names(program) - {*names.constants, *names.classes, *names.states, *names.variables})
    return names


def written_names(program: Program) -> set[str]:
    """All names that are declared, well or not."""
    classes = {found.name.text for found in program.classes if found.name is not None}
    constants, variables = {c.name.text for c in program.constants}, {v.name.text for v in program.variables}
    return classes | constants | variables | {state.text for state in program.states}


def each(things: Iterable[T], treat: Callable[[T], None], errors: list[Diagnostic]) -> None:
    for thing in things:
        try:
            treat(thing)
        except Consequence:
            continue
        except UserError as error:
            errors.extend(error.diagnostics)


def declare_constant(names: Names, constant: Constant, defines: dict[str, int]) -> None:
    names.declare(constant.name, "constant")
    given = defines.get(constant.name.text)
    names.constants[constant.name.text] = constant_value(Scope(names), constant.value) if given is None else given


def declare_class(names: Names, found: ClassOf, program: Program) -> None:
    scope, first = Scope(names), len(names.process_names)
    if found.name is not None:
        names.declare(found.name, "class of processes")
    elif len(program.classes) > 1:
        raise UserError(found.span, "processes are declared once: all together, or class by class")
    if found.low is not None and found.high is not None:
        low, high = constant_value(scope, found.low), constant_value(scope, found.high)
        if low != first + 1 or high < low:
            raise UserError(
                found.span, f"the numbers of this class should begin at {first + 1}, the first that is free"
            )
        size = high - low + 1
    else:
        assert found.size is not None
        size = constant_value(scope, found.size)
    if not 1 <= size <= MOST_PROCESSES - first:
        raise UserError(found.span, f"the number of processes should be 1 to {MOST_PROCESSES}")
    if found.name is not None:
        names.classes[found.name.text] = tuple(range(first, first + size))
    names.process_names.extend(name_processes(found, first, size))


def name_processes(found: ClassOf, first: int, size: int) -> list[str]:
    """Numbers where the diagram speaks of numbers, reader[1], reader[2] where it gives sizes of classes."""
    if found.name is None or found.low is not None:
        return [str(first + k + 1) for k in range(size)]
    name = found.name.text
    return [name] if size == 1 else [f"{name}[{k + 1}]" for k in range(size)]


def declare_state(names: Names, state: Name) -> None:
    names.declare(state, "local state")
    names.states[state.text] = len(names.states)


def declare_members(names: Names, variable: Declared) -> None:
    for member in variable.type.names:
        names.declare(member, "member of an enumeration")
        names.members.add(member.text)


def declare_variable(names: Names, variable: Declared) -> None:
    names.declare(variable.name, "local variable" if variable.local else "shared variable")
    starts_none = isinstance(variable.value, Word) and variable.value.text == "none"
    type = find_type(names, variable.type, starts_none)
    name = variable.name.text
    names.variables[name] = Variable(name, type, variable.local, variable.name.span)


def find_type(names: Names, written: TypeOf, starts_none: bool) -> Type:
    match written.kind:
        case "bool":
            return TRUTH
        case "names":
            members = tuple(name.text for name in written.names)
            if len(set(members)) < len(members):
                raise UserError(written.span, "a member is listed twice")
            return Number(0, len(members) - 1, members)
        case "range":
            assert written.low is not None
            assert written.high is not None
            low, high = (constant_value(Scope(names), bound) for bound in (written.low, written.high))
            if low > high:
                raise UserError(written.span, f"the range {low}..{high} is empty")
            return Number(low, high)
        case _:
            return AtomOf(names.class_of(written.of), written.optional or starts_none)
