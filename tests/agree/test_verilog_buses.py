"""Shared nets against Icarus Verilog: random modules, every value of their inputs.

Where Icarus shows 0 or 1 so must we; where it shows x or z both values have to be possible.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.meaning.share import SharingMeaning
from quorbit.source.span import Source

INPUTS = ("a", "b", "c", "d")
pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog (make oracles)")


def bit(rng: random.Random) -> str:
    one = lambda: rng.choice([*INPUTS, *INPUTS, *(f"!{i}" for i in INPUTS), "1'b0", "1'b1"])  # noqa: E731
    return rng.choice([one(), one(), f"({one()} & {one()})", f"({one()} | {one()})", f"({one()} ^ {one()})"])


def tree(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["2'bz", "'bz", f"{{{bit(rng)}, {bit(rng)}}}", bit(rng)])
    return f"({bit(rng)} ? {tree(rng, depth - 1)} : {tree(rng, depth - 1)})"


def driver(rng: random.Random, k: int) -> str:
    """One driver of a bus of two bits: gates, an assignment with z somewhere, or an instance."""
    kind = rng.randrange(3)
    if kind == 0:
        gates = [rng.choice(["bufif0", "bufif1", "notif0", "notif1"]) for _ in range(2)]
        return " ".join(f"{gate} g{k}{i}(bus[{i}], {bit(rng)}, {bit(rng)});" for i, gate in enumerate(gates))
    if kind == 1:
        return f"assign bus = {bit(rng)} ? {tree(rng, 1)} : 2'bz;"
    return f"part p{k}({{{bit(rng)}, {bit(rng)}}}, {bit(rng)}, bus);"


def random_bus(rng: random.Random) -> str:
    drivers = [driver(rng, k) for k in range(rng.randint(1, 4))]
    pulls = [f"{rng.choice(['pullup', 'pulldown'])} (bus[{i}]);" for i in range(2) if rng.random() < 0.4]
    ports = "input [1:0] v; input on; output [1:0] bus;"
    part = f"module {{name}}part(v, on, bus); {ports} assign bus = on ? v : 2'bzz; endmodule"
    body = " ".join([*drivers, *pulls]).replace("part p", "{name}part p")
    return f"{part}\n{head('[1:0]')} wire [1:0] bus; {body} assign o = bus; endmodule"


def random_array(rng: random.Random) -> str:
    """Arrays of two instances with two bits each, and of four gates."""
    low = rng.randrange(3)
    two, four = (
        rng.choice([f"{low + 1}:{low}", f"{low}:{low + 1}"]),
        rng.choice([f"{low + 3}:{low}", f"{low}:{low + 3}"]),
    )
    words = ["{a, b, c, d}", "{d, b}", "{2{a, c}}", "w", "{w[0], w[3:2], a}", "w[2:1]"]
    wide = [word for word in words if word not in ("{d, b}", "w[2:1]")]
    ports = "output [W-1:0] o; input [W-1:0] v; input s; parameter W = 1, K = 0;"
    part = f"module {{name}}part(o, v, s); {ports} assign o = s ? v + K : ~v; endmodule"
    gate = rng.choice(["and", "nor", "xnor", "nand", "or"])
    gates = f"{gate} g[{four}](w, {rng.choice(['{a, b, c, d}', bit(rng)])}, {rng.choice(['{d, d, a, b}', bit(rng)])});"
    single = rng.choice([bit(rng), "w[1:0]", "{a, b}"])
    made = f"{{name}}part #(2, {rng.randrange(4)}) u[{two}](.o(o), .v({rng.choice(words)}), .s({single}));"
    if rng.random() < 0.3:
        made = f"{{name}}part u[{four}](o, {rng.choice(wide)}, {rng.choice([bit(rng), *wide])});"
    return f"{part}\n{head('[3:0]')} wire [3:0] w; {gates} {made} endmodule"


def head(size: str) -> str:
    """A module whose register q holds what its output is."""
    ports = f"input clk; input a, b, c, d; output {size} o;"
    return f"module {{name}}(clk, a, b, c, d, o); {ports} reg {size} q; always @(posedge clk) q <= o;"


def simulated(folder: Path, texts: list[str]) -> list[list[str]]:
    """What o is for all values of the inputs, in the order of counting."""
    file, program = folder / "all.v", folder / "all.vvp"
    benches = [
        f"module t{k}; reg clk; reg [3:0] i; m{k} u(clk, i[3], i[2], i[1], i[0], ); initial begin "
        + " ".join(f'i = {value}; #1 $display("{k} %b", u.o);' for value in range(16))
        + " end endmodule"
        for k in range(len(texts))
    ]
    file.write_text("\n".join([*(text.replace("{name}", f"m{k}") for k, text in enumerate(texts)), *benches]))
    tops = [part for k in range(len(texts)) for part in ("-s", f"t{k}")]
    subprocess.run(["iverilog", "-g2005", "-o", str(program), *tops, str(file)], check=True, capture_output=True)
    out = subprocess.run(["vvp", "-n", str(program)], check=True, capture_output=True, text=True).stdout
    found: list[list[str]] = [[] for _ in texts]
    for line in out.splitlines():
        k, value = line.split()
        found[int(k)].append(value)
    return found


def possible(text: str) -> list[set[str]]:
    """What o may be for all values of the inputs, as the register that stores it shows."""
    netlist = elaborate(parse_verilog(tokenize(Source("m.v", text.replace("{name}", "m")))), "m", dialect="standard")
    system = system_of(netlist, [])
    meaning = SharingMeaning(system)
    start = next(iter(meaning.initial_states()))
    places = {system.atom_name(place.owners[0]): k for k, place in enumerate(system.places)}
    bits = [places[name] for name in [*(f"q<{i}>" for i in (3, 2, 1, 0)), "q"] if name in places]
    inputs = {atom.name: a for a, atom in enumerate(system.atoms) if atom.sort == "input"}
    others = [a for name, a in inputs.items() if name not in INPUTS]
    found = []
    for value in range(16):
        given = {inputs[i] for k, i in enumerate(INPUTS) if i in inputs and value >> (3 - k) & 1}
        now = set()
        for chosen in subsets(others):
            s, violation = meaning.fire(start, Firing(0, (frozenset({*given, *chosen}),) if inputs else ()))
            assert violation is None
            now.add("".join(str(s[k]) for k in bits))
        found.append(now)
    return found


def subsets(atoms: list[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(atoms, n) for n in range(len(atoms) + 1))


def meant(shown: str) -> set[str]:
    found = {""}
    for digit in shown:
        found = {f + d for f in found for d in (digit if digit in "01" else "01")}
    return found


def compare(folder: Path, texts: list[str]) -> None:
    for text, shown in zip(texts, simulated(folder, texts), strict=True):
        assert possible(text) == [meant(each) for each in shown], text


def test_buses(tmp_path: Path) -> None:
    compare(tmp_path, [random_bus(random.Random(seed)) for seed in range(60)])


def test_arrays_of_instances(tmp_path: Path) -> None:
    compare(tmp_path, [random_array(random.Random(seed)) for seed in range(60)])


@pytest.mark.soak
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_two_thousand_buses(start: int, tmp_path: Path) -> None:
    compare(tmp_path, [random_bus(random.Random(seed)) for seed in range(start, start + 100)])
    compare(tmp_path, [random_array(random.Random(seed)) for seed in range(start, start + 100)])
