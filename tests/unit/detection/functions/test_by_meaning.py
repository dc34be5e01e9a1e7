"""Functions by what they compute: the same values as written, and every symmetry of the functions, no other."""

from __future__ import annotations

import random
from itertools import permutations, product
from math import factorial
from pathlib import Path

import pytest

from quorbit.detection.detect import detect
from quorbit.detection.functions.by_meaning import by_meaning
from quorbit.groups.chain import order
from quorbit.groups.group import restrict
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System
from quorbit.pipeline.load import load

NETS = ["a0", "a1", "a2", "w0", "w1", "w2"]
GATES = ["&", "|", "^"]


def gates(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(["", "~"]) + rng.choice(NETS)
    parts = [gates(rng, depth - 1) for _ in range(3)]
    if rng.random() < 0.25:
        return f"({parts[0]} ? {parts[1]} : {parts[2]})"
    joined = f" {rng.choice(GATES)} ".join(parts[: rng.choice([2, 3])])
    return f"{rng.choice(['', '~'])}({joined})"


def circuit(folder: Path, functions: list[str], wires: str = "") -> System:
    n = len(functions)
    names = [f"a{k}" for k in range(n)]
    inputs = [f"w{k}" for k in range(n)]
    lines = [f"module top(clk, {', '.join(inputs)}); input clk; input {', '.join(inputs)}; reg {', '.join(names)};"]
    lines += [f"initial {name} = 0;" for name in names]
    lines.append(wires)
    lines += [f"always @(posedge clk) {name} <= {f};" for name, f in zip(names, functions, strict=True)]
    file = folder / "circuit.v"
    file.write_text("\n".join([*lines, "endmodule", ""]))
    return load(file).system


def steps(system: System) -> dict[tuple[object, ...], object]:
    """The next state for every state and all inputs."""
    meaning, command = Meaning(system), system.commands[0]
    found = {}
    for s in product(*([0, 1] for _ in system.places)):
        for env in meaning.bindings(command, s):
            found[s, tuple(sorted(env.get("inputs", ())))] = meaning.run_effect(command, s, env)  # type: ignore[arg-type]
    return found


def symmetries(system: System) -> int:
    """How many permutations of latches and of inputs map steps to steps, by trying all."""
    table = steps(system)
    latches, inputs = len(system.places), [a for a, atom in enumerate(system.atoms) if atom.sort == "input"]
    count = 0
    for p in permutations(range(latches)):
        for q in permutations(inputs):
            move = dict(zip(inputs, q, strict=True))
            image = lambda s, p=p: tuple(s[p.index(i)] for i in range(latches))  # noqa: E731
            count += all(
                table[image(s), tuple(sorted(move[a] for a in given))] == image(t)  # type: ignore[attr-defined]
                for (s, given), t in table.items()
            )
    return count


def compare(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    shape = gates(rng, 2)
    functions = [shape, gates(rng, 2), gates(rng, 2)]
    if rng.random() < 0.7:  # cells that are alike, written in different ways
        turn = lambda k: "".join(c if not c.isdigit() else str((int(c) + k) % 3) for c in shape)  # noqa: E731
        functions = [shape, f"~(~{turn(1)})", f"({turn(2)} & a0) | (~a0 & {turn(2)})"]
    system = circuit(folder, functions)
    written = by_meaning(ground(system))
    assert written is not None
    assert steps(written) == steps(system), seed
    found = detect(system, (), meant=True).group
    moving = [a for a, atom in enumerate(system.atoms) if atom.sort in ("latch", "input")]
    assert order(restrict(found, moving)) == symmetries(system), (seed, functions)


@pytest.mark.parametrize("block", range(3))
def test_random_functions_have_the_symmetries_that_trying_all_finds(block: int, tmp_path: Path) -> None:
    for seed in range(block * 6, block * 6 + 6):
        compare(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(40))
def test_1000_random_functions_have_the_symmetries_that_trying_all_finds(block: int, tmp_path: Path) -> None:
    for seed in range(1000 + block * 25, 1025 + block * 25):
        compare(tmp_path, seed)


WRITTEN = {
    "gates in a row": "wire x = ((a0 | a1) | a2) | a3;",
    "gates in a tree with negations": "wire x = ~(~(a3 | a1) & ~a0 & ~a2);",
    "gates that are shared": "wire p = a0 | a1; wire q = p | a2; wire x = q | a3; wire y = q & p & x;",
    "a sum": "wire [2:0] sum = {2'b0, a0} + {2'b0, a1} + {2'b0, a2} + {2'b0, a3}; wire x = sum >= 2;",
    "an exclusive or": "wire x = a0 ^ (a3 ^ (a2 ^ a1));",
    "choices": "wire x = a0 ? 1'b1 : a1 ? 1'b1 : a2 ? 1'b1 : a3;",
    "a majority": "wire x = (a0 & a1) | (a0 & a2) | (a0 & a3) | (a1 & a2) | (a1 & a3) | (a2 & a3);",
}


@pytest.mark.parametrize("wires", WRITTEN.values(), ids=WRITTEN.keys())
def test_how_a_function_is_written_hides_no_symmetry(wires: str, tmp_path: Path) -> None:
    system = circuit(tmp_path, [f"w{k} & ~x" for k in range(4)], wires)
    assert order(detect(system, (), meant=True).group) == 24


def test_functions_of_many_sources_are_flattened(tmp_path: Path) -> None:
    n = 30
    only = [f"wire o{k} = w{k} & ~({' | '.join(f'w{j}' for j in range(n) if j != k)});" for k in range(n)]
    system = circuit(tmp_path, [f"a{k} ^ o{k}" for k in range(n)], "\n".join(only))
    assert order(detect(system, (), meant=True).group) == factorial(n)
