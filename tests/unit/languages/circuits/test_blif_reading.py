"""BLIF and BLIF-MV: what is read, and what is said of mistakes."""

from __future__ import annotations

import pytest

from quorbit.languages.circuits.blif.parse import parse
from quorbit.netlists.check import checked
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import ANYTHING, Among, Domain, Netlist, Same
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def read(text: str, is_blif: bool = False) -> Netlist:
    netlist = flatten(parse(Source("test", text), is_blif))
    checked(netlist)
    return netlist


def test_blif_rows_are_cubes_of_the_on_set_or_the_off_set() -> None:
    netlist = read(
        ".model m\n.inputs a b\n.outputs y z one\n.names a b y\n1- 1\n-1 1\n.names a b z\n11 0\n.names one\n1\n", True
    )
    y, z, one = netlist.tables
    assert y.rows[0].inputs == (Among((1,)), ANYTHING)
    assert y.default == (Among((0,)),)
    assert z.rows[0].outputs == (Among((0,)),)
    assert z.default == (Among((1,)),)
    assert one.rows[0].outputs == (Among((1,)),)


def test_blif_table_without_rows_is_the_constant_0() -> None:
    (table,) = read(".model m\n.outputs y\n.names y\n.end\n", True).tables
    assert (table.rows, table.default) == ((), (Among((0,)),))


@pytest.mark.parametrize(("line", "start"), [("a b 1", (1,)), ("a b re clk 0", (0,)), ("a b 2", None), ("a b", None)])
def test_blif_latches_start_as_they_say(line: str, start: tuple[int, ...] | None) -> None:
    netlist = read(f".model m\n.inputs a clk\n.latch {line}\n.end\n", True)
    (latch,) = netlist.latches
    assert (latch.reset.rows[0].outputs[0] if latch.reset else None) == (None if start is None else Among(start))


MV = """
.model m
.inputs go        # a comment
.outputs y
.mv s,n 4 A B C D
.mv k 5
.table k s -> y
.def 0
{0-2} !(A,B) 1
(1, 3) \\
   - 1
.table -> k
-
.table s go -> n
.default =s
A 1 (A,B)
B - C
C 1 =s
.latch n s
.reset s
B
.end
"""


def test_blif_mv_sets_ranges_complements_and_equalities() -> None:
    netlist = read(MV)
    assert netlist.domain("s") == Domain(("A", "B", "C", "D"))
    assert netlist.domain("k").values == ("0", "1", "2", "3", "4")
    y, k, n = netlist.tables
    assert y.rows[0].inputs == (Among((0, 1, 2)), Among((2, 3)))
    assert y.rows[1].inputs == (Among((1, 3)), ANYTHING)
    assert k.rows[0].outputs == (ANYTHING,)
    assert n.default == (Same("s"),)
    assert n.rows[0].outputs == (Among((0, 1)),)
    assert n.rows[2].outputs == (Same("s"),)
    assert netlist.latches[0].reset is not None
    assert netlist.latches[0].reset.rows[0].outputs == (Among((1,)),)


HIERARCHY = """
.model top
.inputs x
.outputs z
.subckt cell c1 in=x out=m
.subckt cell c2 in = m out = z
.end
.model cell
.inputs in
.outputs out
.table in -> d
- =in
.latch d out
.r out
0
.end
"""


def test_hierarchy_is_flattened_with_prefixes_and_aliases() -> None:
    netlist = read(HIERARCHY)
    assert [(latch.input, latch.output) for latch in netlist.latches] == [("c1.d", "m"), ("c2.d", "z")]
    assert netlist.resolve("c2.in") == "m"
    assert netlist.resolve("c1.in") == "x"


def test_an_input_that_an_instance_leaves_out_may_be_anything() -> None:
    inner = ".model inner\n.inputs a b\n.outputs y\n.mv b 3 r g b\n.table a b -> y\n1 r 1\n.default 0\n.end\n"
    netlist = read(f".model top\n.inputs x\n.outputs z\n.subckt inner u a=x y=z\n.end\n{inner}")
    assert netlist.notes == ("nothing is connected to the input u.b: it may be anything",)
    (free,) = [table for table in netlist.tables if table.outputs == ("u.b",)]
    assert (free.inputs, free.rows[0].outputs, netlist.domain("u.b").values) == ((), (ANYTHING,), ("r", "g", "b"))


def test_names_table_and_r_are_other_words_for_the_same() -> None:
    short = MV.replace(".table", ".names").replace(".reset", ".r").replace(".default", ".def").replace(" ->", "")
    short = short.replace(".names k\n-", ".names  k\n-")
    assert read(short) == read(MV)


MISTAKES = [
    (".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n.names y\n1\n", True, "y is driven twice", 6),
    (
        ".model m\n.inputs a\n.outputs y\n.table a -> y\n.def 0 1\n1 1\n",
        False,
        "2 default values for a table with 1 outputs",
        5,
    ),
    (".model m\n.inputs a\n.outputs y\n.table a -> y\n1 1 1\n", False, "3 entries, its table has 2 columns", 5),
    (".model m\n.inputs a\n.outputs y\n.table a -> y\n1 1\n", False, "says nothing for the inputs 0", 4),
    (".model m\n.outputs y\n.table x -> y\n- 1\n", False, "x is read by the table of y but nothing drives it", 3),
    (".model m\n.outputs y\n.table y -> x\n- 1\n.table x -> y\n- 1\n", False, "combinational cycle", 3),
    (".model m\n.mv y 3 A B C\n.outputs y\n.table -> y\nQ\n", False, "Q is not a value of y", 5),
    (".model m\n.mv y 3 A B C\n.outputs y\n.table -> y\n!\n", False, "nothing is not a value of y", 5),
    (".model m\n.mv y 3 A B\n.outputs y\n", False, "3 values are announced and 2 are listed", 2),
    (".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n0 0\n", True, "mixes rows of the on-set and of the off-set", 6),
    (".model m\n.inputs a\n.outputs y\n.subckt cell c p=a\n", False, "there is no model cell", 4),
    (".model m\n.inputs a\n.subckt m c a=a\n", False, "contains itself", 3),
    (".model m\n.gate nand2 A=a B=b O=c\n", True, "library", 2),
    (".model m\n.inputs a\n.mv a 3\n.outputs y\n.table a -> y\n.def 0\n=b 1\n", False, "different domains", 7),
    (".model m\n.latch a s\n.latch b a\n.table -> b\n0\n.r s\n.r a\n0\n", False, "says nothing at all", 6),
    (".model m\n.inputs i\n.latch i s\n.latch i t\n.r t -> s\n- 0\n.r s -> t\n- 0\n", False, "depends on itself", 5),
    (".model m\n.nonsense x\n", False, ".nonsense is not a directive", 2),
    ("1 1\n", False, "only after .table", 1),
    ("", False, "no .model", 1),
    (".model m\n.outputs y\n.table -> y\n(0,1\n", False, "not closed", 4),
]


@pytest.mark.parametrize(("text", "is_blif", "message", "line"), MISTAKES)
def test_mistakes_are_told_with_their_line(text: str, is_blif: bool, message: str, line: int) -> None:
    with pytest.raises(UserError) as caught:
        read(text, is_blif)
    assert message in caught.value.render()
    assert caught.value.span.line == line


def test_several_nets_driven_twice_are_all_told() -> None:
    text = ".model m\n.inputs a b\n.table -> a\n0\n.table -> b\n1\n"
    with pytest.raises(UserError) as caught:
        read(text)
    assert [d.span.line for d in caught.value.diagnostics] == [3, 5]


def test_skipped_directives_and_don_t_cares_change_nothing() -> None:
    plain = ".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n"
    noisy = plain + ".default_input_arrival 0 0\n.area 3\n.exdc\n.names a y\n0 1\n.end\n"
    assert read(plain, True).tables == read(noisy, True).tables
