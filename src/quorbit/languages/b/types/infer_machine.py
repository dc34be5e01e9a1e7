"""A composed machine to a typed one: declarations first, then every clause; all mistakes are told in one run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from quorbit.languages.b.syntax.compose import Composed, open_conjunctions
from quorbit.languages.b.syntax.definitions import expand
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Builtin,
    Formula,
    Junction,
    Name,
    Real,
    Record,
    Unary,
    Whole,
)
from quorbit.languages.b.syntax.machine import Machine, Operation
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.substitutions import Pre, Substitution
from quorbit.languages.b.syntax.walk import Node, bound_names, descendants, free_names, map_children
from quorbit.languages.b.types.infer_formulas import Inference, Scope, decide_waiting, infer, predicate
from quorbit.languages.b.types.infer_substitutions import Context, Signature, infer_substitution
from quorbit.languages.b.types.library import OF_REALS
from quorbit.languages.b.types.typed import FreeType, GivenSet, TypedMachine, TypedOperation
from quorbit.languages.b.types.types import (
    PREDICATE,
    Free,
    Given,
    Hole,
    PairType,
    RecordType,
    SetOfType,
    Type,
    holes,
    prune,
    relation,
    settle_type,
)
from quorbit.source.errors import Diagnostic, UserError, raise_all
from quorbit.source.frozen import field, mutable, replace
from quorbit.source.span import Span

__all__ = ["infer_machine", "settle"]

N = TypeVar("N", bound="Formula | Substitution")


@mutable
class Work:
    """What the clauses share while they are looked at."""

    scope: Scope = field(default_factory=dict)
    to: Inference = field(default_factory=Inference)
    wrong: list[Diagnostic] = field(default_factory=list)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note a mistake and go on with the next clause."""
        try:
            yield
        except UserError as error:
            self.wrong.extend(error.diagnostics)


def infer_machine(composed: Composed, given: frozenset[str] = frozenset()) -> TypedMachine:
    """All names and formulas with their types; the parameters ``given`` are sets although not written in capitals."""
    machine, work = composed.machine, Work()
    work.to.reals = uses_reals(composed)
    set_parameters = tuple(p for p in machine.parameters if p.name in given or p.name.upper() == p.name)
    sets = declare_sets(work, machine, set_parameters)
    free = declare_free_types(work, machine)
    scalars = tuple(p for p in machine.parameters if p not in set_parameters)
    constants = declare(work, (*scalars, *machine.constants), "constant")
    variables = declare(work, machine.variables, "variable")
    raise_all(work.wrong)
    formulas = {
        name: [f for p in getattr(machine, name) for f in checked(work, p)]
        for name in ("constraints", "properties", "invariant", "assertions")
    }
    goal = infer_goal(work, composed)
    bodies, start = infer_bodies(work, machine)
    with work.noting():
        decide_waiting(work.to)
    if sets_of_anything := frozenset(n.name for n in constants[: len(scalars)] if is_set_of_anything(n.type)):
        return infer_machine(composed, given | sets_of_anything)
    check_found(work, (*constants, *variables))
    raise_all(work.wrong)
    operations = {o.name: settle_operation(o) for o in bodies}
    return TypedMachine(
        machine.span,
        machine.name,
        sets,
        tuple(settle_name(n) for n in constants),
        bool(constants or machine.properties),
        open_conjunctions(settle_all([*formulas["constraints"], *formulas["properties"]])),
        tuple(settle_name(n) for n in variables),
        open_conjunctions(settle_all(formulas["invariant"])),
        settle_all(formulas["assertions"]),
        None if start is None else settle(start),
        tuple(operations[o.name] for o in machine.operations),
        operations,
        None if goal is None else settle(goal),
        {name: settle_type(t) for name, t in work.scope.items()},
        tuple(settle_free_type(f) for f in free),
        symbolic=machine.symbolic,
        labels=machine.labels,
    )


def is_set_of_anything(of: Type) -> bool:
    """A set that nobody says more about: it is a set of its own, as one written in capitals is."""
    found = prune(of)
    return isinstance(found, SetOfType) and isinstance(prune(found.element), Hole)


def declare_sets(work: Work, machine: Machine, set_parameters: tuple[Name, ...]) -> tuple[GivenSet, ...]:
    found: list[GivenSet] = []
    parameters = [(p, None) for p in set_parameters]
    for name, elements in (*parameters, *((s.name, s.elements) for s in machine.sets)):
        declare_name(work, name, SetOfType(Given(name.name)))
        for element in elements or ():
            declare_name(work, element, Given(name.name))
        texts = None if elements is None else tuple(e.name for e in elements)
        found.append(GivenSet(name.span, name.name, texts))
    return tuple(found)


def declare_free_types(work: Work, machine: Machine) -> tuple[FreeType, ...]:
    """All types first: they may be made of each other; then their constructors."""
    for f in machine.freetypes:
        declare_name(work, f.name, SetOfType(Free(f.name.name)))
    found: list[FreeType] = []
    for f in machine.freetypes:
        constructors: list[tuple[str, Formula | None]] = []
        for name, taken in f.constructors:
            of: Type = Free(f.name.name)
            if taken is not None:
                argument = Hole()
                with work.noting():
                    taken = infer(work.to, work.scope, taken, SetOfType(argument))
                of = relation(argument, of)
            declare_name(work, name, of)
            constructors.append((name.name, taken))
        found.append(FreeType(f.name.name, tuple(constructors)))
    return tuple(found)


def settle_free_type(f: FreeType) -> FreeType:
    constructors = tuple((name, None if taken is None else settle(taken)) for name, taken in f.constructors)
    return FreeType(f.name, constructors)


def uses_reals(composed: Composed) -> bool:
    """Whether a machine or one of its definitions mentions real numbers."""
    machine = composed.machine
    bodies = [machine.initialisation, *(o.body for o in (*machine.operations, *machine.local_operations))]
    formulas = (*machine.constraints, *machine.properties, *machine.invariant, *machine.assertions)
    definitions = (d.body for d in composed.definitions.values())
    free = (taken for f in machine.freetypes for _, taken in f.constructors if taken is not None)
    nodes = (*formulas, *(b for b in bodies if b is not None), *definitions, *free)
    return any(is_about_reals(node) for top in nodes for node in descendants(top))


def is_about_reals(node: Node) -> bool:
    match node:
        case Real() | Builtin(name="REAL" | "FLOAT"):
            return True
        case Apply(function=Name(name=name)):
            return name in OF_REALS
    return False


def declare(work: Work, names: tuple[Name, ...], what: str) -> tuple[Name, ...]:
    typed = tuple(replace(n, type=Hole()) for n in names)
    for name in typed:
        declare_name(work, name, name.type)
    return typed


def declare_name(work: Work, name: Name, of: Type) -> None:
    if name.name in work.scope:
        work.wrong.append(Diagnostic(name.span, f"{name.name} is declared twice"))
    work.scope[name.name] = of


def checked(work: Work, formula: Formula) -> list[Formula]:
    """The formula as a predicate; none if it is wrong, which is noted."""
    with work.noting():
        return [predicate(work.to, work.scope, formula)]
    return []


def infer_goal(work: Work, composed: Composed) -> Formula | None:
    definition = composed.definitions.get("GOAL")
    if definition is None or not isinstance(definition.body, Formula):
        return None
    found = checked(work, expand(definition.body, composed.definitions, ("GOAL",)))
    return found[0] if found else None


def infer_bodies(work: Work, machine: Machine) -> tuple[list[TypedOperation], Substitution | None]:
    """Initialisation and operations; signatures of all operations are known before any body is looked at."""
    operations = (*machine.operations, *machine.local_operations)
    heads = {o.name: operation_head(work, o) for o in operations}
    signatures = {name: Signature(types(o.results), types(o.parameters)) for name, o in heads.items()}
    context = Context(work.to, work.scope, frozenset(v.name for v in machine.variables), signatures)
    start = machine.initialisation
    with work.noting():
        start = None if start is None else infer_substitution(context, start)
    return [infer_operation(work, context, o, heads[o.name]) for o in operations], start


def types(names: tuple[Name, ...]) -> tuple[Type, ...]:
    return tuple(n.type for n in names)


def operation_head(work: Work, operation: Operation) -> TypedOperation:
    results = tuple(replace(n, type=Hole()) for n in operation.results)
    parameters = tuple(replace(n, type=Hole()) for n in operation.parameters)
    names = (*results, *parameters)
    for k, name in enumerate(names):
        if name.name in [n.name for n in names[:k]]:
            work.wrong.append(Diagnostic(name.span, f"{name.name} occurs twice in the head of {operation.name}"))
    return TypedOperation(operation.span, operation.name, results, parameters, operation.body)


def infer_operation(work: Work, context: Context, operation: Operation, head: TypedOperation) -> TypedOperation:
    local = {n.name: n.type for n in (*head.results, *head.parameters)}
    results = frozenset(n.name for n in head.results)
    parameters = frozenset(n.name for n in head.parameters)
    inner = replace(context, scope={**context.scope, **local}, writable=context.writable - parameters | results)
    with work.noting():
        body = infer_substitution(inner, operation.body)
        work.to.locals.extend((*head.results, *head.parameters))
        return replace(head, body=body)
    return head


def check_found(work: Work, names: tuple[Name, ...]) -> None:
    """Every declared identifier has a type by now; its elements' types may be free only inside an empty set."""
    if work.wrong:
        return
    for name in (*names, *work.to.locals):
        if any(True for _ in holes(name.type)):
            known = "" if isinstance(prune(name.type), Hole) else f"; only {name.type} is known"
            work.wrong.append(Diagnostic(name.span, f"the type of {name.name} cannot be inferred{known}"))


def settle_all(formulas: list[Formula]) -> tuple[Formula, ...]:
    return tuple(settle(f) for f in formulas)


def settle_name(name: Name) -> Name:
    return replace(name, type=settle_type(name.type))


def settle_operation(operation: TypedOperation) -> TypedOperation:
    return replace(
        operation,
        results=tuple(settle_name(n) for n in operation.results),
        parameters=tuple(settle_name(n) for n in operation.parameters),
        body=settle(without_types_of(frozenset(n.name for n in operation.results), operation.body)),
    )


def without_types_of(results: frozenset[str], s: Substitution) -> Substitution:
    """A precondition says the type of a result too at times: that is not a condition, for it has no value yet."""
    if not isinstance(s, Pre) or not results:
        return s
    kept = [c for c in conjuncts(s.predicate) if not is_type_of(results, c)]
    body = without_types_of(results, s.body)
    if not kept:
        return body
    return replace(
        s,
        predicate=kept[0] if len(kept) == 1 else Junction(s.predicate.span, "&", tuple(kept), type=PREDICATE),
        body=body,
    )


def is_type_of(results: frozenset[str], c: Formula) -> bool:
    match c:
        case Binary(op=":" | "<:", left=Name(name=name), right=right):
            return name in results and not free_names(right) & results
    return False


def settle(node: N) -> N:
    """All types final, and ``-`` and ``*`` of sets told from those of numbers."""
    changed: Node = map_children(node, settle)
    if names := bound_names(changed):
        changed = replace(changed, names=tuple(settle_name(n) for n in names))  # type: ignore[call-arg]
    if isinstance(changed, Formula):
        changed = settle_formula(changed)
    return changed  # type: ignore[return-value]


def settle_formula(f: Formula) -> Formula:
    typed = replace(f, type=settle_type(f.type))
    if isinstance(typed, Whole):
        assert isinstance(typed.type, SetOfType)
        return all_values(typed.span, typed.type.element)
    if isinstance(typed, Binary) and isinstance(typed.type, SetOfType) and typed.op in ("-", "*"):
        return replace(typed, op="\\" if typed.op == "-" else "×")
    return typed


def all_values(span: Span, of: Type) -> Formula:
    """A type as the set of its values."""
    whole = SetOfType(of)
    match of:
        case Given(name) | Free(name):
            return Name(span, name, type=whole)
        case SetOfType(element):
            return Unary(span, "POW", all_values(span, element), type=whole)
        case PairType(left, right):
            return Binary(span, "×", all_values(span, left), all_values(span, right), type=whole)
        case RecordType(fields):
            return Record(span, "struct", tuple((name, all_values(span, t)) for name, t in fields), type=whole)
    return Builtin(span, str(of), type=whole)
