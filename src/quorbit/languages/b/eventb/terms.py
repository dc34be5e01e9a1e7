"""Formulas and actions of a package: finished syntax trees, written as Prolog terms."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.eventb.build import (
    becomes_such,
    binary,
    choose_form,
    finite,
    identity,
    partition,
    projection,
    typed,
)
from quorbit.languages.b.eventb.prolog import Term
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Formula,
    Junction,
    Name,
    Number,
    Quantifier,
    SetOf,
    Unary,
)
from quorbit.languages.b.syntax.substitutions import Assign, BecomesIn, Skip, Substitution
from quorbit.source.errors import UserError
from quorbit.source.span import Span

WORDS = {
    "truth": "btrue",
    "falsity": "bfalse",
    "boolean_true": "TRUE",
    "boolean_false": "FALSE",
    "bool_set": "BOOL",
    "integer_set": "INTEGER",
    "natural_set": "NATURAL",
    "natural1_set": "NATURAL1",
    "successor": "succ",
    "predecessor": "pred",
    "max_int": "MAXINT",
    "min_int": "MININT",
    "string_set": "STRING",
}
UNARY = {
    "negation": "not",
    "unary_minus": "-",
    "reverse": "~",
    "convert_bool": "bool",
    "card": "card",
    "min": "min",
    "max": "max",
    "pow_subset": "POW",
    "pow1_subset": "POW1",
    "fin_subset": "FIN",
    "fin1_subset": "FIN1",
    "general_union": "union",
    "general_intersection": "inter",
    "domain": "dom",
    "range": "ran",
    "identity": "id",
    "closure": "closure1",
}
BINARY = {
    "implication": "=>",
    "equivalence": "<=>",
    "equal": "=",
    "not_equal": "/=",
    "member": ":",
    "not_member": "/:",
    "subset": "<:",
    "not_subset": "/<:",
    "subset_strict": "<<:",
    "strict_subset": "<<:",
    "not_subset_strict": "/<<:",
    "not_strict_subset": "/<<:",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "add": "+",
    "minus": "-",
    "minus_or_set_subtract": "-",
    "multiplication": "*",
    "mult_or_cart": "*",
    "cartesian_product": "×",
    "div": "/",
    "modulo": "mod",
    "power_of": "**",
    "interval": "..",
    "union": "\\/",
    "intersection": "/\\",
    "set_subtraction": "\\",
    "relations": "<->",
    "total_relation": "<<->",
    "surjection_relation": "<->>",
    "total_surjection_relation": "<<->>",
    "partial_function": "+->",
    "total_function": "-->",
    "partial_injection": ">+>",
    "total_injection": ">->",
    "partial_surjection": "+->>",
    "total_surjection": "-->>",
    "partial_bijection": ">+>>",
    "total_bijection": ">->>",
    "overwrite": "<+",
    "direct_product": "><",
    "parallel_product": "||",
    "composition": ";",
    "image": "[]",
    "domain_restriction": "<|",
    "domain_subtraction": "<<|",
    "range_restriction": "|>",
    "range_subtraction": "|>>",
    "iteration": "iterate",
    "first_projection": "prj1",
    "second_projection": "prj2",
}
JUNCTIONS = {"conjunct": "&", "disjunct": "or"}
QUANTIFIERS = {"forall": "!", "exists": "#"}
BINDERS = {
    "lambda": "%",
    "quantified_union": "UNION",
    "quantified_intersection": "INTER",
    "general_sum": "SIGMA",
    "general_product": "PI",
}
PROJECTIONS = {
    "event_b_first_projection_v2": "prj1",
    "event_b_second_projection_v2": "prj2",
    "event_b_first_projection": "prj1",
    "event_b_second_projection": "prj2",
}


class Reader:
    """Formulas at one place of a text; ``refuse`` says where the package has a term that nobody knows."""

    def __init__(self, span: Span, refuse: Callable[[Term, str], UserError]) -> None:
        self.span, self.refuse = span, refuse

    def formula(self, t: Term) -> Formula:
        """A formula; the first argument of every term is its position, which labels have told already."""
        span, functor, arguments = self.span, t.functor, t.arguments[1:]
        match functor, len(arguments):
            case "identifier", 1:
                return Name(span, arguments[0].functor)
            case "integer", 1:
                return Number(span, self.number(arguments[0]))
            case "empty_set", 0:
                return SetOf(span, ())
            case "event_b_identity", 0:
                return identity(span)
            case _, 0 if functor in WORDS:
                return Builtin(span, WORDS[functor])
            case _, n if functor in PROJECTIONS and n <= 1:
                return projection(span, PROJECTIONS[functor], *(self.formula(a) for a in arguments))
            case _, 1 if functor in UNARY:
                return Unary(span, UNARY[functor], self.formula(arguments[0]))
            case _, n if functor in JUNCTIONS and n >= 1:
                return self.junction(JUNCTIONS[functor], arguments)
            case _, 2 if functor in BINARY:
                return binary(span, BINARY[functor], *(self.formula(a) for a in arguments))
            case "ring", 2:
                return binary(span, ";", self.formula(arguments[1]), self.formula(arguments[0]))
            case _, 2 if functor in QUANTIFIERS:
                return Quantifier(span, QUANTIFIERS[functor], self.names(arguments[0]), self.formula(arguments[1]))
            case _, 3 if functor in BINDERS:
                return Binder(
                    span, BINDERS[functor], self.names(arguments[0]), *(self.formula(a) for a in arguments[1:])
                )
        return self.other_formula(t)

    def other_formula(self, t: Term) -> Formula:
        span, arguments = self.span, t.arguments[1:]
        match t.functor, len(arguments):
            case "set_extension", 1:
                return SetOf(span, self.all(arguments[0]))
            case "couple", 1:
                return self.couple(self.all(arguments[0]))
            case "couple", 2:
                return self.couple((self.formula(arguments[0]), self.formula(arguments[1])))
            case "function", 2:
                given = self.all(arguments[1]) if arguments[1].kind == "list" else (self.formula(arguments[1]),)
                return Apply(span, self.formula(arguments[0]), given)
            case "event_b_comprehension_set", 3:
                names, body, condition = self.names(arguments[0]), self.formula(arguments[1]), arguments[2]
                return choose_form(span, names, self.formula(condition), body)
            case "comprehension_set", 2:
                return Comprehension(span, self.names(arguments[0]), self.formula(arguments[1]))
            case "finite", 1:
                return finite(span, self.formula(arguments[0]))
            case "partition", 2:
                return partition(span, self.formula(arguments[0]), self.all(arguments[1]))
            case "partition", 1:
                first, *rest = self.all(arguments[0])
                return partition(span, first, tuple(rest))
            case "typeof" | "oftype", 2:
                return typed(span, self.formula(arguments[0]), self.formula(arguments[1]))
            case "extended_expr" | "extended_pred" | "extended_formula", _:
                name = arguments[0].functor if arguments else ""
                raise self.refuse(t, f"'{name}' is an operator of a theory; theories are not supported")
        raise self.refuse(t, f"{t} is not a formula of Event-B that is known here")

    def couple(self, items: tuple[Formula, ...]) -> Formula:
        found = items[0]
        for other in items[1:]:
            found = Binary(self.span, "|->", found, other)
        return found

    def number(self, t: Term) -> int:
        if t.kind != "number" or "." in t.functor:
            raise self.refuse(t, f"{t} is not a whole number")
        return int(t.functor)

    def junction(self, op: str, arguments: tuple[Term, ...]) -> Formula:
        first = arguments[0]
        items = self.all(first) if first.kind == "list" else tuple(self.formula(a) for a in arguments)
        if not items:
            return Builtin(self.span, "btrue" if op == "&" else "bfalse")
        return items[0] if len(items) == 1 else Junction(self.span, op, items)

    def all(self, t: Term) -> tuple[Formula, ...]:
        if t.kind != "list":
            raise self.refuse(t, f"a list is expected, found {t}")
        return tuple(self.formula(a) for a in t.arguments)

    def names(self, t: Term) -> tuple[Name, ...]:
        found = tuple(f for f in self.all(t) if isinstance(f, Name))
        if len(found) != len(t.arguments):
            raise self.refuse(t, "identifiers are expected")
        return found

    def action(self, t: Term) -> Substitution:
        arguments = t.arguments[1:]
        match t.functor, len(arguments):
            case "assign", 2:
                targets, values = self.all(arguments[0]), self.all(arguments[1])
                if len(targets) != len(values):
                    raise self.refuse(t, f"{len(targets)} targets for {len(values)} values")
                return Assign(self.span, targets, values)
            case "becomes_element_of", 2:
                return BecomesIn(self.span, self.all(arguments[0]), self.formula(arguments[1]))
            case "becomes_such", 2:
                return becomes_such(self.span, self.names(arguments[0]), self.formula(arguments[1]))
            case "skip", 0:
                return Skip(self.span)
        raise self.refuse(t, f"{t} is not an action of Event-B that is known here")


def formula_of(t: Term, span: Span, refuse: Callable[[Term, str], UserError]) -> Formula:
    return Reader(span, refuse).formula(t)


def action_of(t: Term, span: Span, refuse: Callable[[Term, str], UserError]) -> Substitution:
    return Reader(span, refuse).action(t)


def names_of(t: Term, span: Span, refuse: Callable[[Term, str], UserError]) -> tuple[Name, ...]:
    return Reader(span, refuse).names(t)


def label_of(t: Term) -> str:
    """The label in the position of a term: rodinpos(component, label, id), or in older packages rodinpos(label, id)."""
    if t.arguments and t.arguments[0].functor == "rodinpos" and len(t.arguments[0].arguments) >= 2:
        return t.arguments[0].arguments[-2].functor
    return ""
