"""The own Verilog reader against Icarus Verilog: random modules, random inputs, every register after every tick."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of
from verilog_random import Module, random_module

from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.system import State, System
from quorbit.source.span import Source

TICKS = 12
pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog (make oracles)")


def stimuli(rng: random.Random, module: Module) -> list[dict[str, int]]:
    return [{word.name: rng.randrange(1 << word.width) for word in module.inputs} for _ in range(TICKS)]


Shown = list[list[str]]  # the registers after every tick


def simulated(folder: Path, modules: list[Module], given: list[list[dict[str, int]]]) -> list[Shown | None]:
    """What Icarus Verilog says; None for a module that it translates into what its own simulator cannot read."""
    try:
        return list(simulate(folder, modules, given))
    except subprocess.CalledProcessError:
        if len(modules) == 1:
            return [None]
    half = len(modules) // 2
    return [*simulated(folder, modules[:half], given[:half]), *simulated(folder, modules[half:], given[half:])]


def simulate(folder: Path, modules: list[Module], given: list[list[dict[str, int]]]) -> list[Shown]:
    file, program = folder / "all.v", folder / "all.vvp"
    texts = [bench(k, module, steps) for k, (module, steps) in enumerate(zip(modules, given, strict=True))]
    file.write_text("\n".join(texts))
    tops = [part for k in range(len(modules)) for part in ("-s", f"t{k}")]
    subprocess.run(["iverilog", "-g2012", "-o", str(program), *tops, str(file)], check=True, capture_output=True)
    out = subprocess.run(["vvp", "-n", str(program)], check=True, capture_output=True, text=True).stdout
    found: list[Shown] = [[] for _ in modules]
    for line in out.splitlines():
        number, *values = line.split()
        found[int(number)].append(values)
    return found


def bench(k: int, module: Module, steps: list[dict[str, int]]) -> str:
    words = " ".join(f"reg [{w.width - 1}:0] {w.name};" for w in module.inputs)
    shown = ", ".join(f"u.{r.name}" for r in module.registers)
    tell = f'#1 clk = 1; #1 clk = 0; #1 $display("{k} {" ".join("%b" for _ in module.registers)}", {shown});'
    drive = [" ".join([*(f"{name} = {value};" for name, value in step.items()), tell]) for step in steps]
    first = f"module t{k}; reg clk; {words} m{k} u(clk, x, y, b);\ninitial begin clk = 0; #1"
    return "\n".join([module.text.replace("{name}", f"m{k}"), first, *drive, "end endmodule"])


def run(module: Module, steps: list[dict[str, int]]) -> Shown:
    """The same by the System that is made of the module."""
    system = system_of(elaborate(parse_verilog(tokenize(Source("m.v", module.text.replace("{name}", "m"))))), [])
    meaning = SharingMeaning(system)
    (s,) = meaning.initial_states()
    found = []
    for step in steps:
        s, violation = meaning.fire(s, Firing(0, binding(system, step)))
        assert violation is None
        found.append([register(system, s, r.name, r.width) for r in module.registers])
    return found


def binding(system: System, step: dict[str, int]) -> tuple[frozenset[int], ...]:
    chosen = frozenset(a for a, atom in enumerate(system.atoms) if atom.sort == "input" and bit(step, atom.name))
    return (chosen,) if system.commands[0].parameters else ()


def bit(step: dict[str, int], name: str) -> bool:
    word, _, rest = name.partition("<")
    return bool(step[word] >> int(rest.rstrip(">") or 0) & 1) if word in step else False


def register(system: System, s: State, name: str, width: int) -> str:
    values = {system.atom_name(place.owners[0]): value for place, value in zip(system.places, s, strict=True)}
    return "".join(str(values[f"{name}<{i}>"]) for i in reversed(range(width)))


def compare(folder: Path, seeds: range) -> None:
    modules = [random_module(random.Random(seed)) for seed in seeds]
    given = [stimuli(random.Random(seed), module) for seed, module in zip(seeds, modules, strict=True)]
    expected = simulated(folder, modules, given)
    for seed, module, steps, wanted in zip(seeds, modules, given, expected, strict=True):
        assert wanted is None or run(module, steps) == wanted, f"seed {seed}\n{module.text}"
    assert sum(wanted is None for wanted in expected) <= len(modules) // 20


def test_registers_hold_what_icarus_says(tmp_path: Path) -> None:
    compare(tmp_path, range(40))


@pytest.mark.soak
@pytest.mark.parametrize("start", range(1000, 4000, 100))
def test_registers_hold_what_icarus_says_of_3000_modules(start: int, tmp_path: Path) -> None:
    compare(tmp_path, range(start, start + 100))
