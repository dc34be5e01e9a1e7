"""Temporal formulas about a diagram: the operators are those of quorbit.logic, the propositions are expressions."""

from __future__ import annotations

import re

from quorbit.languages.edges.cursor import Cursor
from quorbit.languages.edges.kinds import Kind, as_truth
from quorbit.languages.edges.lower_expressions import Scope, lower_node
from quorbit.languages.edges.names import Names
from quorbit.languages.edges.parse_expressions import parse_negation
from quorbit.languages.edges.syntax import Name
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.formulas.spellings import NUSMV
from quorbit.model.system.expression import (
    Atoms,
    Expr,
    Literal,
    Parameter,
    Quantifier,
    Quantify,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
)
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Proposition,
    Truth,
    children,
    expand_quantifiers,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.model.system.system import Invariant, Property, Temporal
from quorbit.model.system.types import TRUTH
from quorbit.model.system.walk import substitute
from quorbit.source.span import Span

QUANTIFIED = re.compile(r"(?:forall|exists)\s+([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)")


def read_formula(names: Names, span: Span, name: str) -> Property:
    """A formula of LTL, CTL or CTL*; one that only says what holds in every state is an invariant."""
    scope = Scope(names, tuple((variable, Kind.PROCESS) for variable in quantified_names(names, span.text)))

    def read_proposition(rest: Span) -> tuple[Expr, int]:
        cursor = Cursor(rest.source, rest.start, rest.end)
        return as_truth(lower_node(scope, parse_negation(cursor))), cursor.at

    formula = parse_formula(span, read_proposition, NUSMV, lambda word: word in names.declared)
    match formula:
        case Always(body) | AllPaths(Always(body)) if is_propositional(body):
            return Invariant(name, condition_of(names, body, span), f"{name} does not hold", span=span)
    return Temporal(name, write_out(names, formula, span), span)


def quantified_names(names: Names, text: str) -> list[str]:
    """The names that stand for processes: a formula's quantifiers are outside the propositions that mention them."""
    found = [v.strip() for listed in QUANTIFIED.findall(text) for v in listed.split(",")]
    return [v for v in dict.fromkeys(found) if v not in names.declared]


def condition_of(names: Names, formula: Formula, span: Span) -> Expr:
    """A formula without temporal operators as one expression."""
    parts = [condition_of(names, f, span) for f in children(formula)]
    match formula:
        case Proposition(expression):
            return expression  # type: ignore[return-value]
        case And():
            return conjunction(parts, span)
        case Or():
            return disjunction(parts, span)
        case Not():
            return negation(parts[0], span)
        case Implies():
            return disjunction([negation(parts[0], span), parts[1]], span)
        case Iff():
            return equal(parts[0], parts[1], span)
        case ForAll(variable, sort) | Exists(variable, sort):
            quantifier = Quantifier.ALL if isinstance(formula, ForAll) else Quantifier.SOME
            parameter = Parameter(variable, Atoms(members(names, sort, span)))
            return Quantify(quantifier, parameter, parts[0], span=span)
        case Truth(value):
            return Literal(int(value), TRUTH, span)
    raise AssertionError(formula)


def write_out(names: Names, formula: Formula, span: Span) -> Formula:
    """Quantifiers over processes as conjunctions and disjunctions."""
    return expand_quantifiers(
        formula,
        lambda variable, sort, body: members(names, sort, span),
        lambda e, variable, a: substitute(e, {variable: atom(a)}),  # type: ignore[arg-type]
    )


def members(names: Names, sort: str, span: Span) -> tuple[int, ...]:
    return names.class_of(Name(sort, span) if sort else None)
