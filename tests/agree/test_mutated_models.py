"""Models with mistakes of all kinds, in every language: an answer or a message, in time, and never a traceback."""

from __future__ import annotations

import json
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from tests.agree.damage import mutated

from quorbit.cli.main import main

ROOT = Path(__file__).parent.parent.parent
LARGEST = 1500  # bytes of a model to begin with
SECONDS = 2
PROMELA = """
mtype = { ask, give };
typedef R { byte n; chan c };
chan q = [2] of { mtype, byte }, r = [0] of { byte };
byte x, a[3] = 1; bool b; R rec;
inline bump(v) { v = v + 1 }
proctype P(byte me; chan c) {
  byte k;
  do
  :: atomic { q?ask(k) -> bump(x) } unless { x > 3 }
  :: d_step { x < 3 -> a[x] = me; if :: b -> b = false :: else -> skip fi }
  :: c!me
  :: r?k -> assert(a[k % 3] < 9) :: timeout -> break
  od
}
init { atomic { run P(1, r); run P(2, r) }; q!ask(2); (x == 2) -> q?give(_) }
ltl p { [] (x < 9) }
"""
MACHINE = """MACHINE M
SETS S = {s1, s2, s3}; D
CONSTANTS f, n PROPERTIES f : S --> 0..2 & n = card(D)
VARIABLES x, r, q INVARIANT x <: S & r : D +-> S & q : seq(S) & size(q) < 4
INITIALISATION x := {} || r := {} || q := []
OPERATIONS
  add(e) = PRE e : S & e /: x THEN x := x \\/ {e} || q := q <- e END;
  out <-- get(d) = PRE d : dom(r) THEN out := r(d) END;
  put = ANY d, e WHERE d : D & e : x THEN r(d) := e END;
  swap = SELECT card(x) > 1 THEN CHOICE x := {} OR x := S - x END WHEN !y.(y : x => f(y) > 0) THEN q := [] END
END
"""
BLIF = """.model top
.inputs a b
.outputs o
.latch n s 0
.names a b s n
11- 1
--1 1
.names s o
0 1
.subckt inv x=s y=z
.end
.model inv
.inputs x
.outputs y
.names x y
0 1
.end
"""
AIGER = """aag 7 2 2 1 3 1
2
4
6 8 1
10 13
14
13
8 2 6
12 4 9
14 8 10
i0 a
l0 s
o0 out
"""
VERILOG = """module top(clk, a, out);
  input clk, a; output out;
  parameter N = 2;
  reg [N:0] s; reg [1:0] m [0:3]; wire [3:0] w;
  initial s = 0;
  assign w = {s, a} + 4'd3, out = ^w;
  function [1:0] f; input [1:0] x; f = x << 1; endfunction
  always @(posedge clk) begin
    case (s) 0: s <= f(s) | a; 3'd1: if (a) s <= w[2:0]; else s <= s - 1; default: s <= ~s; endcase
  end
  assert property (s != 7);
endmodule
"""
MURPHI = """const N: 3; most: N - 1;
type Id: scalarset(N); Where: enum { idle, trying, inside }; Count: 0..most;
var at: array[Id] of Where; owner: Id; n: Count; seen: multiset[2] of Id; last: record k: Count; set: boolean end;
function free(): boolean; begin return isundefined(owner) end;
procedure take(var who: Id; i: Id); begin who := i; last.k := n; last.set := true end;
ruleset i: Id do alias me: at[i] do
  rule "try" me = idle ==> me := trying end;
  rule "enter" me = trying & free() ==> var k: Count; begin
    take(owner, i); me := inside; if n < most then n := n + 1; else n := 0; endif;
    for k: Count do if k = n then put k; endif; endfor; multisetadd(i, seen) end;
  rule "leave" me = inside ==> switch n case 0, 1: me := idle else me := trying endswitch; undefine owner end;
end end;
choose j: seen do rule "forget" multisetremove(j, seen) end end;
startstate for i: Id do at[i] := idle end; undefine owner; n := 0; clear last; undefine seen end;
invariant "one" forall i: Id do forall j: Id do at[i] = inside & at[j] = inside -> i = j end end;
"""
FORMULAS = "\\define up (out=1)\nAG (out=0 + EF \\up);\nA(a=1 U !(out=1));\nEG AX a=0 -> AF(s<0>=1);\n"
TEXTS = {
    ".pml": [PROMELA],
    ".mch": [MACHINE],
    ".blif": [BLIF],
    ".aag": [AIGER],
    ".v": [VERILOG],
    ".edges": [],
    ".mv": [],
    ".m": [MURPHI],
}


def seeds(suffix: str) -> list[bytes]:
    found = [*(ROOT / "tests" / "models").rglob(f"*{suffix}"), *(ROOT / "examples").rglob(f"*{suffix}")]
    small = [file.read_bytes() for file in sorted(found) if file.stat().st_size < LARGEST]
    return [*(text.encode() for text in TEXTS[suffix]), *small]


def check(path: Path, *options: str) -> tuple[int, str]:
    out = StringIO()
    limits = ("--timeout", str(SECONDS), "--max-states", "2000", "--no-native", "--json")
    began = time.process_time()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(["check", str(path), *limits, *options])
    assert code in (0, 1, 2, 3)
    assert time.process_time() - began < SECONDS + 3
    return code, out.getvalue()


def examine(path: Path, code: int, out: str) -> None:
    told = json.loads(out)
    assert "internal error" not in out, (path.read_text(errors="replace"), told["message"])
    if code == 1:
        assert told["verdict"] == "fails"
        assert told["trace"] is not None or told["message"]
    elif code == 2:
        assert told["error"]["message"]


@pytest.mark.parametrize("suffix", list(TEXTS))
@pytest.mark.parametrize("cases", [12, pytest.param(2400, marks=pytest.mark.soak)])
def test_models(tmp_path: Path, suffix: str, cases: int) -> None:
    random, texts = Random(cases), seeds(suffix)
    for k in range(cases):
        path = tmp_path / f"model{suffix}"
        path.write_bytes(mutated(texts[0] if k % 2 else random.choice(texts), random))
        examine(path, *check(path))


@pytest.mark.parametrize("cases", [12, pytest.param(600, marks=pytest.mark.soak)])
def test_binary_aiger(tmp_path: Path, cases: int) -> None:
    random = Random(cases)
    whole = b"aig 5 2 1 1 2\n6 0\n10\n" + bytes([2, 2, 4, 3]) + b"i0 a\nl0 s\no0 out\nc\nnothing\n"
    for _ in range(cases):
        path = tmp_path / "model.aig"
        path.write_bytes(mutated(whole, random))
        examine(path, *check(path))


@pytest.mark.parametrize("cases", [12, pytest.param(600, marks=pytest.mark.soak)])
def test_formulas(tmp_path: Path, cases: int) -> None:
    random, model, path = Random(cases), tmp_path / "model.v", tmp_path / "formulas.ctl"
    model.write_text(VERILOG)
    for _ in range(cases):
        path.write_bytes(mutated(FORMULAS.encode(), random))
        examine(path, *check(model, "--property", str(path)))
