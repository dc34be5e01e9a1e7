"""User-defined primitives against Icarus Verilog: random functions, latches and flip-flops."""

from __future__ import annotations

import random
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from test_verilog_buses import compare, head
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.meaning.share import SharingMeaning
from quorbit.source.span import Source

TICKS = 24
pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog (make oracles)")


def random_function(rng: random.Random) -> str:
    """A primitive of four inputs, some of whose values it may leave open."""
    leaves_open = rng.random() < 0.5
    rows = []
    for values in product("01", repeat=4):
        after = rng.choice("01x") if leaves_open else rng.choice("01")
        if after != "x" or rng.random() < 0.5:
            rows.append(f"{' '.join(values)} : {after};")
    rng.shuffle(rows)
    table = merged(rng, rows)
    ansi = rng.random() < 0.5
    ports = (
        "(output o, input a, input b, input c, input d);"
        if ansi
        else "(o, a, b, c, d); output o; input a, b; input c, d;"
    )
    used = rng.choice(["{name}p i1(o, a, b, c, d);", "{name}p (o, d, !a, b & c, a);", "{name}p #3 (o, a, a, d, 1'b0);"])
    text = f"primitive {{name}}p{ports} table // inputs\n{table} endtable endprimitive"
    return f"{text}\n{head('')} {used.replace('#3 ', '')} endmodule"


def merged(rng: random.Random, rows: list[str]) -> str:
    """Two rows that differ in one input, written as one with ? or b, sometimes."""
    left, done = list(rows), []
    while left:
        row = left.pop()
        place = rng.randrange(4) * 2
        other = f"{row[:place]}{'10'[int(row[place])]}{row[place + 1 :]}"
        if other in left and rng.random() < 0.7:
            left.remove(other)
            row = f"{row[:place]}{rng.choice('?b')}{row[place + 1 :]}"
        done.append(row if "b" in row or rng.random() < 0.7 else row.replace(" ", ""))
    return "\n".join(done)


def random_latch(rng: random.Random) -> tuple[str, str]:
    """Rows of a latch, and how its clock moves."""
    rows = ["0 0 0 0 : ? : 0;"]
    for values in [v for v in product("01", repeat=4) if "1" in v]:
        after = {s: rng.choice("01-") for s in "01"}
        rows += [f"{' '.join(values)} : {s} : {each};" for s, each in after.items()]
    return "\n".join(rows), "posedge"


def random_flip_flop(rng: random.Random) -> tuple[str, str]:
    """Its clock is the first input; the last may set or reset it whatever the clock does."""
    rises, resets = rng.random() < 0.5, rng.choice(["", "0", "1"])
    calm = {"": "?", "0": "1", "1": "0"}[resets]
    edge = rng.choice(["r", "(01)"]) if rises else rng.choice(["f", "(10)"])
    rows = [f"? ? ? {resets} : ? : {rng.choice('01')};"] if resets else []
    for values in product("01", repeat=2):
        after = {s: rng.choice("01-") for s in "01"} if "1" in values else {"0": "1", "1": "0"}
        rows += [f"{edge} {' '.join(values)} {calm} : {s} : {each};" for s, each in after.items()]
    rows += [f"{'(?0)' if rises else '(?1)'} ? ? ? : ? : -;", "? (??) ? ? : ? : -;", "? ? * ? : ? : -;"]
    rows.append("? ? ? * : ? : -;")
    rng.shuffle(rows)
    return "\n".join(rows), "posedge" if rises else "negedge"


def stored(rows: str, edge: str, start: int, clocked: bool) -> str:
    """A register holds what is seen of the primitive before each edge."""
    first = "clk" if clocked else "a"
    table = f"primitive {{name}}p(q, a, b, c, d); output q; reg q; input a, b, c, d; initial q = 1'b{start};"
    top = "module {name}(clk, a, b, c, d); input clk, a, b, c, d; wire q; reg w; initial w = 0;"
    body = f"{{name}}p u(q, {first}, b, c, d); always @({edge} clk) w <= q;"
    return f"{table} table\n{rows}\nendtable endprimitive\n{top} {body} endmodule"


def random_inputs(rng: random.Random) -> list[int]:
    """One input changes at a time, since a primitive looks at each change by itself."""
    found = [0]
    while len(found) < TICKS:
        found.append(found[-1] ^ 1 << rng.randrange(4))
    return found


def simulated(folder: Path, texts: list[str], edges: list[str], given: list[list[int]]) -> list[str]:
    file, program = folder / "all.v", folder / "all.vvp"
    benches = []
    for k, (edge, values) in enumerate(zip(edges, given, strict=True)):
        rest = int(edge == "negedge")
        steps = " ".join(f'i = {v}; #1 $write("%b", u.q); clk = {1 - rest}; #1 clk = {rest}; #1' for v in values)
        top = f"module t{k}; reg clk = {rest}; reg [3:0] i = 0; m{k} u(clk, i[3], i[2], i[1], i[0]);"
        benches.append(f'{top} initial begin #{1 + k * 200} $write("\\n"); {steps} ; end endmodule')
    file.write_text("\n".join([*(text.replace("{name}", f"m{k}") for k, text in enumerate(texts)), *benches]))
    tops = [part for k in range(len(texts)) for part in ("-s", f"t{k}")]
    subprocess.run(["iverilog", "-g2005", "-o", str(program), *tops, str(file)], check=True, capture_output=True)
    out = subprocess.run(["vvp", "-n", str(program)], check=True, capture_output=True, text=True).stdout
    return out.split()


def seen(text: str, values: list[int]) -> str:
    netlist = elaborate(parse_verilog(tokenize(Source("m.v", text.replace("{name}", "m")))), "m", dialect="standard")
    system = system_of(netlist, [])
    meaning = SharingMeaning(system)
    (s,) = meaning.initial_states()
    place = next(k for k, p in enumerate(system.places) if system.atom_name(p.owners[0]) == "w")
    inputs = {atom.name: a for a, atom in enumerate(system.atoms) if atom.sort == "input"}
    assert set(inputs) <= {"a", "b", "c", "d"}
    found = ""
    for value in values:
        given = frozenset(inputs[i] for k, i in enumerate("abcd") if i in inputs and value >> (3 - k) & 1)
        s, violation = meaning.fire(s, Firing(0, (given,) if inputs else ()))
        assert violation is None
        found += str(s[place])
    return found


def compare_stored(folder: Path, seeds: range) -> None:
    texts, edges, given = [], [], []
    for seed in seeds:
        rng = random.Random(seed)
        clocked = rng.random() < 0.6
        rows, edge = random_flip_flop(rng) if clocked else random_latch(rng)
        texts.append(stored(rows, edge, rng.randrange(2) if clocked else 0, clocked))
        edges.append(edge)
        given.append(random_inputs(rng))
    for text, values, shown in zip(texts, given, simulated(folder, texts, edges, given), strict=True):
        assert seen(text, values) == shown, text


def test_functions(tmp_path: Path) -> None:
    compare(tmp_path, [random_function(random.Random(seed)) for seed in range(60)])


def test_latches_and_flip_flops(tmp_path: Path) -> None:
    compare_stored(tmp_path, range(60))


@pytest.mark.soak
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_two_thousand_primitives(start: int, tmp_path: Path) -> None:
    compare_stored(tmp_path, range(start, start + 100))
    compare(tmp_path, [random_function(random.Random(seed)) for seed in range(start, start + 100)])
