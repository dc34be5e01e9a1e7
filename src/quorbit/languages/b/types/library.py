"""The types of functions that ProB's libraries offer; a third argument makes a pair with the second."""

from __future__ import annotations

from quorbit.languages.b.types.types import BOOL, INTEGER, PREDICATE, REAL, STRING, PairType, SetOfType, Type

__all__ = ["OF_ONE", "OF_THREE", "OF_TWO"]

TEXTS = SetOfType(PairType(INTEGER, STRING))
NUMBERS = SetOfType(PairType(INTEGER, INTEGER))
REALS = SetOfType(REAL)
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
    **dict.fromkeys(("STRING_LENGTH", "STRING_TO_INT"), (STRING, INTEGER)),
    **dict.fromkeys(("STRING_TO_UPPER", "STRING_TO_LOWER", "STRING_REV"), (STRING, STRING)),
    **dict.fromkeys(("COS", "SIN", "TAN", "MSB", "FACTORIAL", "BNOT"), (INTEGER, INTEGER)),
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
}
OF_THREE: dict[str, tuple[Type, Type, Type]] = {
    "SUB_STRING": (STRING, PairType(INTEGER, INTEGER), STRING),
    "STRING_REPLACE": (STRING, PairType(STRING, STRING), STRING),
    "STRING_PADLEFT": (STRING, PairType(INTEGER, STRING), STRING),
    "LOGx": (INTEGER, PairType(INTEGER, INTEGER), INTEGER),
}
OF_REALS = frozenset(
    name for name, types in (*OF_ONE.items(), *OF_TWO.items()) if REAL in types or REALS in types
)  # functions of real numbers or to them
