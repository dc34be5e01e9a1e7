"""Property files in VIS's words: propositions, fairness, and what is refused."""

from __future__ import annotations

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of, systems_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.properties import read_properties
from quorbit.model.system.system import Invariant, Temporal
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.span import Source

# A counter of two bits that steps when go is 1, and a mode that follows an input of three values.
TEXT = """.model counter
.inputs go wish
.outputs high
.mv wish, mode, follow 3 LOW MID TOP
.table go c<0> -> n<0>
1 0 1
1 1 0
0 - =c<0>
.table go c<0> c<1> -> n<1>
.def =c<1>
1 1 0 1
1 1 1 0
.table c<1> go -> high
.def 0
1 1 1
.table wish -> follow
- =wish
.latch n<0> c<0>
.latch n<1> c<1>
.latch follow mode
.r c<0>
0
.r c<1>
0
.r mode
LOW
.end
"""


def netlist() -> Netlist:
    return flatten(parse(Source("counter.mv", TEXT), False))


def answers(text: str, suffix: str = ".ctl", fair: str = "") -> list[str]:
    n = netlist()
    stated = read_properties(Source(f"p{suffix}", text), suffix, n)
    stated += read_properties(Source("p.fair", fair), ".fair", n) if fair else []
    system = system_of(n, stated)
    return [o.verdict.value for o in check_all(system, system.properties)]


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("AG(c[1:0]=3 -> EX c=0);", "holds"),
        ("AG(c[1:0]=b11 -> EX c=x0);", "holds"),
        ("AG(c=3 -> AX c=0);", "fails"),
        ("AG(c=3 -> AX(c=0 + c=3));", "holds"),
        ("EF(c<0>=1 * c<1>=1);", "holds"),
        ("EF c<0>=1 * c<1>=1;", "fails"),
        ("AG(mode={LOW,MID,TOP});", "holds"),
        ("AG !(mode!=LOW);", "fails"),
        ("AG EF(mode=TOP);", "holds"),
        ("AF c=1;", "fails"),
        ("A(c=0 U c=1);", "fails"),
        ("A(c=0 W c=1);", "holds"),
        ("E(c=0 U c=1);", "holds"),
        ("AG(c=2 -> A(c=2 W c=3));", "holds"),
        ("AX:3 (c=3 -> mode==mode);", "holds"),
        ("EX:3 c=3;", "holds"),
        ("AX:2 c!=3;", "holds"),
        ("\\define top (c=3)\nEF \\top;", "holds"),
        ("AG(c[1:0]==c[1:0]);", "holds"),
        ("AG(TRUE ^ FALSE);", "holds"),
        ("AG(c<=3);", "holds"),
        ("AG(c[1:0] < 3);", "fails"),
        ("AG(c>=2 <-> c<1>=1);", "holds"),
        ("AG(c>0 -> EX c<3);", "holds"),
        ("EF c>2;", "holds"),
        ("AG c<4;", "holds"),
        ("EG(c=0 <-> mode=LOW);", "holds"),
    ],
)
def test_verdicts_of_ctl(formula: str, verdict: str) -> None:
    assert answers(formula) == [verdict]


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [("G F c=0;", "fails"), ("G(c=0 -> X(c=0 + c=1));", "holds"), ("F G c=0 + G F c=1;", "fails")],
)
def test_verdicts_of_ltl(formula: str, verdict: str) -> None:
    assert answers(formula, ".ltl") == [verdict]


def test_fairness_restricts_paths_and_is_ctl_star_below() -> None:
    assert answers("AG AF c=0;") == ["fails"]
    assert answers("AG AF c=0;", fair="c=1;") == ["fails"]
    assert answers("AG AF c=0;", fair="c=1; c=2;") == ["holds"]
    assert answers("EG c=0;") == ["holds"]
    assert answers("EG c=0;", fair="c=1;") == ["fails"]
    assert answers("G F c=0;", ".ltl", fair="c=1; c=2;") == ["holds"]


def test_ltl_is_about_fair_runs_also_without_temporal_operators() -> None:
    free = flatten(parse(Source("t.blif", ".model t\n.inputs i\n.outputs x\n.latch x x 2\n.end\n"), True))
    fair = read_properties(Source("t.fair", "x=1;"), ".fair", free)
    stated = read_properties(Source("t.ltl", "x=1; (x=1) * G(x=0 + x=1); x=0;"), ".ltl", free)
    (system,) = systems_of(free, [*stated, *fair])
    assert [o.verdict.value for o in check_all(system, system.properties)] == ["holds", "holds", "fails"]


def test_formulas_that_branch_have_states_of_their_own() -> None:
    n = netlist()
    texts = "EX c=1 * EX c=0; AG(go=1 * c=0 -> AX c=1); AG EX mode=TOP;"
    systems = systems_of(n, read_properties(Source("p.ctl", texts), ".ctl", n))
    assert [[p.name for p in system.properties] for system in systems] == [["p.ctl:1", "p.ctl:1.3"], ["p.ctl:1.2"]]
    assert [len(system.places) for system in systems] == [3, 4]
    assert {o.verdict.value for s in systems for o in check_all(s, s.properties)} == {"holds"}


def test_mealy_nets_and_inputs_are_read_in_the_state_they_belong_to() -> None:
    assert answers("AG(high=1 -> c<1>=1);") == ["holds"]
    assert answers("AG(high=1 -> go=1);") == ["holds"]
    assert answers("AG(c<1>=1 -> high=1);") == ["fails"]
    assert answers("AG(go=1 * c=0 -> AX c=1);") == ["holds"]
    assert answers("AG(wish=TOP -> AX mode=TOP);") == ["holds"]
    assert answers("AG EX high=0;") == ["holds"]
    assert answers("EG high=1;") == ["fails"]


def test_kinds_of_properties() -> None:
    n = netlist()
    stated = read_properties(Source("p.inv", "c[1:0]!=3;"), ".inv", n)
    system = system_of(n, stated + read_properties(Source("p.ctl", "AG c<0>=0; AF c<0>=1;"), ".ctl", n))
    assert [type(p) for p in system.properties] == [Invariant, Invariant, Temporal]
    assert [p.name for p in system.properties] == ["p.inv:1", "p.ctl:1", "p.ctl:1.2"]


@pytest.mark.parametrize(
    ("text", "suffix", "message"),
    [
        ("AG(d=1);", ".ctl", "there is no net d"),
        ("AG(mod=LOW);", ".ctl", "did you mean mode"),
        ("AG(top.c=1);", ".ctl", "did you mean c?"),
        ("AG(mode=HIGH);", ".ctl", "HIGH is not a value of mode"),
        ("AG(c[1:0]=5);", ".ctl", "not a value of the 2 bits"),
        ("AG(mode);", ".ctl", "not a single bit"),
        ("F c=1;", ".ctl", "under a path quantifier"),
        ("AG c=1;", ".inv", "no temporal operators"),
        ("AG(c=1", ".ctl", "not closed"),
        ("AG(mode={});", ".ctl", "empty"),
        ("G c=1;", ".fair", "under a path quantifier"),
        ("AG c=1;", ".psl", "ends in"),
        ("AG(c=1) AF c=1;", ".ctl", "expected"),
        ("(" * 100_000, ".ctl", "nested"),
        ("AG(c=1 + (c=0 U c=1));", ".ctl", "directly under a path quantifier"),
        ("E(c=1 * (c=0 U c=1));", ".ctl", "directly under a path quantifier"),
        ("A(G F c=1 -> F c=0);", ".ctl", "directly under a path quantifier"),
        ("AG E(c=1);", ".ctl", "directly under a path quantifier"),
        ("AG(!E c=1 U c=0);", ".ctl", "put brackets after E"),
        ("AG c=1;", ".ltl", "no path quantifiers"),
        ("AG(mode<TOP);", ".ctl", "a number is expected"),
        ("AG(mode<1);", ".ctl", "have no order"),
        ("AG(d<1);", ".ctl", "there is no net d"),
    ],
)
def test_refused(text: str, suffix: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_properties(Source(f"p{suffix}", text), suffix, netlist())
    assert message in caught.value.render()
