"""Random B machines for comparisons: guards that bind parameters in every order, relations, sequences, nested choices,
constants with several values, included and seen machines.

Types are letters: A elements of a deferred set, E of an enumerated one, N small numbers, a and e sets of these, R
relations from A to E, F functions from A to N, Q sequences over E, P predicates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

SET_OF = {"A": "a", "E": "e"}
WHOLE = {"A": "S", "E": "T", "N": "0..2"}
VARIABLES = {"x": "A", "w": "E", "n": "N", "s": "a", "t": "e", "r": "R", "f": "F", "q": "Q"}
INVARIANT = {
    "A": "{0} : S", "E": "{0} : T", "N": "{0} : 0..3", "a": "{0} <: S", "e": "{0} <: T",
    "R": "{0} : S <-> T", "F": "{0} : S +-> 0..3", "Q": "{0} : seq(T)",
}  # fmt: skip
START = {"A": "c", "E": "e1", "N": "0", "a": "{}", "e": "{e1}", "R": "{c |-> e1}", "F": "{c |-> 1}", "Q": "[]"}


@dataclass(frozen=True)
class Known:
    """The names that have values here, by type; ``unassigned`` variables may still be written."""

    random: Random
    names: dict[str, str]
    writable: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    depth: int = 2
    fresh: list[int] = field(default_factory=lambda: [0])

    def having(self, names: dict[str, str]) -> Known:
        return replace(self, names={**self.names, **names})

    def shallower(self) -> Known:
        return replace(self, depth=self.depth - 1)

    def new_name(self) -> str:
        self.fresh[0] += 1
        return f"z{self.fresh[0]}"


def expression(k: Known, of: str) -> str:
    """A random expression of a type."""
    own = [name for name, t in k.names.items() if t == of]
    simple = [*own, *own, *CONSTANT[of]]
    if k.depth <= 0 or k.random.random() < 0.35:
        return k.random.choice(simple)
    return f"({k.random.choice(MADE[of])(k.shallower())})"


CONSTANT = {
    "A": ["c"],
    "E": ["e1", "e2"],
    "N": ["0", "1", "2", "k"],
    "a": ["(S - S)", "S", "{c}"],
    "e": ["(T - T)", "T", "{e2}", "h"],
    "R": ["{c |-> e2}", "g", "(S * (T - T))"],
    "F": ["{c |-> 2}", "(S * (2..1))"],
    "Q": ["tail([e1])", "[e1]", "[e2, e1]"],
}


def form(template: str, *types: str) -> Callable[[Known], str]:
    return lambda k: template.format(*(expression(k, t) for t in types))


MADE: dict[str, list[Callable[[Known], str]]] = {
    "A": [form("(g~)({0})", "E"), lambda k: k.random.choice(["c"])],
    "E": [form("({0})({1})", "R", "A"), form("g({0})", "A"), form("({0})({1})", "Q", "N"), form("last({0})", "Q")],
    "N": [
        form("card({0})", "a"), form("card({0})", "e"), form("({0} + {1}) mod 3", "N", "N"), form("size({0})", "Q"),
        form("({0})({1})", "F", "A"), form("max({{{0}, {1}}})", "N", "N"), form("SIGMA(i).(i : ran({0}) | i)", "F"),
        form("SIGMA(y, z).(y : {0} & z = card({{y, {1}}}) & z < 2 | z)", "a", "A"),
    ],
    "a": [
        form("{0} \\/ {1}", "a", "a"), form("{0} - {1}", "a", "a"), form("dom({0})", "R"), form("{{{0}}}", "A"),
        form("({0})~[{1}]", "R", "e"), form("{0} /\\ {1}", "a", "a"), form("{{y | y : {0} & y /: {1}}}", "a", "a"),
    ],
    "e": [
        form("{0} \\/ {{{1}}}", "e", "E"), form("({0})[{1}]", "R", "a"), form("ran({0})", "R"), form("ran({0})", "Q"),
        form("{0} - {1}", "e", "e"),
    ],
    "R": [
        form("{0} \\/ {{{1} |-> {2}}}", "R", "A", "E"), form("{0} <| {1}", "a", "R"), form("{0} |>> {1}", "R", "e"),
        form("{0} * {1}", "a", "e"), form("{0} <+ {{{1} |-> {2}}}", "R", "A", "E"), form("{0} - {1}", "R", "R"),
        form("{{y, z | y : {0} & z = g(y) & z : {1}}}", "a", "e"),
    ],
    "F": [form("{0} <+ {{{1} |-> {2}}}", "F", "A", "N"), form("{0} <<| {1}", "a", "F"),
          form("%y.(y : {0} & y /: {1} | {2})", "a", "a", "N")],
    "Q": [form("tail({0})", "Q"), form("{0} <- {1}", "Q", "E"), form("rev({0})", "Q"), form("front({0})", "Q")],
    "P": [
        form("{0} = {1}", "A", "A"), form("{0} : {1}", "A", "a"), form("{0} < {1}", "N", "N"),
        form("{0} /= {1}", "E", "E"),
        form("{0} |-> {1} : {2}", "A", "E", "R"), form("{0} <: {1}", "a", "a"), form("{0} = {1}", "e", "e"),
        form("not({0})", "P"), form("({0} or {1})", "P", "P"), form("({0} => {1})", "P", "P"),
        form("{0} : S +-> T", "R"), form("#y.(y : {0} & y /: {1})", "a", "a"), form("size({0}) < 2", "Q"),
        form("!(y, z).(y |-> z : {0} => z : {1})", "R", "e"), form("{0} : iseq(T)", "Q"),
        form("{0} /: dom({1})", "A", "F"),
    ],
}  # fmt: skip
CONSTANT["P"] = ["1 = 1", "c /= c", "k = 1"]


def sources(k: Known, name: str, of: str) -> list[str]:
    """Conjuncts that give a name of this type its values from what is known."""
    e = expression
    match of:
        case "A":
            return [
                f"{name} : S", f"{name} : {e(k, 'a')}", f"{name} : dom({e(k, 'R')})", f"{name} = {e(k, 'A')}",
                f"{name} |-> {e(k, 'E')} : {e(k, 'R')}", f"{e(k, 'A')} = {name}",
                f"({name} = {e(k, 'A')} or {name} : {e(k, 'a')})", f"{{{name}}} <: {e(k, 'a')} & {name} : S",
            ]  # fmt: skip
        case "E":
            return [
                f"{name} : T", f"{name} : {e(k, 'e')}", f"{e(k, 'A')} |-> {name} : {e(k, 'R')}",
                f"{name} = {e(k, 'E')}",
                f"{e(k, 'N')} |-> {name} : {e(k, 'Q')}", f"{name} : T - {e(k, 'e')}",
                f"{e(k, 'A')} |-> {e(k, 'N')} |-> {name} : {e(k, 'a')} * (0..1) * {e(k, 'e')}",
            ]  # fmt: skip
        case "N":
            return [
                f"{name} : 0..2", f"{name} : NAT", f"{name} : {e(k, 'N')}..{e(k, 'N')}", f"{name} = {e(k, 'N')}",
                f"{name} >= 0 & {name} <= {e(k, 'N')}", f"{name} + 1 = {e(k, 'N')}", f"{e(k, 'N')} = 2 - {name}",
                f"{e(k, 'A')} |-> {name} : {e(k, 'F')}", f"{name} : NATURAL & {name} < {e(k, 'N')}",
                f"{name} |-> {e(k, 'E')} : {e(k, 'Q')}", f"{name} : ran({e(k, 'F')})",
            ]  # fmt: skip
        case "a":
            return [f"{name} <: {e(k, 'a')}", f"{name} : POW({e(k, 'a')})", f"{name} <: S & card({name}) = {e(k, 'N')}"]
        case "e":
            return [f"{name} <: {e(k, 'e')}", f"{name} = {e(k, 'e')}", f"{name} : {{{e(k, 'e')}, {e(k, 'e')}}}"]
    return [f"{name} : {e(k, 'a')} --> {e(k, 'e')}", f"{name} = {e(k, 'R')}", f"{name} <: {e(k, 'R')}"]


def conditions(k: Known, wanted: dict[str, str]) -> list[str]:
    """Conjuncts in any order that bind all names, each perhaps through others, and tests among them."""
    found: list[str] = []
    known = k
    pairs = [(p, q) for p, t in wanted.items() for q, u in wanted.items() if (t, u) == ("A", "E")]
    if pairs and k.random.random() < 0.3:
        p, q = k.random.choice(pairs)
        found.append(f"{p} |-> {q} : {expression(k, 'R')}")
        known = known.having({p: "A", q: "E"})
    for name, of in k.random.sample(list(wanted.items()), len(wanted)):
        if name not in known.names or k.random.random() < 0.3:
            found.append(k.random.choice(sources(known.shallower(), name, of)))
        known = known.having({name: of})
    found += [expression(known, "P") for _ in range(k.random.choice((0, 1, 1, 2)))]
    k.random.shuffle(found)
    return found


def substitution(k: Known, free: tuple[str, ...], depth: int) -> str:
    """A substitution that writes some of the free variables."""
    if not free or depth == 0:
        return assignment(k, free)

    def inside(names: tuple[str, ...] = free) -> str:
        return substitution(k, names, depth - 1)

    match k.random.randrange(11):
        case 0:
            return f"CHOICE {inside()} OR {inside()} END"
        case 1:
            return f"IF {expression(k, 'P')} THEN {inside()} ELSE {inside()} END"
        case 2:
            return f"SELECT {expression(k, 'P')} THEN {inside()} WHEN {expression(k, 'P')} THEN {inside()} END"
        case 3 | 4:
            wanted = {k.new_name(): k.random.choice("AENae") for _ in range(k.random.choice((1, 1, 2)))}
            where = " & ".join(conditions(k, wanted))
            inner = k.having(wanted)
            return f"ANY {', '.join(wanted)} WHERE {where} THEN {substitution(inner, free, depth - 1)} END"
        case 5 if len(free) > 1:
            return f"BEGIN {inside(free[:1])} || {inside(free[1:])} END"
        case 6:
            return f"BEGIN {inside()} ; {inside()} END"
        case 7:
            name = k.new_name()
            of = k.random.choice("AENa")
            inner = k.having({name: of})
            return f"LET {name} BE {name} = {expression(k, of)} IN {substitution(inner, free, depth - 1)} END"
        case 8 if k.calls:
            return k.random.choice(k.calls).format(n=expression(k, "N"))
        case 9:
            return f"PRE {expression(k, 'P')} THEN {inside()} END"
        case 10:
            return f"SELECT {expression(k, 'P')} THEN {inside()} ELSE {inside()} END"
    return assignment(k, free)


def assignment(k: Known, free: tuple[str, ...]) -> str:
    if not free or k.random.random() < 0.08:
        return "skip"
    name = k.random.choice(free)
    of = VARIABLES[name]
    value = expression(k, of)
    if of == "Q":
        return f"SELECT size({value}) < 3 THEN {name} := {value} END"
    if of == "N" and k.random.random() < 0.3:
        return f"{name} : ({name} : 0..2 & {name} /= {name}$0)"
    if of in WHOLE and k.random.random() < 0.3:
        return f"{name} :: {k.random.choice((WHOLE[of], expression(k, SET_OF[of]) if of in SET_OF else '1..2'))}"
    if of == "F" and k.random.random() < 0.4:
        return f"{name}({expression(k, 'A')}) := {expression(k, 'N')}"
    return f"{name} := {value}"


def operation(k: Known, name: str) -> str:
    wanted = {f"p{i}": k.random.choice("AAEENNaeR") for i in range(k.random.choice((0, 1, 2, 2, 3)))}
    inner = k.having(wanted)
    guard = conditions(k, wanted) or ["1 = 1"]
    result = k.random.random() < 0.3
    body = substitution(inner, k.writable, 2)
    if result:
        body = f"BEGIN res := {expression(inner, k.random.choice('AEN'))} || {body} END"
    text = " & ".join(guard)
    whole = k.random.choice((f"PRE {text} THEN {body} END", f"SELECT {text} THEN {body} END"))
    head = f"{name}({', '.join(wanted)})" if wanted else name
    return f"{'res <-- ' if result else ''}{head} = {whole}"


PROPERTIES = {
    "c": ["c : S"],
    "k": ["k : 0..1", "k = 1", "k : {1, 2} & k /= 2"],
    "g": ["g : S --> T", "g : S +-> T & c : dom(g)", "g = {c |-> e1}", "g : S >-> T"],
    "h": ["h <: T & h /= {}", "h = {e1}", "h <: T & card(h) = 1"],
}
SUB = """MACHINE Sub(top) CONSTRAINTS top : 0..2
VARIABLES v INVARIANT v : 0..3 INITIALISATION v := top
OPERATIONS add(d) = PRE d : 0..1 & v + d < 3 THEN v := v + d END; res <-- get = res := v;
  pick = ANY y WHERE y : 0..top THEN v := y END
END"""
SEEN = """MACHINE Seen SETS T = {e1, e2}
VARIABLES m INVARIANT m : 0..1 INITIALISATION m :: {0, 1} OPERATIONS flip = m := 1 - m END"""


def machine(random: Random) -> dict[str, str]:
    """The files of a random machine, the main one first."""
    writable = tuple(sorted(random.sample(sorted(VARIABLES), random.choice((1, 2, 2, 3)))))
    constants = {"c": "A", "k": "N", "g": "R", "h": "e"}
    clauses, calls, names, sets = [], [], {**constants, **{v: VARIABLES[v] for v in writable}}, "S; T = {e1, e2}"
    files: dict[str, str] = {}
    if random.random() < 0.3:
        files["Sub.mch"] = SUB
        how, prefix = (
            random.choice(("INCLUDES {0}Sub({1}) PROMOTES {0}pick", "EXTENDS {0}Sub({1})")),
            random.choice(("", "b.")),
        )
        clauses.append(how.format(prefix, random.choice(("1", "2", "0"))))
        calls += [f"{prefix}add({{n}})", f"{prefix}pick"]
        names[f"{prefix}v"] = "N"
    if random.random() < 0.25:
        files["Seen.mch"] = SEEN
        clauses.append(f"{random.choice(('SEES', 'USES'))} Seen")
        names["m"] = "N"
        sets = "S"
    k = Known(random, names, writable, tuple(calls))
    properties = " & ".join(random.choice(options) for options in PROPERTIES.values())
    invariant = " & ".join(INVARIANT[VARIABLES[v]].format(v) for v in writable)
    start = " || ".join(f"{v} := {START[VARIABLES[v]]}" for v in writable)
    operations = ";\n  ".join(operation(k, f"op{i}") for i in range(random.choice((1, 2, 3))))
    main = (
        f"MACHINE Main\n{' '.join(clauses)}\nSETS {sets}\nDEFINITIONS scope_S == {random.choice((2, 2, 3))}\n"
        f"CONSTANTS c, k, g, h PROPERTIES {properties}\nVARIABLES {', '.join(writable)}\nINVARIANT {invariant}\n"
        f"INITIALISATION {start}\nOPERATIONS\n  {operations}\nEND\n"
    )
    return {"Main.mch": main, **files}
