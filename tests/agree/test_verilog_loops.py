"""Loops and blocks of Verilog, left early in all ways there are, do what a plain interpreter of the statements does."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.load import load
from quorbit.languages.options import LoadOptions

Statement = tuple[object, ...]
WIDTH = 4


class Jump(Exception):
    """A path leaves a loop, a round, a block or the function."""


def random_body(rng: random.Random, depth: int, loops: str, blocks: tuple[str, ...] = ()) -> list[Statement]:
    """Statements of a function of x over y and the variables of the loops around."""
    found: list[Statement] = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["add", "add", "if", "if", "for", "leave", "keep", "block"])
        if kind == "if" and depth:
            found.append(("if", random_test(rng, loops), random_body(rng, depth - 1, loops, blocks)))
        elif kind == "for" and depth and len(loops) < 2:
            variable = "ij"[len(loops)]
            found.append(("for", variable, rng.randint(2, 4), random_body(rng, depth - 1, loops + variable, blocks)))
        elif kind == "leave":
            ways = ["break", "continue", "return"] if loops else ["return"]
            found.append(("if", random_test(rng, loops), [(rng.choice([*ways, *blocks]),)]))
        elif kind == "block" and depth:
            name = f"disable b{len(blocks)}"
            found.append(("block", name, random_body(rng, depth - 1, loops, (*blocks, name))))
        elif kind == "keep" and loops:
            found.append(("keep", loops[-1]))
        else:
            found.append(("add", rng.randint(1, 5)))
    return found


def random_test(rng: random.Random, loops: str) -> tuple[str, str | int]:
    kind = rng.choice(["x", "y", "equal"]) if loops else "y"
    return kind, rng.choice(loops) if kind != "y" else rng.randrange(WIDTH)


def written(body: list[Statement]) -> str:
    parts = []
    for s in body:
        match s:
            case ("add", number):
                parts.append(f"y = y + {number};")
            case ("keep", name):
                parts.append(f"y = y ^ {name};")
            case ("if", (kind, about), inner):
                test = {"x": f"x[{about}]", "y": f"y[{about}]", "equal": f"x[1:0] == {about}"}[kind]
                parts.append(f"if ({test}) {written(inner)}")
            case ("for", name, most, inner):
                parts.append(f"for ({name} = 0; {name} < {most}; {name}++) {written(inner)}")
                parts.append(f"y = y + {name};")
            case ("block", name, inner):
                parts.append(written(inner).replace("begin", f"begin : {str(name).split()[1]}", 1))
            case (way,):
                parts.append(f"{way} y;" if way == "return" else f"{way};")
    return f"begin {' '.join(parts)} end"


def run(body: list[Statement], x: int, values: dict[str, int]) -> None:
    for s in body:
        match s:
            case ("add", number):
                values["y"] = (values["y"] + number) % (1 << WIDTH)
            case ("keep", name):
                values["y"] ^= values[name]
            case ("if", (kind, about), inner):
                at = values.get(about, about)
                if {"x": x >> at & 1, "y": values["y"] >> at & 1, "equal": x % 4 == at}[kind]:
                    run(inner, x, values)
            case ("for", name, most, inner):
                run_loop(name, most, inner, x, values)
                values["y"] = (values["y"] + values[name]) % (1 << WIDTH)
            case ("block", name, inner):
                try:
                    run(inner, x, values)
                except Jump as jump:
                    if str(jump) != name:
                        raise
            case (way,):
                raise Jump(way)


def run_loop(name: str, most: int, inner: list[Statement], x: int, values: dict[str, int]) -> None:
    values[name] = 0
    while values[name] < most:
        try:
            run(inner, x, values)
        except Jump as jump:
            if str(jump) == "break":
                return
            if str(jump) != "continue":
                raise
        values[name] += 1


def result(body: list[Statement], x: int) -> int:
    values = {"y": 0, "i": 0, "j": 0}
    with suppress(Jump):
        run(body, x, values)
    return values["y"]


def compare(folder: Path, seed: int) -> bool:
    """Whether some path leaves early."""
    body = random_body(random.Random(seed), 3, "")
    text = written(body)
    checks = "\n".join(f"e{x}: assert property (x != {x} || f(x) == {result(body, x)});" for x in range(1 << WIDTH))
    declared = f"reg [{WIDTH - 1}:0] y; integer i, j;"
    function = (
        f"function [{WIDTH - 1}:0] f(input [{WIDTH - 1}:0] x); {declared} begin y = 0; {text} f = y; end endfunction"
    )
    (folder / "m.v").write_text(f"module m(input clk, input [{WIDTH - 1}:0] x);\n{function}\n{checks}\nendmodule\n")
    system = load(folder / "m.v", LoadOptions())
    assert {o.verdict.value for o in check_all(system, system.properties)} == {"holds"}, (seed, text)
    return any(way in text for way in ("break", "continue", "return", "disable"))


def test_loops_do_what_they_say(tmp_path: Path) -> None:
    assert sum(compare(tmp_path, seed) for seed in range(20)) > 8


@pytest.mark.soak
@pytest.mark.parametrize("start", range(1000, 2000, 100))
def test_loops_do_what_they_say_in_1000_cases(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 100):
        compare(tmp_path, seed)


@pytest.mark.parametrize("way", ["break", "continue", "return", "disable b"])
def test_nothing_to_leave(way: str, tmp_path: Path) -> None:
    (tmp_path / "m.v").write_text(f"module m(input clk); reg r;\nalways @(posedge clk) begin {way}; end\nendmodule\n")
    with pytest.raises(Exception, match=f"{way} must stand inside a (loop|function|block)"):
        load(tmp_path / "m.v", LoadOptions())
