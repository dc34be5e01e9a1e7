"""Shared nets and user-defined primitives of Verilog: how they are written, and what is refused."""

from __future__ import annotations

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import read_properties
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.source.errors import UserError
from quorbit.source.span import Source

HEAD = "module m(clk, a, b, s); input clk, a, b, s;"
FLIP = "primitive f(q, c, d); output q; reg q; input c, d; table {} endtable endprimitive"


def verdicts(text: str, properties: str) -> str:
    netlist = elaborate(parse_verilog(tokenize(Source("test.v", text))))
    system = system_of(netlist, read_properties(Source("p.ctl", properties), ".ctl", netlist))
    return " ".join(o.verdict.value for o in check_all(system, system.properties))


def test_the_driver_that_is_on() -> None:
    text = f"{HEAD} wire o; bufif1 (o, a, s); bufif0 g2(o, b, s); endmodule"
    assert verdicts(text, "AG((s=1 -> o==a) * (s=0 -> o==b));") == "holds"


def test_a_net_that_nobody_drives_is_either_value_unless_it_is_pulled() -> None:
    drivers = "assign o = s ? a : 1'bz; assign o = s ? a : 'bz;"
    assert verdicts(f"{HEAD} wire o; {drivers} endmodule", "EF(s=0 * o=1); EF(s=0 * o=0); AG(s=1 -> o==a);") == (
        "holds holds holds"
    )
    assert verdicts(f"{HEAD} wire o; {drivers} pullup (o); endmodule", "AG(s=0 -> o=1); AG(s=1 -> o==a);") == (
        "holds holds"
    )


def test_z_may_be_put_together() -> None:
    drivers = "assign o = s ? {a, b} : {2{1'bz}}; assign o = s ? {1'bz, 1'bz} : {b, a};"
    assert verdicts(f"{HEAD} wire [1:0] o; {drivers} endmodule", "AG((s=1 -> o[1]==a) * (s=0 -> o[1]==b));") == "holds"


def test_a_bus_through_the_ports_of_instances() -> None:
    unit = "module unit(bus, d, on); inout [1:0] bus; input [1:0] d; input on; assign bus = on ? d : 2'bz; endmodule "
    top = f"{HEAD} wire [1:0] o; unit u(o, 2'd1, s & a), v(o, 2'd2, s & !a), w(o, 2'd3, !s); endmodule"
    properties = "AG(s=0 -> o[1:0]=3); AG(s=1 * a=1 -> o[1:0]=1); AG(s=1 * a=0 -> o[1:0]=2);"
    assert verdicts(unit + top, properties) == "holds holds holds"


def test_arrays_of_gates_and_of_instances() -> None:
    part = "module inv(o, i); output o; input i; assign o = !i; endmodule "
    gates = "bufif1 g[1:0](o, {a, b}, s); bufif0 h[0:1](o, b, s);"
    text = f"{part}{HEAD} wire [1:0] o, p; {gates} inv u[1:0](p, o); endmodule"
    properties = "AG(s=1 -> (o[1]==a) * (o[0]==b)); AG(s=0 -> (o[1]==b) * (o[0]==b)); AG(o[1]=1 <-> p[1]=0);"
    assert verdicts(text, properties) == "holds holds holds"
    assert verdicts(text, "AG(u[0].i==o[0]);") == "holds"


def test_a_table_that_leaves_values_open() -> None:
    text = "primitive both(o, x, y); output o; input x, y; table 00:0;1 1 : 1; // no other\n endtable endprimitive "
    text += f"{HEAD} wire o; both (o, a, b); endmodule"
    assert verdicts(text, "AG(a==b -> o==a); EF(a=1 * b=0 * o=1); EF(a=1 * b=0 * o=0);") == "holds holds holds"


def test_values_without_blanks() -> None:
    text = "primitive mux(output o, input s, input x, input y); table 0b00:0;0B10:0;0?x1:0; endtable endprimitive "
    with pytest.raises(UserError, match=r"inputs : output, with 3 inputs"):
        verdicts(f"{text}{HEAD} wire o; mux (o, s, a, b); endmodule", "AG o=0;")
    text = "primitive mux(output o, input s, input x, input y); table 0?0:0;0B1:1;10b:0;11?:1; endtable endprimitive "
    assert (
        verdicts(f"{text}{HEAD} wire o; mux (o, s, a, b); endmodule", "AG((s=1 -> o==a) * (s=0 -> o==b));") == "holds"
    )


def test_a_latch() -> None:
    text = "primitive lat(q, e, d); output q; reg q; input e, d; initial q = 1'b1; "
    text += (
        f"table 1 0 : ? : 0; 1 1 : ? : 1; 0 ? : ? : -; endtable endprimitive {HEAD} wire q; lat l(q, s, a); endmodule"
    )
    assert verdicts(text, "s=0 -> q=1; AG(s=1 -> q==a); AG(q=1 -> AX(s=0 -> q=1));") == "holds holds holds"


def test_a_flip_flop_that_is_reset() -> None:
    text = "primitive dff(q, c, d, r); output q; reg q; input c, d, r; initial q = 0; table (01) 0 0 : ? : 0; "
    text += "(01) 1 0 : ? : 1; (0?) 1 0 : 1 : 1; ? ? 1 : ? : 0; (?0) ? 0 : ? : -; ? (??) 0 : ? : -; ? ? (?0) : ? : -; "
    text += f"endtable endprimitive {HEAD} wire q; dff #(2, 3) f(q, clk, a, b); endmodule"
    properties = "b=0 -> q=0; AG(b=1 -> q=0); AG(a=1 * b=0 -> AX(b=0 -> q=1)); AG(a=0 -> AX(q=0));"
    assert verdicts(text, properties) == "holds holds holds holds"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD} wire o; bufif1 (o, a); endmodule", "an output, an input and a control"),
        (f"{HEAD} wire o; nmos (o, a, s); endmodule", "nmos is not supported"),
        (
            f"{HEAD} wire o, p; bufif1 (p, a, s); assign o = b ? p : 1'bz; assign o = b ? 1'bz : a; endmodule",
            "p may be z, which passes on to o",
        ),
        (
            f"primitive p(o, x); output o; input x; table 0:1; 0:0; endtable endprimitive {HEAD} p (o, a); endmodule",
            "two rows",
        ),
        (f"primitive p(o, x); output o; input x; table 0 1:1; endtable endprimitive {HEAD} endmodule", "with 1 inputs"),
        (
            f"primitive p(o, x); output o; input x; table r:1; endtable endprimitive {HEAD} endmodule",
            "one edge in a row",
        ),
        (
            f"primitive p(o, x); input o; input x; table 0:1; endtable endprimitive {HEAD} endmodule",
            "has to be the output",
        ),
        (f"primitive p(o, x); output o; input x; table 0:1 endtable endprimitive {HEAD} endmodule", "no semicolon"),
        (f"primitive p(o, x); output o; input x; table 0:1; {HEAD} endmodule", "no endtable"),
        (f"{FLIP.format('r 0:?:0; r 1:?:1; f ?:?:-;')} {HEAD} f (q, clk, a); endmodule", "when input 2 changes"),
        (f"{FLIP.format('r ?:0:1; f ?:1:0; ? *:?:-;')} {HEAD} f (q, clk, a); endmodule", "a flip-flop with one edge"),
        (
            f"{FLIP.format('r 0:?:0; r 1:?:1; f ?:?:-; ? *:?:-;')} {HEAD} f g(q, clk); endmodule",
            "an output and 2 inputs",
        ),
        (
            f"{HEAD} wire [2:0] o; and g[2:0](o, {{a, b}}, s); endmodule",
            "3 instances with 1 bits each cannot share 2 bits",
        ),
        (f"module n(x); input x; endmodule {HEAD} n (a); endmodule", "has no name"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        verdicts(text, "AG clk=clk;")
