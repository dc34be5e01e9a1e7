"""Formulas, substitutions and values as B text, with the brackets that priorities demand and no others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any as AnyValue

from quorbit.languages.b.meaning.evaluator import Endless, Recursive
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.syntax import substitutions as sub
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Constructor,
    Field,
    Formula,
    Junction,
    LetIn,
    Name,
    Number,
    Quantifier,
    Real,
    Record,
    SequenceOf,
    SetOf,
    Text,
    Typed,
    Unary,
    Whole,
)
from quorbit.languages.b.syntax.spelling import COMPARED, IN_BRACKETS, INFIX, NEGATION, POSTFIX, TWO_ARGUMENTS
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.types import BOOL, REAL, STRING, Free, Given, PairType, RecordType, SetOfType, Type
from quorbit.model.meaning.operators import sorted_elements

__all__ = ["show", "show_substitution", "show_value"]

ATOMIC = 1000
LISTED = 125  # what may stand between commas without brackets: everything above comparisons
MOST_DIGITS = 20  # after the point of a real number
WORD_OPERATORS = {"×": "*"}


def show(f: Formula, least: int = 0) -> str:
    """The text of a formula; in brackets if it binds less tightly than ``least``."""
    text, priority = shown(f)
    return text if priority >= least else f"({text})"


def shown(f: Formula) -> tuple[str, int]:
    """Text and priority of its outermost operator."""
    match f:
        case Name(name=name, old=old):
            return name + ("$0" if old else ""), ATOMIC
        case Number(value=value):
            return str(value), ATOMIC if value >= 0 else NEGATION
        case Real(value=value):
            return show_real(value), ATOMIC
        case Constructor(of=of, k=k):
            return f"constructor {k} of {of}", ATOMIC
        case Text(value=value):
            return quote(value), ATOMIC
        case Builtin(name=name):
            return name, ATOMIC
        case Whole():
            return "_", ATOMIC
        case Typed(formula=formula):
            return shown(formula)
        case Unary(op="-", argument=argument):
            return f"-{show(argument, POSTFIX)}", NEGATION
        case Unary(op="~", argument=argument):
            return f"{show(argument, POSTFIX)}~", POSTFIX
        case Unary(op=op, argument=argument):
            return f"{op}({show(argument)})", ATOMIC
        case Binary(op="[]", left=left, right=right):
            return f"{show(left, POSTFIX)}[{show(right)}]", POSTFIX
        case Binary(op=op, left=left, right=right) if op in TWO_ARGUMENTS or WORD_OPERATORS.get(op, op) not in INFIX:
            return f"{op}({show(left)}, {show(right)})", ATOMIC
        case Binary(op=op, left=left, right=right):
            return shown_infix(WORD_OPERATORS.get(op, op), left, right)
        case Junction(op=op, items=items):
            return f" {op} ".join(show(i, INFIX[op].priority + 1) for i in items), INFIX[op].priority
        case Apply(function=function, arguments=arguments):
            return f"{show(function, POSTFIX)}({show_list(arguments)})", POSTFIX
        case Field(record=record, name=name):
            return f"{show(record, POSTFIX)}'{name}", POSTFIX
    return shown_in_marks(f), ATOMIC


def shown_infix(op: str, left: Formula, right: Formula) -> tuple[str, int]:
    infix = INFIX[op]
    tighter = infix.priority + 1
    a = show(left, tighter if infix.right or infix.priority == COMPARED else infix.priority)
    b = show(right, infix.priority if infix.right else tighter)
    return f"{a} {op} {b}", infix.priority


def shown_in_marks(f: Formula) -> str:
    """Formulas that begin and end with marks of their own."""
    match f:
        case SetOf(items=items):
            return "{" + show_list(items) + "}"
        case SequenceOf(items=items):
            return "[" + show_list(items) + "]"
        case Comprehension(names=names, predicate=predicate):
            return "{" + show_list(names) + " | " + show(predicate, IN_BRACKETS + 1) + "}"
        case Quantifier(op=op, names=names, predicate=predicate):
            return f"{op}({show_list(names)}).({show(predicate, IN_BRACKETS + 1)})"
        case Binder(op=op, names=names, predicate=predicate, body=body):
            return f"{op}({show_list(names)}).({show(predicate, IN_BRACKETS + 1)} | {show(body)})"
        case Record(op=op, fields=fields):
            return f"{op}({', '.join(f'{name}: {show(value, LISTED)}' for name, value in fields)})"
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            inner = [show(g, IN_BRACKETS + 1) for g in (condition, then, otherwise)]
            return f"IF {inner[0]} THEN {inner[1]} ELSE {inner[2]} END"
        case LetIn(names=names, definition=definition, body=body):
            inner = [show(g, IN_BRACKETS + 1) for g in (definition, body)]
            return f"LET {show_list(names)} BE {inner[0]} IN {inner[1]} END"
    raise AssertionError(f)


def show_list(formulas: tuple[Formula, ...]) -> str:
    return ", ".join(show(f, LISTED) for f in formulas)


def show_real(x: Fraction) -> str:
    """With a point where that is exact, else as a quotient."""
    digits = next((k for k in range(1, MOST_DIGITS) if (x * 10**k).denominator == 1), None)
    if digits is None:
        return f"{x.numerator}.0 / {x.denominator}.0"
    whole = str(abs(int(x * 10**digits))).rjust(digits + 1, "0")
    return f"{'-' if x < 0 else ''}{whole[:-digits]}.{whole[-digits:]}"


def quote(text: str) -> str:
    marks = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    return '"' + "".join(marks.get(c, c) for c in text) + '"'


def show_substitution(s: Substitution) -> str:
    """The text of a substitution, on one line."""
    match s:
        case sub.Skip():
            return "skip"
        case sub.Assign(targets=targets, values=values):
            return f"{show_list(targets)} := {show_list(values)}"
        case sub.BecomesIn(targets=targets, set=values):
            return f"{show_list(targets)} :: {show(values, LISTED)}"
        case sub.BecomesSuch(targets=targets, predicate=predicate):
            return f"{show_list(targets)} : ({show(predicate, IN_BRACKETS + 1)})"
        case sub.Sequence(parts=parts):
            return "BEGIN " + "; ".join(show_substitution(p) for p in parts) + " END"
        case sub.Parallel(parts=parts):
            return "BEGIN " + " || ".join(show_substitution(p) for p in parts) + " END"
        case sub.Call(targets=targets, operation=operation, arguments=arguments):
            results = f"{show_list(targets)} <-- " if targets else ""
            return f"{results}{operation}" + (f"({show_list(arguments)})" if arguments else "")
        case sub.Choice(options=options):
            return "CHOICE " + " OR ".join(show_substitution(o) for o in options) + " END"
        case sub.If(branches=branches, otherwise=otherwise):
            return "IF " + show_branches(branches, "ELSIF") + show_else(otherwise) + " END"
        case sub.Select(branches=branches, otherwise=otherwise):
            return "SELECT " + show_branches(branches, "WHEN") + show_else(otherwise) + " END"
        case sub.Case(subject=subject, branches=cases, otherwise=otherwise):
            arms = " OR ".join(f"{show_list(labels)} THEN {show_substitution(body)}" for labels, body in cases)
            return f"CASE {show(subject)} OF EITHER {arms}{show_else(otherwise)} END END"
    return show_block(s)


def show_block(s: Substitution) -> str:
    match s:
        case sub.Pre(predicate=predicate, body=body):
            return f"PRE {show(predicate, IN_BRACKETS + 1)} THEN {show_substitution(body)} END"
        case sub.Assert(predicate=predicate, body=body):
            return f"ASSERT {show(predicate, IN_BRACKETS + 1)} THEN {show_substitution(body)} END"
        case sub.Any(names=names, predicate=predicate, body=body):
            where = show(predicate, IN_BRACKETS + 1)
            return f"ANY {show_list(names)} WHERE {where} THEN {show_substitution(body)} END"
        case sub.Let(names=names, definition=definition, body=body):
            be = show(definition, IN_BRACKETS + 1)
            return f"LET {show_list(names)} BE {be} IN {show_substitution(body)} END"
        case sub.Var(names=names, body=body):
            return f"VAR {show_list(names)} IN {show_substitution(body)} END"
        case sub.While(condition=condition, body=body, invariant=invariant, variant=variant):
            parts = (show(condition, IN_BRACKETS + 1), show_substitution(body), show(invariant, IN_BRACKETS + 1))
            return f"WHILE {parts[0]} DO {parts[1]} INVARIANT {parts[2]} VARIANT {show(variant)} END"
    raise AssertionError(s)


def show_branches(branches: tuple[tuple[Formula, Substitution], ...], word: str) -> str:
    arms = [f"{show(p, IN_BRACKETS + 1)} THEN {show_substitution(body)}" for p, body in branches]
    return f" {word} ".join(arms)


def show_else(otherwise: Substitution | None) -> str:
    return "" if otherwise is None else f" ELSE {show_substitution(otherwise)}"


def show_value(universe: Universe, of: Type, x: AnyValue) -> str:
    """A value as B text: atoms by name, sets in a fixed order."""
    match of:
        case Given():
            return universe.names[int(x)]
        case PairType(left, right):
            return f"({show_value(universe, left, x[0])} |-> {show_value(universe, right, x[1])})"
        case RecordType(fields):
            return (
                f"rec({', '.join(f'{n}: {show_value(universe, t, v)}' for (n, t), v in zip(fields, x, strict=True))})"
            )
        case SetOfType(element) if isinstance(x, frozenset):
            return "{" + ", ".join(show_element(universe, element, v) for v in sorted_elements(x)) + "}"
        case SetOfType():
            return show_endless(x)
        case Free(name):
            label, inner = universe.free[name][x[0]][:2]
            return label if inner is None else f"{label}({show_element(universe, inner, x[1])})"
    if of == BOOL:
        return "TRUE" if x else "FALSE"
    if of == REAL:
        return show_real(x)
    return quote(str(x)) if of == STRING else str(x)


def show_endless(x: Endless) -> str:
    """The formula, and what its names stand for."""
    text = show(x.formula)
    known = [f"{n} = {plain(x.env[n])}" for n in sorted(free_names(x.formula) & x.env.keys())]
    return f"{text} where {', '.join(known)}" if known else text


def plain(x: AnyValue) -> str:
    """A value whose type is not known, in one order."""
    match x:
        case frozenset():
            return "{" + ", ".join(map(plain, sorted_elements(x))) + "}"
        case tuple():
            return "(" + ", ".join(map(plain, x)) + ")"
        case str():
            return quote(x)
        case Recursive():
            return "a function of its own"
        case Endless():
            return show_endless(x)
    return str(x)


def show_element(universe: Universe, of: Type, x: AnyValue) -> str:
    text = show_value(universe, of, x)
    return text[1:-1] if isinstance(of, PairType) else text
