"""Every operator's value, compared with results worked out by hand; S = {a, b, c} is deferred, C = {red, green}."""

from __future__ import annotations

import pytest

from quorbit.languages.b.meaning.evaluator import IllDefined, Unbounded
from quorbit.languages.b.meaning.query import evaluate_text
from quorbit.languages.b.meaning.reference import Reference
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.syntax.show import show_value
from quorbit.languages.b.types.types import BOOL, PREDICATE, Given, SetOfType

TYPES = {
    "S": SetOfType(Given("S")), "C": SetOfType(Given("C")), "a": Given("S"), "b": Given("S"), "c": Given("S"),
    "red": Given("C"), "green": Given("C"),
}  # fmt: skip
UNIVERSE = Universe(
    {"S": (0, 1, 2), "C": (3, 4)}, ("a", "b", "c", "red", "green"), frozenset({"S"}), 3, -1, dict(TYPES)
)
ENV = {"S": frozenset((0, 1, 2)), "C": frozenset((3, 4)), "a": 0, "b": 1, "c": 2, "red": 3, "green": 4}

VALUES = r"""
1 + 2 * 3 = 7
2 ** 3 ** 2 = 512
7 / 2 = 3
-7 / 2 = -3
7 mod 3 = 1
2 - 5 = -3
-(2 + 3) = -5
MAXINT = 3
MININT = -1
NAT = {0, 1, 2, 3}
NAT1 = {1, 2, 3}
INT = {-1, 0, 1, 2, 3}
1 .. 3 = {1, 2, 3}
3 .. 1 = {}
min({3, 1}) = 1
max({3, 1}) = 3
succ(3) = 4
pred(3) = 2
S - {a} = {b, c}
S \ {a, b} = {c}
{a, b} \/ {c} = {a, b, c}
{a, b} /\ {b, c} = {b}
{a} * C = {a |-> red, a |-> green}
card(S * C) = 6
POW(C) = {{}, {red}, {green}, {red, green}}
POW1(C) = {{red}, {green}, {red, green}}
FIN(C) = {{}, {red}, {green}, {red, green}}
FIN1(C) = {{red}, {green}, {red, green}}
union({{a}, {b}}) = {a, b}
inter({{a, b}, {b}}) = {b}
card(S <-> C) = 64
card(S <<-> C) = 27
card(S <->> C) = 49
card(S <<->> C) = 25
card(S +-> C) = 27
card(S --> C) = 8
card(S >+> C) = 13
card(C >-> S) = 6
card(S >-> C) = 0
card(S +->> C) = 12
card(S -->> C) = 6
card(S >+>> C) = 6
card(S >->> S) = 6
{a |-> red}~ = {red |-> a}
{a |-> red, b |-> green}[{a}] = {red}
{a |-> red, b |-> green}(b) = green
dom({a |-> red}) = {a}
ran({a |-> red}) = {red}
{a} <| {a |-> red, b |-> green} = {a |-> red}
{a} <<| {a |-> red, b |-> green} = {b |-> green}
{a |-> red, b |-> green} |> {red} = {a |-> red}
{a |-> red, b |-> green} |>> {red} = {b |-> green}
{a |-> red} <+ {a |-> green, b |-> red} = {a |-> green, b |-> red}
({a |-> b} ; {b |-> c}) = {a |-> c}
({a |-> b} || {red |-> green}) = {(a |-> red) |-> (b |-> green)}
{a |-> b} >< {a |-> c} = {a |-> (b |-> c)}
id(C) = {red |-> red, green |-> green}
closure1({a |-> b, b |-> c}) = {a |-> b, a |-> c, b |-> c}
closure({a |-> b}) = {a |-> a, a |-> b, b |-> b, c |-> c}
iterate({a |-> b, b |-> c}, 2) = {a |-> c}
iterate({a |-> b}, 0) = {a |-> a, b |-> b, c |-> c}
prj1(C, {1}) = {(red |-> 1) |-> red, (green |-> 1) |-> green}
prj2(C, {1}) = {(red |-> 1) |-> 1, (green |-> 1) |-> 1}
fnc({a |-> 1, a |-> 2}) = {a |-> {1, 2}}
rel({a |-> {1, 2}}) = {a |-> 1, a |-> 2}
[a, b] ^ [c] = {1 |-> a, 2 |-> b, 3 |-> c}
a -> [b] = {1 |-> a, 2 |-> b}
[b] <- a = {1 |-> b, 2 |-> a}
[a, b, c] /|\ 2 = {1 |-> a, 2 |-> b}
[a, b, c] \|/ 2 = {1 |-> c}
size([a, b]) = 2
first([a, b]) = a
last([a, b]) = b
front([a, b]) = {1 |-> a}
tail([a, b]) = {1 |-> b}
rev([a, b, c]) = {1 |-> c, 2 |-> b, 3 |-> a}
conc([[a], [], [b, c]]) = {1 |-> a, 2 |-> b, 3 |-> c}
perm(C) = {{1 |-> red, 2 |-> green}, {1 |-> green, 2 |-> red}}
card(iseq(S)) = 16
card(iseq1(S)) = 15
SIGMA(x).(x : 1 .. 4 | x * x) = 30
PI(x).(x : 1 .. 4 | x) = 24
UNION(x).(x : S | {x |-> x}) = {a |-> a, b |-> b, c |-> c}
INTER(x).(x : 1 .. 3 | 0 .. x) = {0, 1}
%(x).(x : 1 .. 3 | x + 1) = {1 |-> 2, 2 |-> 3, 3 |-> 4}
%(x, y).(x : 1 .. 2 & y : {x} | x + y) = {(1 |-> 1) |-> 2, (2 |-> 2) |-> 4}
%(x).(x : NATURAL | x * x)(7) = 49
{x | x : 1 .. 10 & x mod 3 = 0} = {3, 6, 9}
{x, y | x : 1 .. 2 & y : 1 .. 2 & x < y} = {1 |-> 2}
{x | x > 4 & x <= 6} = {5, 6}
{s | s <: {1, 2} & card(s) = 1} = {{1}, {2}}
{x | x : {1, 2} or x = 7} = {1, 2, 7}
{x, y | x |-> y : {1 |-> 2, 2 |-> 3} & x = 2} = {2 |-> 3}
{1, 2} /\ NATURAL1 = {1, 2}
{-1, 2} - NATURAL = {-1}
{1, 2} <| %(x).(x : INTEGER | x + 1) = {1 |-> 2, 2 |-> 3}
bool(1 < 2) = TRUE
rec(a: 1, b: TRUE)'b = TRUE
rec(b: 1, a: 2) = rec(a: 2, b: 1)
struct(x: 1 .. 1, y: BOOL) = {rec(x: 1, y: FALSE), rec(x: 1, y: TRUE)}
IF 1 < 2 THEN a ELSE b END = a
IF 1 > 2 THEN a ELSIF 1 > 3 THEN b ELSE c END = c
LET x BE x = 3 IN x + 1 END = 4
(1, 2, 3) = ((1 |-> 2) |-> 3)
"a b" = "a b"
"""

TRUE_ONES = """
not(1 = 2) & (2 = 2 or 3 = 4)
1 = 2 => 1 = 3
1 = 1 <=> 2 = 2
1 /= 2
a /: {b, c}
{a} <: S
{a, b} /<: {a}
{a} <<: S
S /<<: S
1 < 2 & 2 <= 2 & 3 > 2 & 3 >= 3
!x.(x : 1..3 => x < 4)
#x.(x : 1..3 & x > 2)
#(x, y).(x : S & y : S & x /= y)
not(#x.(x : 1..3 & x > 3))
#x.(x : NATURAL & x > 10 & x < 20)
#x.(x : NATURAL & x > 10)
7 : {x | x : NATURAL & x > 5}
-1 /: NATURAL
{1} <: NATURAL
NATURAL1 <: NATURAL & NATURAL <: INTEGER
[a] : seq(S) & [] /: seq1(S) & [a, a] /: iseq(S) & [a] : iseq1(S)
[a, b, c] : perm(S) & [a] /: perm(S)
{a |-> 1} : S +-> NATURAL & {a |-> 1} /: S --> NATURAL
{a |-> 1, a |-> 2} : S <-> 1..2
%x.(x : S | 1) : S --> 1..1
rec(x: 1, y: TRUE) : struct(y: BOOL, x: NATURAL)
"x" : STRING
{{a}} <: POW(S) & {a} : POW1(S) & {} /: FIN1(S)
(a |-> red) : S * C
1 : INTEGER
btrue & not(bfalse)
IF 1 = 1 THEN 2 = 2 ELSE 2 = 3 END
LET x BE x = 1 IN x < 2 END
"""

UNDEFINED = [
    "{a |-> red}(b)", "{a |-> 1, a |-> 2}(a)", "1 / 0", "5 mod 0", "(0 - 5) mod 2", "2 ** (0 - 1)", "min({} /\\ {1})",
    "max({} /\\ {1})", "inter({} /\\ {{a}})", "INTER(x).(x : 1..0 | {x})", "first([] /|\\ 0)", "last(tail([a]))",
    "tail(tail([a]))", "[a] /|\\ 2", "size({2 |-> a})", "%x.(x : NATURAL | x)(0 - 1)",
]  # fmt: skip


def evaluate(text: str) -> tuple[object, str, Reference]:
    reference = Reference(UNIVERSE)
    value, of = evaluate_text(reference, text, dict(ENV))
    return value, show_value(UNIVERSE, BOOL if of == PREDICATE else of, value), reference


@pytest.mark.parametrize("line", VALUES.strip().splitlines())
def test_value_by_hand(line: str) -> None:
    expression, _, expected = line.rpartition(" = ")
    if expected.startswith("rec(a: 2"):
        assert evaluate(line)[0] == 1
    else:
        assert evaluate(expression)[1] == expected


@pytest.mark.parametrize("line", TRUE_ONES.strip().splitlines())
def test_true_predicates(line: str) -> None:
    value, _, reference = evaluate(line)
    assert value == 1
    assert not reference.cuts


@pytest.mark.parametrize("text", UNDEFINED)
def test_ill_defined(text: str) -> None:
    with pytest.raises(IllDefined) as caught:
        evaluate(text)
    assert caught.value.span.text


def test_a_conjunct_protects_those_after_it() -> None:
    assert evaluate("!x.(x : {a, b} => (x : dom({a |-> 1}) => {a |-> 1}(x) = 1))")[0] == 1
    assert evaluate("#(y, x).(x : S & y : 1..2 & x |-> y : {a |-> 1} & {a |-> 1}(x) = y)")[0] == 1


def test_an_endless_enumeration_is_noted() -> None:
    value, _, reference = evaluate("card({x | x : NATURAL & 1 = 1} /\\ {9}) = 1 & !x.(x : NATURAL => x >= 0)")
    assert value == 1
    [cut] = reference.cuts.values()
    assert cut.message == "x is enumerated only from 0 to 3 here; --maxint and --minint widen this"


def test_an_infinite_set_has_no_size() -> None:
    with pytest.raises(Unbounded):
        evaluate("card(NATURAL)")
