"""What ProB offers beside the language: functions of its libraries, told by their names alone.

Those that B can say are put into B's words; those that only print are true, or do nothing. The rest is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Builtin,
    Conditional,
    Formula,
    Junction,
    Name,
    Number,
    SetOf,
    Text,
    Unary,
)
from quorbit.languages.b.syntax.machine import Definition
from quorbit.languages.b.types.library import OF_ONE, OF_THREE, OF_TWO
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["REFUSED", "is_saying", "open_external", "refusal", "without_externals"]

EXTERNAL = ("EXTERNAL_FUNCTION_", "EXTERNAL_PREDICATE_", "EXTERNAL_SUBSTITUTION_")
# Predicates that print or guide ProB's search: they hold.
SAYING = frozenset(
    [
        "CHECK_DET",
        "DET_CHECK",
        "ENUM",
        "ENUMERATE",
        "FPRINTF",
        "PRINTF",
        "PRINT",
        "DPRINTF",
        "dprintf",
        "fprintf",
        "observe",
        "observe_fun",
        "observe_indent",
        "observe_silent",
        "printf",
        "printf1",
        "printf_nonvar",
        "printf_opt_trace",
        "tprintf",
    ]
)


def without_externals(definitions: dict[str, Definition]) -> dict[str, Definition]:
    """Definitions less those that only stand for an external function: their bodies mean nothing."""
    declared = {name.removeprefix(p) for name in definitions for p in EXTERNAL if name.startswith(p)}
    return {name: d for name, d in definitions.items() if name not in declared and not name.startswith(EXTERNAL)}


def is_saying(name: str) -> bool:
    return name in SAYING


def open_external(f: Apply, name: str) -> Formula:
    """The use of an external function in the words of B."""
    if name in SAYING:
        return Builtin(f.span, "btrue")
    if name in ("ASSERT_TRUE", "ASSERT_EXPR") and len(f.arguments) == (2 if name == "ASSERT_TRUE" else 3):
        return asserted(f)
    if name == "partition" and len(f.arguments) > 1:
        return parted(f)
    match f.arguments:
        case (Text(value=function), x) if name == "REC":
            return Apply(f.span, Name(f.arguments[0].span, function), (x,))
        case (Text(), x) if name == "REC_LET":
            return x  # the constant that is defined so has this name
        case (_, x) | (_, _, x) if name == ("vprintf" if len(f.arguments) == 2 else "fvprintf"):
            return x  # printed and passed on
        case (x,) if name in OF_ONE:
            return Unary(f.span, name, x)
        case (x,) if name in WORDS:
            return WORDS[name](f.span, x)
        case (x, y) if name in OF_TWO:
            return Binary(f.span, name, x, y)
        case (x, y, z) if name in OF_THREE:
            return Binary(f.span, name, x, Binary(f.span, "|->", y, z))
    if name in REFUSED:
        raise UserError(f.function.span, refusal(name))
    raise UserError(f.function.span, f"unknown function {name}")


def refusal(name: str) -> str:
    return f"the external function {name} is not supported: {REFUSED[name]}"


def asserted(f: Apply) -> Formula:
    """ASSERT_EXPR(p, message, e) is e, and an error where p is false; ASSERT_TRUE holds or is an error."""
    span, condition = f.span, f.arguments[0]
    value = f.arguments[2] if len(f.arguments) == 3 else Number(span, 1)
    pair = Binary(span, "|->", Builtin(span, "TRUE"), value)
    found = Apply(span, SetOf(span, (pair,)), (condition,))
    return found if len(f.arguments) == 3 else Binary(span, "=", found, Number(span, 1))


def absolute(span: Span, x: Formula) -> Formula:
    return Conditional(span, Binary(span, "<", x, Number(span, 0)), Unary(span, "-", x), x)


def only_element(span: Span, s: Formula) -> Formula:
    """({1} * s)(1): defined if there is exactly one."""
    one = Number(span, 1)
    return Apply(span, Binary(span, "*", SetOf(span, (one,)), s), (one,))


def parted(f: Apply) -> Formula:
    """partition(s, a, b): s is the union of a and b, and these are disjoint."""
    whole, *parts = f.arguments
    union = parts[0]
    for part in parts[1:]:
        union = Binary(f.span, "\\/", union, part)
    empty = SetOf(f.span, ())
    apart = [Binary(f.span, "=", Binary(f.span, "/\\", a, b), empty) for a, b in combinations(parts, 2)]
    return conjoined(f.span, [Binary(f.span, "=", whole, union), *apart])


def conjoined(span: Span, items: list[Binary]) -> Formula:
    return items[0] if len(items) == 1 else Junction(span, "&", tuple(items))


FILES = "a machine is checked without looking at other files"
SEARCH = "it speaks of ProB's search, not of the machine"
NOT_FIXED = "its value is not the same each time"
IRRATIONAL = "its values are not rational numbers"
REFUSED = {
    **dict.fromkeys(("READ_CSV", "READ_CSV_STRINGS", "READ_CSV_SEQUENCE", "READ_XML", "READ_XML_FROM_STRING"), FILES),
    **dict.fromkeys(("FILES", "FULL_FILES", "READ_FILE_AS_STRING", "READ_FILE_AS_STRINGS", "FILE_EXISTS"), FILES),
    **dict.fromkeys(("DIRECTORIES", "FULL_DIRECTORIES", "DIRECTORY_EXISTS", "EOF", "READ_LINE"), FILES),
    **dict.fromkeys(("STATE_SUCC", "STATE_TRANS", "HISTORY", "HASH", "UNSAT_CORE", "KODKOD", "MAXIMIZE"), SEARCH),
    **dict.fromkeys(("IS_DETERMINED", "IS_EVALUATED", "PROLOG_FUN", "GET_INFO", "PROJECT_INFO"), SEARCH),
    **dict.fromkeys(("STATE_SAT", "STATE_EVAL", "STATE_AS_STRING", "INITIAL_STATE", "EVAL", "MACHINE_INFO"), SEARCH),
    **dict.fromkeys(("IS_DETERMINED_INTO_FILE", "KODKOD_SOLVE", "MAX_SAT", "DELTA_WALLTIME", "GET_CODE"), SEARCH),
    **dict.fromkeys(("FILE_PROPERTY", "FILE_PROPERTY_VALUE", "WRITE_XML_TO_STRING", "ARGV", "ARGC"), FILES),
    **dict.fromkeys(("SHA_HASH", "SHA_HASH_HEX", "STRINGIFY", "COMPOSE_STATE_LABEL"), SEARCH),
    **dict.fromkeys(("TIME", "TIMESTAMP_INFO", "TIMESTAMP", "RANDOM"), NOT_FIXED),
    **dict.fromkeys(("random_element", "random_subset", "random_ordering"), NOT_FIXED),
    **dict.fromkeys(("RSIN", "RCOS", "RTAN", "REXP", "RLOGe", "RLOG", "RSQRT", "RPI", "REULER", "RPOW"), IRRATIONAL),
}
WORDS: dict[str, Callable[[Span, Formula], Formula]] = {
    "ABS": absolute,
    "TO_STRING": lambda span, x: Unary(span, "TO_STRING", x),
    "CLOSURE1": lambda span, r: Unary(span, "closure1", r),
    "CHOOSE": lambda span, s: Unary(span, "CHOOSE", s),
    "finite": lambda span, s: Binary(span, ":", s, Unary(span, "FIN", s)),
    "FORCE": lambda span, x: x,
    "MU": only_element,
}
