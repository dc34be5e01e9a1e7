"""Machines and files of definitions: clause by clause, in any order."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.syntax.cursor import Cursor, describe, list_of, open_cursor
from quorbit.languages.b.syntax.formulas import Binary, Formula, Junction, Name, Quantifier
from quorbit.languages.b.syntax.lex import END, STRING, Token
from quorbit.languages.b.syntax.machine import (
    Definition,
    FreeDeclaration,
    Machine,
    Operation,
    Reference,
    SetDeclaration,
)
from quorbit.languages.b.syntax.parse_formulas import parse_expression, parse_formula, parse_name
from quorbit.languages.b.syntax.parse_substitutions import parse_arguments, parse_parallel, parse_sequence_of
from quorbit.languages.b.syntax.spelling import CLAUSES, MACHINE_KINDS
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable, names_of_fields
from quorbit.source.span import Source, Span

__all__ = ["conjuncts", "parse_machine"]


@mutable
class Clauses:
    """What has been read of a machine; ``seen`` remembers where each clause stood."""

    lists: dict[str, list[object]] = field(default_factory=dict)
    initialisation: Substitution | None = None
    refines: Name | None = None
    seen: dict[str, Span] = field(default_factory=dict)

    def extend(self, name: str, items: tuple[object, ...]) -> None:
        self.lists.setdefault(name, []).extend(items)


Parser = Callable[[Cursor, Clauses], None]


def parse_machine(source: Source) -> Machine:
    """The machine a file holds; what follows its END is an error."""
    cursor = open_cursor(source)
    start = cursor.token
    if not start.is_sign(*MACHINE_KINDS):
        cursor.fail(f"MACHINE expected, found {describe(start)}")
    cursor.advance()
    name = parse_name(cursor)
    parameters = parse_parameters(cursor)
    clauses = parse_clauses(cursor)
    cursor.expect("END", " or a clause")
    if cursor.token.kind != END:
        cursor.fail(f"nothing may follow the END of the machine, found {describe(cursor.token)}")
    return build(cursor.span_from(start.span), start.text, name.name, parameters, clauses)


def parse_definition_file(source: Source) -> Machine:
    """A file that holds a DEFINITIONS clause and nothing else."""
    cursor = open_cursor(source)
    start = cursor.token.span
    if not cursor.at("DEFINITIONS"):
        cursor.fail(f"DEFINITIONS expected, found {describe(cursor.token)}")
    clauses = parse_clauses(cursor)
    cursor.accept("END")
    if cursor.token.kind != END:
        cursor.fail(f"only definitions may stand here, found {describe(cursor.token)}")
    return build(start, "DEFINITIONS", "", (), clauses)


def build(span: Span, kind: str, name: str, parameters: tuple[Name, ...], clauses: Clauses) -> Machine:
    known = names_of_fields(Machine)
    lists = {key: tuple(items) for key, items in clauses.lists.items() if key in known}
    return Machine(span, kind, name, parameters, clauses.refines, initialisation=clauses.initialisation, **lists)  # type: ignore[arg-type]


def parse_parameters(cursor: Cursor) -> tuple[Name, ...]:
    if not cursor.accept("("):
        return ()
    names = list_of(cursor, parse_name)
    cursor.expect(")", " to close the parameters")
    return names


def parse_clauses(cursor: Cursor) -> Clauses:
    clauses = Clauses()
    while cursor.token.text in CLAUSES and cursor.token.is_sign(cursor.token.text):
        word = cursor.advance()
        note_clause(clauses, word)
        PARSERS[word.text](cursor, clauses)
    return clauses


def note_clause(clauses: Clauses, word: Token) -> None:
    if (before := clauses.seen.get(word.text)) is not None:
        raise UserError(word.span, f"a second {word.text} clause; the first is in line {before.line}")
    clauses.seen[word.text] = word.span


def at_end_of_clause(cursor: Cursor) -> bool:
    token = cursor.token
    return token.kind == END or token.is_sign("END", *CLAUSES)


def parse_definitions(cursor: Cursor, clauses: Clauses) -> None:
    while not at_end_of_clause(cursor):
        if cursor.token.kind == STRING:
            token = cursor.advance()
            clauses.extend("definition_files", ((token.span, token.text),))
        else:
            clauses.extend("definitions", (parse_definition(cursor),))
        if not cursor.accept(";"):
            break
    if not at_end_of_clause(cursor):
        cursor.fail(f"; or the next clause expected after a definition, found {describe(cursor.token)}")


def parse_definition(cursor: Cursor) -> Definition:
    name = cursor.expect_name("the name of a definition")
    parameters = parse_parameters(cursor)
    cursor.expect("==", f" after {name.text}")
    body = parse_body(cursor)
    return Definition(cursor.span_from(name.span), name.text, parameters, body)


def parse_body(cursor: Cursor) -> Formula | Substitution:
    """A definition's body says by its form alone whether it is a formula or a substitution: try both."""
    place, depth = cursor.place, cursor.depth
    try:
        formula = parse_formula(cursor)
        if ends_definition(cursor) and not is_becomes_such(formula):
            return formula
        error = UserError(cursor.token.span, f"; expected after a definition, found {describe(cursor.token)}")
    except UserError as caught:
        error = caught
    reached = cursor.place
    cursor.place, cursor.depth = place, depth
    try:
        substitution = parse_parallel(cursor)
    except UserError as other:
        raise (error if reached > cursor.place else other) from None
    if not ends_definition(cursor) and reached > cursor.place:
        raise error
    return substitution


def ends_definition(cursor: Cursor) -> bool:
    return cursor.at(";") or at_end_of_clause(cursor)


def is_becomes_such(formula: Formula) -> bool:
    """``x : (P)``: a membership whose right side is a predicate can only be a substitution."""
    match formula:
        case Binary(
            op=":", right=Junction() | Quantifier() | Binary(op="=" | "/=" | ":" | "<" | ">" | "<=" | ">=" | "=>")
        ):
            return True
    return False


def parse_reference(cursor: Cursor) -> Reference:
    name = parse_name(cursor)
    prefix, _, machine = name.name.rpartition(".")
    return Reference(cursor.span_from(name.span), prefix, machine, parse_arguments(cursor))


def parse_set(cursor: Cursor) -> SetDeclaration:
    name = parse_name(cursor)
    if not cursor.accept("="):
        return SetDeclaration(name, None)
    cursor.expect("{", " to list the elements")
    elements = list_of(cursor, parse_name)
    cursor.expect("}", " to close the set")
    return SetDeclaration(name, elements)


def parse_sets(cursor: Cursor, clauses: Clauses) -> None:
    while not at_end_of_clause(cursor):
        clauses.extend("sets", (parse_set(cursor),))
        if not cursor.accept(";"):
            break


def parse_value(cursor: Cursor) -> Formula:
    name = parse_name(cursor)
    cursor.expect("=", f" after {name.name}")
    value = parse_expression(cursor)
    return Binary(name.span.to(value.span), "=", name, value)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of a conjunction, in order; inner conjunctions opened too."""
    if isinstance(formula, Junction) and formula.op == "&":
        return tuple(part for item in formula.items for part in conjuncts(item))
    return (formula,)


def parse_operation(cursor: Cursor) -> Operation:
    start = cursor.token.span
    first = list_of(cursor, parse_name)
    results: tuple[Name, ...] = ()
    if cursor.accept("<--"):
        results, first = first, (parse_name(cursor),)
    if len(first) != 1:
        cursor.fail("<-- expected after the results of an operation")
    parameters = parse_parameters(cursor)
    if cursor.at_name() and cursor.token.text == "ref":
        cursor.advance()
        parse_name(cursor)
    cursor.expect("=", f" before the body of operation {first[0].name}")
    body = parse_parallel(cursor)
    return Operation(cursor.span_from(start), first[0].name, results, parameters, body)


def parse_operations(cursor: Cursor) -> tuple[Operation, ...]:
    operations = [parse_operation(cursor)]
    while cursor.accept(";"):
        if at_end_of_clause(cursor):
            break
        operations.append(parse_operation(cursor))
    if not at_end_of_clause(cursor):
        cursor.fail(f"; or END expected after an operation, found {describe(cursor.token)}")
    return tuple(operations)


def parse_assertions(cursor: Cursor, clauses: Clauses) -> None:
    while not at_end_of_clause(cursor):
        clauses.extend("assertions", (parse_formula(cursor),))
        if not cursor.accept(";"):
            break


def parse_initialisation(cursor: Cursor, clauses: Clauses) -> None:
    clauses.initialisation = parse_sequence_of(cursor)


def parse_refines(cursor: Cursor, clauses: Clauses) -> None:
    clauses.refines = parse_name(cursor)


def parse_freetypes(cursor: Cursor, clauses: Clauses) -> None:
    clauses.extend("freetypes", list_of(cursor, parse_freetype, ";"))


def parse_freetype(cursor: Cursor) -> FreeDeclaration:
    """T = c, d(S), ..."""
    name = parse_name(cursor)
    cursor.expect("=", f" after the free type {name.name}")
    return FreeDeclaration(name, list_of(cursor, parse_constructor))


def parse_constructor(cursor: Cursor) -> tuple[Name, Formula | None]:
    name = parse_name(cursor)
    if not cursor.accept("("):
        return name, None
    taken = parse_expression(cursor)
    cursor.expect(")", " to close what the constructor takes")
    return name, taken


def names_into(*keys: str) -> Parser:
    def parse(cursor: Cursor, into: Clauses) -> None:
        names = list_of(cursor, parse_name)
        for key in keys:
            into.extend(key, names)

    return parse


def references_into(key: str) -> Parser:
    return lambda cursor, into: into.extend(key, list_of(cursor, parse_reference))


def conjuncts_into(key: str) -> Parser:
    return lambda cursor, into: into.extend(key, conjuncts(parse_formula(cursor)))


def operations_into(key: str) -> Parser:
    return lambda cursor, into: into.extend(key, parse_operations(cursor))


def parse_values(cursor: Cursor, clauses: Clauses) -> None:
    clauses.extend("values", list_of(cursor, parse_value, ";"))


PARSERS: dict[str, Parser] = {
    "ABSTRACT_CONSTANTS": names_into("constants"),
    "ABSTRACT_VARIABLES": names_into("variables"),
    "ASSERTIONS": parse_assertions,
    "CONCRETE_CONSTANTS": names_into("constants"),
    "CONCRETE_VARIABLES": names_into("variables", "concrete"),
    "CONSTANTS": names_into("constants"),
    "CONSTRAINTS": conjuncts_into("constraints"),
    "DEFINITIONS": parse_definitions,
    "EXPRESSIONS": parse_definitions,
    "PREDICATES": parse_definitions,
    "EXTENDS": references_into("extends"),
    "FREETYPES": parse_freetypes,
    "HIDDEN_CONSTANTS": names_into("constants"),
    "HIDDEN_VARIABLES": names_into("variables"),
    "IMPORTS": references_into("imports"),
    "INCLUDES": references_into("includes"),
    "INITIALISATION": parse_initialisation,
    "INVARIANT": conjuncts_into("invariant"),
    "LOCAL_OPERATIONS": operations_into("local_operations"),
    "OPERATIONS": operations_into("operations"),
    "PROMOTES": names_into("promotes"),
    "PROPERTIES": conjuncts_into("properties"),
    "REFINES": parse_refines,
    "SEES": references_into("sees"),
    "SETS": parse_sets,
    "USES": references_into("uses"),
    "VALUES": parse_values,
    "VARIABLES": names_into("variables"),
    "VISIBLE_CONSTANTS": names_into("constants"),
    "VISIBLE_VARIABLES": names_into("variables", "concrete"),
}
