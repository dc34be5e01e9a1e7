"""Two circuits as functions: equal, different with an input that shows it, not comparable; one function per orbit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.detection.netlists.equivalence import compare
from quorbit.languages.circuits.blif.parse import parse
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.span import Source

ADDER = """.model adder
.inputs a b c
.outputs s co
.names a b c s
100 1
010 1
001 1
111 1
.names a b c co
11- 1
1-1 1
-11 1
.end
"""
RIPPLE = """.model ripple
.inputs a b c
.outputs s co
.names a b x
10 1
01 1
.names x c s
10 1
01 1
.names a b g
11 1
.names x c p
11 1
.names g p co
1- 1
-1 1
.end
"""


def blif(text: str) -> Netlist:
    return flatten(parse(Source("c.blif", text), True))


def selectors(n: int, wrong: int | None = None) -> str:
    """n bits, each and-ed with an enable; one of them may be or-ed."""
    lines = [".model m", ".inputs e " + " ".join(f"x{i}" for i in range(n))]
    lines.append(".outputs " + " ".join(f"y{i}" for i in range(n)))
    for i in range(n):
        lines += [f".names e x{i} y{i}", *(["1- 1", "-1 1"] if i == wrong else ["11 1"])]
    return "\n".join([*lines, ".end", ""])


def test_two_adders_are_equal() -> None:
    assert compare(blif(ADDER), blif(RIPPLE)).equivalent


def test_an_input_shows_the_difference() -> None:
    found = compare(blif(ADDER), blif(RIPPLE.replace(".names a b g\n11 1", ".names a b g\n1- 1")))
    assert (found.equivalent, found.different) == (False, "output co")
    a, b, c = (int(found.inputs[name]) for name in "abc")
    assert (a + b + c >= 2) != bool(a or ((a ^ b) and c))


def test_one_function_of_each_orbit_is_compared() -> None:
    found = compare(blif(selectors(6)), blif(selectors(6)))
    assert found.equivalent
    assert found.orbits == (tuple(f"output y{i}" for i in range(6)),)
    wrong = compare(blif(selectors(6)), blif(selectors(6, 4)))
    assert not wrong.equivalent
    assert wrong.different == "output y4"
    assert sorted(map(len, wrong.orbits)) == [1, 5]


def test_latches_are_compared_by_their_next_and_first_values() -> None:
    one = ".model m\n.inputs i\n.outputs q\n.latch n q 0\n.names i q n\n10 1\n01 1\n.end\n"
    assert compare(blif(one), blif(one)).equivalent
    assert compare(blif(one), blif(one.replace("q 0", "q 1"))).different == "first q"
    assert compare(blif(one), blif(one.replace("01 1", "11 1"))).different == "next q"


CHOOSING = """.model m
.outputs q
.mv q,d,c 3
.latch d q
.reset q
{first}
.table c
{choice}
.table q c -> d
- 0 =q
- 1 2
- 2 {last}
.end
"""


def choosing(first: str = "(0,1)", choice: str = "(0,1)", last: str = "0") -> Netlist:
    return flatten(parse(Source("m.mv", CHOOSING.format(first=first, choice=choice, last=last)), False))


def test_choices_and_first_values_are_among_the_same_values() -> None:
    assert compare(choosing(), choosing()).equivalent
    assert compare(choosing(), choosing(first="0\n1")).equivalent
    assert compare(choosing(), choosing(first="(1,2)")).different == "first q"
    assert compare(choosing(), choosing(first="0")).different == "first q"
    assert compare(choosing(), choosing(choice="(1,2)")).different == "choice c"


def test_values_that_are_never_chosen_make_no_difference() -> None:
    assert compare(choosing(last="0"), choosing(last="1")).equivalent
    found = compare(choosing(choice="(1,2)", last="0"), choosing(choice="(1,2)", last="1"))
    assert found.different == "next q"
    assert found.inputs["c"] == "2"


def test_a_name_may_be_an_input_here_and_inside_there() -> None:
    first = ".model a\n.inputs a b\n.outputs y\n.names a b y\n11 1\n"
    second = ".model b\n.inputs a\n.outputs y\n.names a b\n1 1\n.names a b y\n11 1\n"
    one, other = (flatten(parse(Source("m", text), True)) for text in (first, second))
    assert compare(one, other).inputs == {"a": "1", "b": "0"}


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UserError, match="has output co"):
        compare(blif(ADDER), blif(ADDER.replace(".outputs s co", ".outputs s")))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a.blif", ADDER), ("b.blif", RIPPLE)):
        (tmp_path / name).write_text(text)
    (tmp_path / "c.v").write_text(
        "module m(a,b,c,s,co); input a,b,c; output s,co; assign {co,s} = a + b + (c & a); endmodule"
    )
    assert main(["equivalent", str(tmp_path / "a.blif"), str(tmp_path / "b.blif")]) == 0
    assert capsys.readouterr().out.startswith("EQUIVALENT")
    assert main(["equivalent", str(tmp_path / "a.blif"), str(tmp_path / "c.v"), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "different"
    assert answer["inputs"]["a"] == "0"
    assert answer["inputs"]["c"] == "1"
