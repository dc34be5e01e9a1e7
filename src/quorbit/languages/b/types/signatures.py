"""The types of B's operators: what they take and what they give. ``-`` and ``*`` have two meanings, found by types."""

from __future__ import annotations

from quorbit.languages.b.syntax.spelling import ARROWS
from quorbit.languages.b.types.library import OF_ONE, OF_THREE, OF_TWO
from quorbit.languages.b.types.types import (
    BOOL,
    INTEGER,
    PREDICATE,
    REAL,
    STRING,
    Letter,
    PairType,
    SetOfType,
    Type,
    relation,
    sequence,
)

a, b, c, d = Letter("a"), Letter("b"), Letter("c"), Letter("d")
A, B = SetOfType(a), SetOfType(b)
R = relation(a, b)
INTEGERS = SetOfType(INTEGER)
SEQUENCE = sequence(a)

WORDS: dict[str, Type] = {
    "BOOL": SetOfType(BOOL),
    "TRUE": BOOL,
    "FALSE": BOOL,
    "STRING": SetOfType(STRING),
    "MAXINT": INTEGER,
    "MININT": INTEGER,
    "succ": relation(INTEGER, INTEGER),
    "pred": relation(INTEGER, INTEGER),
    "btrue": PREDICATE,
    "bfalse": PREDICATE,
    **dict.fromkeys(("INTEGER", "NATURAL", "NATURAL1", "INT", "NAT", "NAT1"), INTEGERS),
    **dict.fromkeys(("REAL", "FLOAT"), SetOfType(REAL)),
}

UNARY: dict[str, tuple[Type, Type]] = {
    "-": (INTEGER, INTEGER),
    "~": (R, relation(b, a)),
    "not": (PREDICATE, PREDICATE),
    "bool": (PREDICATE, BOOL),
    "card": (A, INTEGER),
    **dict.fromkeys(("POW", "POW1", "FIN", "FIN1"), (A, SetOfType(A))),
    **dict.fromkeys(("union", "inter"), (SetOfType(A), A)),
    **dict.fromkeys(("min", "max"), (INTEGERS, INTEGER)),
    "id": (A, relation(a, a)),
    **dict.fromkeys(("closure", "closure1"), (relation(a, a), relation(a, a))),
    "dom": (R, A),
    "ran": (R, B),
    "fnc": (R, relation(a, B)),
    "rel": (relation(a, B), R),
    **dict.fromkeys(("seq", "seq1", "iseq", "iseq1", "perm"), (A, SetOfType(SEQUENCE))),
    "size": (SEQUENCE, INTEGER),
    **dict.fromkeys(("first", "last"), (SEQUENCE, a)),
    **dict.fromkeys(("front", "tail", "rev"), (SEQUENCE, SEQUENCE)),
    "conc": (sequence(SEQUENCE), SEQUENCE),
    "CHOOSE": (A, a),
    "TO_STRING": (a, STRING),
    **OF_ONE,
}

BINARY: dict[str, tuple[Type, Type, Type]] = {
    **dict.fromkeys(("=>", "<=>"), (PREDICATE, PREDICATE, PREDICATE)),
    **dict.fromkeys(("=", "/="), (a, a, PREDICATE)),
    **dict.fromkeys((":", "/:"), (a, A, PREDICATE)),
    **dict.fromkeys(("<:", "/<:", "<<:", "/<<:"), (A, A, PREDICATE)),
    **dict.fromkeys(("<", "<=", ">", ">="), (INTEGER, INTEGER, PREDICATE)),
    **dict.fromkeys(sorted(ARROWS), (A, B, SetOfType(R))),
    **dict.fromkeys(("+", "/", "mod", "**"), (INTEGER, INTEGER, INTEGER)),
    "..": (INTEGER, INTEGER, INTEGERS),
    **dict.fromkeys(("\\/", "/\\", "\\"), (A, A, A)),
    "×": (A, B, SetOfType(PairType(a, b))),
    "|->": (a, b, PairType(a, b)),
    "<+": (R, R, R),
    "><": (relation(a, b), relation(a, c), relation(a, PairType(b, c))),
    ";": (relation(a, b), relation(b, c), relation(a, c)),
    "||": (relation(a, b), relation(c, d), relation(PairType(a, c), PairType(b, d))),
    "[]": (R, A, B),
    **dict.fromkeys(("<|", "<<|"), (A, R, R)),
    **dict.fromkeys(("|>", "|>>"), (R, B, R)),
    "^": (SEQUENCE, SEQUENCE, SEQUENCE),
    "->": (a, SEQUENCE, SEQUENCE),
    "<-": (SEQUENCE, a, SEQUENCE),
    **dict.fromkeys(("/|\\", "\\|/"), (SEQUENCE, INTEGER, SEQUENCE)),
    "iterate": (relation(a, a), INTEGER, relation(a, a)),
    "prj1": (A, B, relation(PairType(a, b), a)),
    "prj2": (A, B, relation(PairType(a, b), b)),
    **OF_TWO,
    **OF_THREE,
}

NUMBERS = (INTEGER, INTEGER, INTEGER)
REAL_NUMBERS = (REAL, REAL, REAL)
REAL_UNARY: dict[str, tuple[Type, Type]] = {"-": (REAL, REAL), **dict.fromkeys(("min", "max"), (SetOfType(REAL), REAL))}
REAL_BINARY: dict[str, tuple[Type, Type, Type]] = {
    **dict.fromkeys(("+", "-", "*", "/"), REAL_NUMBERS),
    "**": (REAL, INTEGER, REAL),
    **dict.fromkeys(("<", "<=", ">", ">="), (REAL, REAL, PREDICATE)),
}
OVERLOADED: dict[str, tuple[tuple[str, tuple[Type, Type, Type]], ...]] = {
    "-": (("-", NUMBERS), ("\\", (A, A, A))),
    "*": (("*", NUMBERS), ("×", (A, B, SetOfType(PairType(a, b))))),
}
