"""One machine out of several files: SEES, USES, INCLUDES, EXTENDS, IMPORTS, PROMOTES, renaming, REFINES.

Every machine is a unit, found once however often it is mentioned under one prefix. A prefix renames variables and
operations; sets and constants keep their names, as the language says. The machines a unit builds on come before it, so
that their initialisations run first.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from quorbit.languages.b.meaning.externals import without_externals
from quorbit.languages.b.syntax.cursor import describe, open_cursor
from quorbit.languages.b.syntax.definitions import expand
from quorbit.languages.b.syntax.formulas import Binary, Builtin, Formula, Name
from quorbit.languages.b.syntax.inherit import inherit
from quorbit.languages.b.syntax.lex import END
from quorbit.languages.b.syntax.machine import Definition, Machine, Operation, Reference, SetDeclaration
from quorbit.languages.b.syntax.parse_formulas import parse_in_brackets
from quorbit.languages.b.syntax.parse_machine import conjuncts, parse_definition_file, parse_machine
from quorbit.languages.b.syntax.substitutions import Any, Call, Pre, Sequence, Substitution
from quorbit.languages.b.syntax.walk import map_children, substitute
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable, replace
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span

__all__ = ["Composed", "Files", "compose", "find_machine", "open_conjunctions", "rename_operations"]

ENDINGS = (".mch", ".ref", ".imp", ".sys", ".mod")
# Files of external functions that come with ProB; machines include them for a function or two, often without using it.
PROB_LIBRARY = ("Library", "CHOOSE", "SORT", "SCCS", "visb", "VisB")
N = TypeVar("N", bound="Formula | Substitution")


@mutable
class Unit:
    """One machine under one prefix, its definitions expanded and its names renamed."""

    machine: Machine
    offered: dict[str, str] = field(default_factory=dict)  # operation as others name it -> its full name
    seen: tuple[str, ...] = ()  # operations of machines that it, or one it builds on, sees: others may call them
    owned: tuple[str, ...] = ()  # operations of machines that it, or one it builds on, includes: only these call them


@mutable
class Files:
    """What has been read: one text per path, so that a declaration met twice has one span."""

    folder: Path
    machines: dict[Path, Machine] = field(default_factory=dict)
    units: dict[tuple[Path, str], Unit] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    glued: bool = False  # a refinement keeps what it says of abstract variables, and its operations stay as written


@frozen
class Composed:
    """A machine without references; ``definitions`` are the main machine's, for GOAL, scope_S and preferences."""

    machine: Machine
    definitions: dict[str, Definition]


def compose(path: Path, glued: bool = False, preferences: tuple[tuple[str, str], ...] = ()) -> Composed:
    """Read a machine with all it refers to and join them; ``preferences`` win over SET_PREF_... of the text."""
    files = Files(path.parent, glued=glued)
    main = read_machine(files, path)
    unit = add_unit(files, path, main, "", ())
    machine = merge(files, unit, main)
    definitions = all_definitions(files, main) | {
        f"SET_PREF_{name}": preference(name, value) for name, value in preferences
    }
    if is_set(definitions, "SHOW_EVENTB_ANY_VALUES"):
        machine = replace(machine, operations=tuple(show_choice(o) for o in machine.operations))
    return Composed(machine, definitions)


def preference(name: str, value: str) -> Definition:
    """SET_PREF_name == value, given from outside."""
    source = Source(f"--pref {name}", value)
    cursor = open_cursor(source)
    body = parse_in_brackets(cursor)
    if cursor.token.kind != END:
        cursor.fail(f"the value should end here, found {describe(cursor.token)}")
    return Definition(Span(source, 0, len(value)), f"SET_PREF_{name}", (), body)


def is_set(definitions: dict[str, Definition], preference: str) -> bool:
    """SET_PREF_... == TRUE among the definitions."""
    found = definitions.get(f"SET_PREF_{preference}")
    return found is not None and isinstance(found.body, Builtin) and found.body.name == "TRUE"


def show_choice(operation: Operation) -> Operation:
    """What an operation without parameters chooses by ANY is told as parameters are: outcomes are counted by it."""
    match operation:
        case Operation(parameters=(), body=Any(names=names, predicate=predicate, body=body)):
            return replace(operation, parameters=names, body=Pre(predicate.span, predicate, body))
    return operation


def read_machine(files: Files, path: Path) -> Machine:
    if path not in files.machines:
        files.machines[path] = parse_machine(read_source(path))
    return files.machines[path]


def find_machine(files: Files, span: Span, name: str) -> Path:
    for ending in ENDINGS:
        if (path := files.folder / f"{name}{ending}").is_file():
            return path
    wanted = {f"{name}{ending}".lower() for ending in ENDINGS}
    for path in sorted(files.folder.iterdir()):  # some systems do not tell capitals in the names of files apart
        if path.name.lower() in wanted:
            return path
    raise UserError(span, f"machine {name} not found: there is no {name}.mch beside this machine")


def all_definitions(files: Files, machine: Machine) -> dict[str, Definition]:
    """The machine's definitions and those of its files; the machine's own win."""
    found: dict[str, Definition] = {}
    for span, name in machine.definition_files:
        found.update(file_definitions(files, span, name))
    own: dict[str, Definition] = {}
    for definition in machine.definitions:
        if definition.name in own:
            raise UserError(definition.span, f"{definition.name} is defined twice")
        own[definition.name] = definition
    return without_externals({**found, **own})


def file_definitions(files: Files, span: Span, name: str) -> dict[str, Definition]:
    path = files.folder / name
    if not path.is_file():
        if Path(name).name.startswith(PROB_LIBRARY):
            return {}
        raise UserError(span, f"the definition file {name} is not found beside this machine")
    if str(path) in files.open:
        raise UserError(span, f"the definition file {name} includes itself")
    files.open.append(str(path))
    if path not in files.machines:
        files.machines[path] = parse_definition_file(read_source(path))
    found = all_definitions(files, files.machines[path])
    files.open.pop()
    return found


def add_unit(files: Files, path: Path, machine: Machine, prefix: str, arguments: tuple[Formula, ...]) -> Unit:
    """The unit of a machine and, before it, the units it builds on."""
    if (path, prefix) in files.units:
        return files.units[path, prefix]
    if machine.name in files.open:
        raise UserError(machine.span, f"machine {machine.name} refers to itself")
    files.open.append(machine.name)
    definitions = all_definitions(files, machine)
    machine = expand_machine(machine, definitions)
    inherited = add_refined(files, machine)
    machine = inherited if inherited is not None else machine
    renaming, offered, seen, owned = add_references(files, machine, prefix)
    unit = replace(build_unit(machine, prefix, arguments, renaming, offered), seen=seen, owned=owned)
    files.units[path, prefix] = unit
    files.open.pop()
    return unit


def add_references(
    files: Files, machine: Machine, prefix: str
) -> tuple[dict[str, Formula], dict[str, str], tuple[str, ...], tuple[str, ...]]:
    """Units of all machines mentioned: how their names are to be renamed here, operations passed on, seen and owned."""
    seen: list[str] = []
    owned: list[str] = []
    renaming: dict[str, Formula] = {}
    offered: dict[str, str] = {}
    promoted = {name.name: name for name in machine.promotes}
    for reference in (*machine.sees, *machine.uses, *machine.includes, *machine.imports, *machine.extends):
        path = find_machine(files, reference.span, reference.machine)
        included = reference not in (*machine.sees, *machine.uses)
        full = join_prefix(prefix if included else "", reference.prefix)
        child = add_unit(files, path, read_machine(files, path), full, reference.arguments)
        seen.extend((*child.seen, *(() if included else child.offered.values())))
        owned.extend((*child.owned, *(child.offered.values() if included else ())))
        for name, target in child.offered.items():
            local = join_prefix(reference.prefix, name)
            renaming[local] = Name(reference.span, target)
            if reference in machine.extends or promoted.pop(local, None) is not None:
                offered[local] = target
        for variable in child.machine.variables:
            local = local_name(variable.name, prefix if included else "")
            renaming[local] = variable
    for lost in promoted.values():
        raise UserError(lost.span, f"{lost.name} is not an operation of an included machine")
    return renaming, offered, tuple(seen), tuple(owned)


def join_prefix(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix and name else prefix or name


def local_name(name: str, prefix: str) -> str:
    return name[len(prefix) + 1 :] if prefix and name.startswith(prefix + ".") else name


def build_unit(
    machine: Machine,
    prefix: str,
    arguments: tuple[Formula, ...],
    renaming: dict[str, Formula],
    offered: dict[str, str],
) -> Unit:
    """Rename the machine's own variables and operations, give its parameters their values."""
    values = dict(renaming)
    values.update(actual_parameters(machine, arguments))
    for operation in (*machine.operations, *machine.local_operations):
        full = join_prefix(prefix, operation.name)
        values[operation.name] = Name(operation.span, full)
        if operation in machine.operations:
            offered[operation.name] = full
    for variable in machine.variables:
        values[variable.name] = replace(variable, name=join_prefix(prefix, variable.name))
    changing = {name: f for name, f in values.items() if not (isinstance(f, Name) and f.name == name)}
    return Unit(rename_machine(machine, changing, bool(arguments)), offered)


def actual_parameters(machine: Machine, arguments: tuple[Formula, ...]) -> dict[str, Formula]:
    if arguments and len(arguments) != len(machine.parameters):
        raise UserError(
            arguments[0].span,
            f"machine {machine.name} takes {len(machine.parameters)} parameters, not {len(arguments)}",
        )
    return {p.name: a for p, a in zip(machine.parameters, arguments, strict=False)}


def rename_machine(machine: Machine, values: dict[str, Formula], given: bool) -> Machine:
    def names(items: tuple[Name, ...]) -> tuple[Name, ...]:
        return tuple(new if isinstance(new := values.get(n.name, n), Name) else n for n in items)

    changed = map_machine(machine, lambda node: rename_calls(node, values))
    return replace(
        changed,
        parameters=() if given else machine.parameters,
        variables=names(machine.variables),
        concrete=names(machine.concrete),
        operations=tuple(rename_operation(o, values) for o in machine.operations),
        local_operations=tuple(rename_operation(o, values) for o in machine.local_operations),
    )


def rename_operation(operation: Operation, values: dict[str, Formula]) -> Operation:
    local = {n.name for n in (*operation.parameters, *operation.results)}
    inner = {name: f for name, f in values.items() if name not in local}
    new = values.get(operation.name)
    name = new.name if isinstance(new, Name) else operation.name
    return replace(operation, name=name, body=rename_calls(operation.body, inner))


def rename_calls(node: N, values: dict[str, Formula]) -> N:
    """Substitute names, those of called operations too (they are not formulas, so nothing can capture them)."""
    return rename_operations(substitute(node, values), values)


def rename_operations(node: N, values: dict[str, Formula]) -> N:
    if isinstance(node, Formula):
        return node
    changed = map_children(node, lambda child: rename_operations(child, values))
    if isinstance(changed, Call) and isinstance(new := values.get(changed.operation), Name):
        return replace(changed, operation=new.name)
    return changed


def map_machine(machine: Machine, change: object) -> Machine:
    """All formulas of the clauses changed; operations are left to the caller."""

    def each(items: tuple[Formula, ...]) -> tuple[Formula, ...]:
        return tuple(change(item) for item in items)  # type: ignore[operator]

    initialisation = machine.initialisation
    return replace(
        machine,
        constraints=each(machine.constraints),
        properties=each(machine.properties),
        invariant=each(machine.invariant),
        assertions=each(machine.assertions),
        values=each(machine.values),
        freetypes=tuple(
            replace(f, constructors=tuple((n, None if s is None else change(s)) for n, s in f.constructors))  # type: ignore[operator]
            for f in machine.freetypes
        ),
        initialisation=None if initialisation is None else change(initialisation),  # type: ignore[operator]
    )


def expand_machine(machine: Machine, definitions: dict[str, Definition]) -> Machine:
    def in_operation(operation: Operation) -> Operation:
        hidden = {n.name for n in (*operation.parameters, *operation.results)}
        visible = {name: d for name, d in definitions.items() if name not in hidden}
        return replace(operation, body=expand(operation.body, visible))

    def references(items: tuple[Reference, ...]) -> tuple[Reference, ...]:
        return tuple(replace(r, arguments=tuple(expand(a, definitions) for a in r.arguments)) for r in items)

    expanded = map_machine(machine, lambda node: expand(node, definitions))
    return replace(
        expanded,
        includes=references(machine.includes),
        extends=references(machine.extends),
        imports=references(machine.imports),
        properties=open_conjunctions(expanded.properties),
        invariant=open_conjunctions(expanded.invariant),
        constraints=open_conjunctions(expanded.constraints),
        operations=tuple(in_operation(o) for o in machine.operations),
        local_operations=tuple(in_operation(o) for o in machine.local_operations),
    )


def open_conjunctions(items: tuple[Formula, ...]) -> tuple[Formula, ...]:
    return tuple(part for item in items for part in conjuncts(item))


def add_refined(files: Files, machine: Machine) -> Machine | None:
    """A refinement as a machine of its own, with what it inherits; None for any other machine."""
    if machine.refines is None:
        return None
    path = find_machine(files, machine.refines.span, machine.refines.name)
    before = set(files.units)
    abstract = add_unit(files, path, read_machine(files, path), "", ()).machine
    for key in [k for k in files.units if k not in before]:
        files.units[key] = Unit(keep_static(files.units[key].machine))
    del files.units[path, ""]
    return inherit(machine, abstract, files.glued)


def keep_static(machine: Machine) -> Machine:
    return replace(
        machine, variables=(), invariant=(), assertions=(), initialisation=None, operations=(), local_operations=()
    )


def merge(files: Files, main_unit: Unit, main: Machine) -> Machine:
    """All units as one machine; operations that are not offered stay callable as local ones.

    Operations of machines that are seen and not included anywhere are offered too: the environment may call them.
    """
    units = [unit.machine for unit in files.units.values()]
    offered = {*main_unit.offered.values(), *(set(main_unit.seen) - set(main_unit.owned))}
    operations = [o for m in units for o in (*m.operations, *m.local_operations)]
    starts = tuple(m.initialisation for m in units if m.initialisation is not None)
    sets = unique_sets(tuple(s for m in units for s in m.sets))
    valued = tuple(s for s in sets if s.elements is None and s.name.name in valued_names(units))
    return Machine(
        main.span,
        main.kind,
        main.name,
        parameters=unique_names(tuple(p for m in units for p in m.parameters)),
        constraints=tuple(c for m in units for c in m.constraints),
        sets=tuple(s for s in sets if s not in valued),
        freetypes=tuple({f.name.name: f for m in units for f in m.freetypes}.values()),
        constants=unique_names((*(s.name for s in valued), *(c for m in units for c in m.constants))),
        properties=tuple(p for m in units for p in (*m.properties, *m.values)),
        variables=unique_names(tuple(v for m in units for v in m.variables)),
        invariant=tuple(p for m in units for p in m.invariant),
        assertions=tuple(p for m in units for p in m.assertions),
        initialisation=starts[0] if len(starts) == 1 else Sequence(main.span, starts) if starts else None,
        operations=tuple(sorted((o for o in operations if o.name in offered), key=lambda o: order(o, main))),
        local_operations=tuple(o for o in operations if o.name not in offered),
        refines=main.refines,
    )


def valued_names(units: list[Machine]) -> set[str]:
    """What a VALUES clause gives a value to: a deferred set is then that set of numbers, or that other set."""
    return {v.left.name for m in units for v in m.values if isinstance(v, Binary) and isinstance(v.left, Name)}


def order(operation: Operation, main: Machine) -> int:
    """The main machine's own operations first."""
    return 0 if operation.span.source is main.span.source else 1


def unique_names(names: tuple[Name, ...]) -> tuple[Name, ...]:
    """Each name once; two declarations of one name at different places are a mistake."""
    found: dict[str, Name] = {}
    for name in names:
        other = found.setdefault(name.name, name)
        if other.span != name.span:
            raise UserError(name.span, f"{name.name} is declared twice; the first is in line {other.span.line}")
    return tuple(found.values())


def unique_sets(sets: tuple[SetDeclaration, ...]) -> tuple[SetDeclaration, ...]:
    unique_names(tuple(s.name for s in sets))
    return tuple({s.name.name: s for s in sets}.values())
