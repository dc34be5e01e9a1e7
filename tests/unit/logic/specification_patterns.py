"""The specification patterns of Dwyer, Avrunin and Corbett (1999) in LTL, in all five scopes.

`p`, `s`, `t`, `z` are the events of the pattern, `q` and `r` open and close the scope.
"""

from __future__ import annotations

SCOPES = ("globally", "before r", "after q", "between q and r", "after q until r")
TWICE = "(!p W (p W (!p W (p W [] !p))))"
TWICE_BEFORE_R = "((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || {}))))))))"
CHAIN_1_2 = "(!(s && !r && X (!r U (t && !r))))"

PATTERNS: dict[str, tuple[str, str, str, str, str]] = {
    "absence": (
        "[] !p",
        "<> r -> (!p U r)",
        "[](q -> [] !p)",
        "[]((q && !r && <> r) -> (!p U r))",
        "[](q && !r -> (!p W r))",
    ),
    "existence": (
        "<> p",
        "!r W (p && !r)",
        "[] !q || <>(q && <> p)",
        "[](q && !r -> (!r W (p && !r)))",
        "[](q && !r -> (!r U (p && !r)))",
    ),
    "bounded existence": (
        TWICE,
        "<> r -> " + TWICE_BEFORE_R.format("(!p U r)"),
        f"<> q -> (!q U (q && {TWICE}))",
        f"[]((q && <> r) -> {TWICE_BEFORE_R.format('(!p U r)')})",
        f"[](q -> {TWICE_BEFORE_R.format('(!p W r) || [] p')})",
    ),
    "universality": (
        "[] p",
        "<> r -> (p U r)",
        "[](q -> [] p)",
        "[]((q && !r && <> r) -> (p U r))",
        "[](q && !r -> (p W r))",
    ),
    "precedence": (
        "!p W s",
        "<> r -> (!p U (s || r))",
        "[] !q || <>(q && (!p W s))",
        "[]((q && !r && <> r) -> (!p U (s || r)))",
        "[](q && !r -> (!p W (s || r)))",
    ),
    "response": (
        "[](p -> <> s)",
        "<> r -> ((p -> (!r U (s && !r))) U r)",
        "[](q -> [](p -> <> s))",
        "[]((q && !r && <> r) -> ((p -> (!r U (s && !r))) U r))",
        "[](q && !r -> ((p -> (!r U (s && !r))) W r))",
    ),
    "precedence chain, two causes": (
        "<> p -> (!p U (s && !p && X (!p U t)))",
        "<> r -> (!p U (r || (s && !p && X (!p U t))))",
        "[] !q || (!q U (q && (<> p -> (!p U (s && !p && X (!p U t))))))",
        "[]((q && <> r) -> (!p U (r || (s && !p && X (!p U t)))))",
        "[](q -> (<> p -> (!p U (r || (s && !p && X (!p U t))))))",
    ),
    "precedence chain, two effects": (
        "<>(s && X <> t) -> (!s U p)",
        f"<> r -> ({CHAIN_1_2} U (r || p))",
        "[] !q || (!q U (q && (<>(s && X <> t) -> (!s U p))))",
        f"[]((q && <> r) -> ({CHAIN_1_2} U (r || p)))",
        f"[](q -> (({CHAIN_1_2} U (r || p)) || [] !(s && X <> t)))",
    ),
    "response chain, two causes": (
        "[](s && X <> t -> X <>(t && <> p))",
        "<> r -> ((s && X (!r U t) -> X (!r U (t && <> p))) U r)",
        "[](q -> [](s && X <> t -> X (!t U (t && <> p))))",
        "[]((q && <> r) -> ((s && X (!r U t) -> X (!r U (t && <> p))) U r))",
        "[](q -> ((s && X (!r U t) -> X (!r U (t && <> p))) U (r || [](s && X (!r U t) -> X (!r U (t && <> p))))))",
    ),
    "response chain, two effects": (
        "[](p -> <>(s && X <> t))",
        "<> r -> ((p -> (!r U (s && !r && X (!r U t)))) U r)",
        "[](q -> [](p -> (s && X <> t)))",
        "[]((q && <> r) -> ((p -> (!r U (s && !r && X (!r U t)))) U r))",
        "[](q -> ((p -> (!r U (s && !r && X (!r U t)))) U (r || [](p -> (s && X <> t)))))",
    ),
    "constrained response chain": (
        "[](p -> <>(s && !z && X (!z U t)))",
        "<> r -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r)",
        "[](q -> [](p -> (s && !z && X (!z U t))))",
        "[]((q && <> r) -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r))",
        "[](q -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U (r || [](p -> (s && !z && X (!z U t))))))",
    ),
}
CASES = [(name, scope, text) for name, texts in PATTERNS.items() for scope, text in zip(SCOPES, texts, strict=True)]

# States of the never claims that SPIN 6.5.2 writes for the formula and for its negation (spin -f, each operator
# bracketed, p W q written as q V (p || q)); None where it was stopped after 30 seconds.  Its usual build has no X, so
# chains are absent.
SPIN_STATES: dict[str, tuple[tuple[int | None, int | None], ...]] = {
    "absence": ((2, 2), (4, 3), (4, 3), (7, 4), (4, 3)),
    "existence": ((2, 2), (3, 2), (5, 5), (4, 3), (4, 3)),
    "bounded existence": ((36, None), (8, None), (None, None), (None, None), (None, None)),
    "universality": ((2, 2), (4, 3), (4, 3), (7, 4), (4, 3)),
    "precedence": ((3, 2), (4, 4), (5, 6), (8, 5), (4, 3)),
    "response": ((4, 2), (6, 5), (6, 3), (22, 6), (7, 4)),
}
