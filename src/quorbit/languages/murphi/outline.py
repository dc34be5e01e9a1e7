"""The names that a Murphi model declares; raises UserError with the mistakes that reading it shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from quorbit.languages.murphi.parse.program import parse
from quorbit.languages.murphi.syntax.program import (
    AliasRule,
    Choose,
    Constant,
    Declaration,
    PropertyRule,
    RuleItem,
    Ruleset,
    SimpleRule,
    TypeDeclaration,
    VariableDeclaration,
)
from quorbit.languages.murphi.syntax.terms import EnumType
from quorbit.languages.options import LoadOptions
from quorbit.languages.outline import Symbol
from quorbit.source.read import read_source


def outline(path: Path, options: LoadOptions) -> tuple[Symbol, ...]:
    program = parse(read_source(path))
    found = [*declared(program.declarations, "")]
    for routine in program.routines.values():
        name = routine.name.text
        found.append(
            Symbol(name, "operation", "procedure" if routine.result is None else "function", routine.name.span)
        )
        found += [Symbol(f.name.text, "variable", f.type.span.text, f.name.span, name) for f in routine.formals]
        found += declared(routine.declarations, name)
    return (*found, *rules_of(program.rules))


def declared(declarations: Iterable[Declaration], container: str) -> Iterator[Symbol]:
    for each in declarations:
        match each:
            case Constant(name, value):
                yield Symbol(name.text, "constant", f"const {name.text}: {value.span.text}", name.span, container)
            case TypeDeclaration(name, type):
                yield Symbol(name.text, "type", f"type {name.text}: {type.span.text}", name.span, container)
                if isinstance(type, EnumType):
                    yield from (Symbol(m.text, "value", name.text, m.span, container) for m in type.members)
            case VariableDeclaration(names, type):
                for name in names:
                    yield Symbol(name.text, "variable", f"var {name.text}: {type.span.text}", name.span, container)


def rules_of(rules: Iterable[RuleItem]) -> Iterator[Symbol]:
    for rule in rules:
        match rule:
            case SimpleRule(name=name, span=span):
                yield Symbol(name or "rule", "operation", "rule", span)
            case PropertyRule(kind=kind, name=name, span=span):
                yield Symbol(name or kind, "property", kind, span)
            case Ruleset(rules=inner) | AliasRule(rules=inner) | Choose(rules=inner):
                yield from rules_of(inner)
