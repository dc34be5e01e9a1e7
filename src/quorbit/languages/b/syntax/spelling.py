"""The words and signs of the B language: keywords, operators with their priorities, Unicode spellings.

Priorities and associativity follow the Atelier B reference manual; comparisons stand between the logical connectives
and the arrows and do not associate, as in ProB, so that ``x /= a \\/ b`` needs no brackets.
"""

from __future__ import annotations

from quorbit.source.frozen import frozen

__all__ = ["ARROWS", "COMPARISONS"]

CLAUSES = frozenset(
    [
        "ABSTRACT_CONSTANTS",
        "ABSTRACT_VARIABLES",
        "ASSERTIONS",
        "CONCRETE_CONSTANTS",
        "CONCRETE_VARIABLES",
        "CONSTANTS",
        "CONSTRAINTS",
        "DEFINITIONS",
        "EXPRESSIONS",
        "EXTENDS",
        "FREETYPES",
        "HIDDEN_CONSTANTS",
        "HIDDEN_VARIABLES",
        "IMPORTS",
        "INCLUDES",
        "INITIALISATION",
        "INVARIANT",
        "LOCAL_OPERATIONS",
        "OPERATIONS",
        "PREDICATES",
        "PROMOTES",
        "PROPERTIES",
        "REFINES",
        "SEES",
        "SETS",
        "USES",
        "VALUES",
        "VARIABLES",
        "VISIBLE_CONSTANTS",
        "VISIBLE_VARIABLES",
    ]
)
MACHINE_KINDS = frozenset(["MACHINE", "MODEL", "SYSTEM", "REFINEMENT", "IMPLEMENTATION"])
STRUCTURE = frozenset(
    [
        "ANY",
        "ASSERT",
        "BE",
        "BEGIN",
        "CASE",
        "CHOICE",
        "DO",
        "EITHER",
        "ELSE",
        "ELSIF",
        "END",
        "IF",
        "IN",
        "LET",
        "OF",
        "OR",
        "PRE",
        "SELECT",
        "THEN",
        "VAR",
        "VARIANT",
        "WHEN",
        "WHERE",
        "WHILE",
        "skip",
    ]
)
SAME_WORD = {"INITIALIZATION": "INITIALISATION", "EVENTS": "OPERATIONS"}  # accepted spellings of one keyword
BUILTINS = frozenset(
    [
        "BOOL",
        "TRUE",
        "FALSE",
        "INT",
        "INTEGER",
        "NAT",
        "NAT1",
        "NATURAL",
        "NATURAL1",
        "MAXINT",
        "MININT",
        "STRING",
        "REAL",
        "FLOAT",
        "succ",
        "pred",
        "btrue",
        "bfalse",
    ]
)
ONE_ARGUMENT = frozenset(
    [
        "POW",
        "POW1",
        "FIN",
        "FIN1",
        "bool",
        "card",
        "closure",
        "closure1",
        "conc",
        "dom",
        "first",
        "fnc",
        "front",
        "id",
        "inter",
        "iseq",
        "iseq1",
        "last",
        "max",
        "min",
        "not",
        "perm",
        "ran",
        "rel",
        "rev",
        "seq",
        "seq1",
        "size",
        "tail",
        "union",
    ]
)
TWO_ARGUMENTS = frozenset(["iterate", "prj1", "prj2"])
BINDERS = frozenset(["SIGMA", "PI", "UNION", "INTER"])
RECORDS = frozenset(["rec", "struct"])
KEYWORDS = (
    CLAUSES
    | MACHINE_KINDS
    | STRUCTURE
    | BUILTINS
    | ONE_ARGUMENT
    | TWO_ARGUMENTS
    | BINDERS
    | RECORDS
    | frozenset({"mod", "or"})
)


@frozen
class Infix:
    """How tightly an infix operator binds; left associative unless told."""

    priority: int
    right: bool = False
    chains: bool = True


COMPARISONS = frozenset(["=", "/=", ":", "/:", "<:", "/<:", "<<:", "/<<:", "<", "<=", ">", ">="])
ARROWS = frozenset(["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"])
SET_OPERATORS = frozenset(["<+", "><", "^", "<|", "<<|", "|>", "|>>", "->", "<-", "\\/", "/\\", "/|\\", "\\|/", "|->"])
NEGATION = 210  # of numbers; tighter than **
POSTFIX = 230
IN_BRACKETS, LOGICAL, COMPARED, ARROW = 20, 30, 100, 125

INFIX: dict[str, Infix] = {
    ";": Infix(IN_BRACKETS),
    "||": Infix(IN_BRACKETS),
    "=>": Infix(LOGICAL),
    "&": Infix(40),
    "or": Infix(40),
    "<=>": Infix(60),
    **{sign: Infix(COMPARED, chains=False) for sign in sorted(COMPARISONS)},
    **{sign: Infix(ARROW) for sign in sorted(ARROWS)},
    **{sign: Infix(160) for sign in sorted(SET_OPERATORS)},
    "..": Infix(170),
    "+": Infix(180),
    "-": Infix(180),
    "\\": Infix(180),
    "*": Infix(190),
    "/": Infix(190),
    "mod": Infix(190),
    "**": Infix(200, right=True),
}
PUNCTUATION = ["!", "#", "%", ",", ".", "(", ")", "[", "]", "{", "}", "~", "$", "'", "|", ":=", "::", "<--", "==", "<>"]
SIGNS = tuple(sorted({*PUNCTUATION, *(s for s in INFIX if not s.isalpha())}, key=lambda s: (-len(s), s)))

UNICODE = {
    "∀": "!", "∃": "#", "λ": "%", "∧": "&", "∨": "or", "¬": "not", "⇒": "=>", "⇔": "<=>", "≠": "/=", "∈": ":",
    "∉": "/:", "⊆": "<:", "⊈": "/<:", "⊂": "<<:", "⊄": "/<<:", "≤": "<=", "≥": ">=", "×": "*", "∗": "*", "÷": "/",
    "−": "-", "∪": "\\/", "∩": "/\\", "∖": "\\", "↔": "<->", "⇸": "+->", "→": "-->", "⤔": ">+>", "↣": ">->",
    "⤀": "+->>", "↠": "-->>", "⤖": ">->>", "\ue100": "<<->", "\ue101": "<->>", "\ue102": "<<->>", "\ue103": "<+",
    "⋖": "<+", "⊗": "><", "◁": "<|", "⩤": "<<|", "◀": "<<|", "▷": "|>", "⩥": "|>>", "▶": "|>>", "⇾": "->", "⇽": "<-",
    "⌒": "^", "↑": "/|\\", "↓": "\\|/", "↦": "|->", "‥": "..", "·": ".", "⋅": ".", "∼": "~", "∣": "|", "∥": "||",
    "≔": ":=", "←": "<--", "ℤ": "INTEGER", "ℕ": "NATURAL", "ℕ1": "NATURAL1", "ℕ₁": "NATURAL1", "ℙ": "POW", "ℙ1": "POW1",
    "ℙ₁": "POW1", "∅": "{}", "∑": "SIGMA", "∏": "PI", "⋃": "UNION", "⋂": "INTER", "⊤": "btrue", "⊥": "bfalse",
    "⁻¹": "~", ":∈": "::", "ℝ": "REAL",
}  # fmt: skip
