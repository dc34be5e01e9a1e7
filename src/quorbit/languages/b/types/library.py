"""The types of functions that ProB's libraries offer, and of trees; a third argument makes a pair with the second."""

from __future__ import annotations

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

__all__ = ["IN_ORDER", "OF_ONE", "OF_THREE", "OF_TWO"]

TEXTS = SetOfType(PairType(INTEGER, STRING))
NUMBERS = SetOfType(PairType(INTEGER, INTEGER))
REALS = SetOfType(REAL)
LABEL, ADDRESS = Letter("a"), sequence(INTEGER)
TREE, LABELS = relation(ADDRESS, LABEL), sequence(LABEL)
ANY, ANY_SET = Letter("a"), SetOfType(Letter("a"))
OF_ONE: dict[str, tuple[Type, Type]] = {
    **dict.fromkeys(("real", "RREAL"), (INTEGER, REAL)),
    **dict.fromkeys(("floor", "ceiling", "RFLOOR", "RCEILING", "RROUND"), (REAL, INTEGER)),
    **dict.fromkeys(("RABS", "RUMINUS", "RINV", "RSIGN"), (REAL, REAL)),
    **dict.fromkeys(("RMAXIMUM", "RMINIMUM"), (REALS, REAL)),
    **dict.fromkeys(("INT_TO_STRING",), (INTEGER, STRING)),
    "STRING_CHARS": (STRING, TEXTS),
    "STRING_CODES": (STRING, NUMBERS),
    "CODES_TO_STRING": (NUMBERS, STRING),
    **dict.fromkeys(("STRING_IS_INT", "STRING_IS_NUMBER", "STRING_IS_DECIMAL"), (STRING, PREDICATE)),
    "STRING_CONC": (TEXTS, STRING),
    **dict.fromkeys(("STRING_LENGTH", "STRING_TO_INT"), (STRING, INTEGER)),
    **dict.fromkeys(("STRING_TO_UPPER", "STRING_TO_LOWER", "STRING_REV"), (STRING, STRING)),
    **dict.fromkeys(("COS", "SIN", "TAN", "MSB", "FACTORIAL", "BNOT"), (INTEGER, INTEGER)),
    "SORT": (ANY_SET, sequence(ANY)),
    "SQUASH": (sequence(ANY), sequence(ANY)),
    "SCCS": (relation(ANY, ANY), SetOfType(ANY_SET)),
    **dict.fromkeys(("HASH", "SHA_HASH"), (ANY, INTEGER)),
    "TIME": (STRING, INTEGER),
    "random_element": (ANY_SET, ANY),
    "random_subset": (ANY_SET, ANY_SET),
    **dict.fromkeys(("FILES", "FULL_FILES", "DIRECTORIES", "FULL_DIRECTORIES"), (STRING, SetOfType(STRING))),
    **dict.fromkeys(("FILE_EXISTS", "DIRECTORY_EXISTS"), (STRING, PREDICATE)),
    **dict.fromkeys(("READ_FILE_AS_STRING", "GET_INFO", "PROJECT_INFO"), (STRING, STRING)),
    "READ_FILE_AS_STRINGS": (STRING, TEXTS),
    "READ_CSV": (STRING, ANY_SET),
    "READ_CSV_STRINGS": (STRING, sequence(relation(STRING, STRING))),
    **dict.fromkeys(("tree", "btree"), (SetOfType(LABEL), SetOfType(TREE))),
    **dict.fromkeys(("prefix", "infix", "postfix"), (TREE, LABELS)),
    **dict.fromkeys(("mirror", "left", "right"), (TREE, TREE)),
    "top": (TREE, LABEL),
    "sons": (TREE, sequence(TREE)),
    "sizet": (TREE, INTEGER),
    "bin": (LABEL, TREE),
}
OF_TWO: dict[str, tuple[Type, Type, Type]] = {
    **dict.fromkeys(("RADD", "RSUB", "RMUL", "RDIV", "RMAX", "RMIN"), (REAL, REAL, REAL)),
    **dict.fromkeys(("RLT", "RLEQ", "RGT", "RGEQ", "REQ", "RNEQ"), (REAL, REAL, PREDICATE)),
    "STRING_APPEND": (STRING, STRING, STRING),
    "STRING_JOIN": (TEXTS, STRING, STRING),
    "STRING_SPLIT": (STRING, STRING, TEXTS),
    **dict.fromkeys(("STRING_CONTAINS_STRING", "STRING_EQUAL_CASE_INSENSITIVE"), (STRING, STRING, BOOL)),
    "INT_TO_DEC_STRING": (INTEGER, INTEGER, STRING),
    "DEC_STRING_TO_INT": (STRING, INTEGER, INTEGER),
    **dict.fromkeys(("COSx", "SINx", "TANx", "GCD"), (INTEGER, INTEGER, INTEGER)),
    **dict.fromkeys(("BAND", "BOR", "BXOR", "BLSHIFT", "BRSHIFT", "FDIV", "CDIV"), (INTEGER, INTEGER, INTEGER)),
    "FORMAT_TO_STRING": (STRING, TEXTS, STRING),
    **dict.fromkeys(("LESS", "LEQ_SYM", "LEQ_SYM_BREAK"), (ANY, ANY, PREDICATE)),
    "RANDOM": (INTEGER, INTEGER, INTEGER),
    "const": (LABEL, sequence(TREE), TREE),
    **dict.fromkeys(("rank", "arity"), (TREE, ADDRESS, INTEGER)),
    "father": (TREE, ADDRESS, ADDRESS),
    "subtree": (TREE, ADDRESS, TREE),
}
OF_THREE: dict[str, tuple[Type, Type, Type]] = {
    "SUB_STRING": (STRING, PairType(INTEGER, INTEGER), STRING),
    "STRING_REPLACE": (STRING, PairType(STRING, STRING), STRING),
    "STRING_PADLEFT": (STRING, PairType(INTEGER, STRING), STRING),
    "son": (TREE, PairType(ADDRESS, INTEGER), ADDRESS),
    "bin": (TREE, PairType(LABEL, TREE), TREE),
    "LOGx": (INTEGER, PairType(INTEGER, INTEGER), INTEGER),
}
OF_REALS = frozenset(
    name for name, types in (*OF_ONE.items(), *OF_TWO.items()) if REAL in types or REALS in types
)  # functions of real numbers or to them
IN_ORDER = frozenset(["CHOOSE", "LEQ_SYM", "LEQ_SYM_BREAK", "LESS", "SORT", "TO_STRING"])  # they tell elements apart
