"""Circuits that store the number of a choice: every symmetry that is found maps steps to steps, value of the index
included, and no answer depends on whether it is used.

The states and steps are those of the reference meaning on the circuit as it was read; what a permutation of `pick=2`
does to a state is worked out here from its name.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import quorbit.detection.indices
from quorbit.detection.detect import Symmetry
from quorbit.detection.functions.fields import Following
from quorbit.detection.functions.influence import renamable
from quorbit.detection.indices import decode_indices, effect_of
from quorbit.detection.reveal import reveal, reveal_meant
from quorbit.groups.chain import order
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.fields.field import Field
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.system import State, System
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

STORED = re.compile(r"(?P<field>.+)=(?P<value>\d+)")
Values = dict[str, int]  # of latches by name


def written(n: int, index: str, flags: list[str]) -> str:
    return f"""module top(clk, req, pick);
  input clk; input [{n - 1}:0] req; input [1:0] pick;
  reg [1:0] index; reg [{n - 1}:0] flag;
  initial begin index = 0; flag = 0; end
  always @(posedge clk) begin
    {index}
    {" ".join(flags)}
  end
endmodule
"""


def random_circuit(rng: random.Random, n: int) -> str:
    following = f"(index == {n - 1}) ? 0 : index + 1"
    chosen = " ".join(f"if (req == {1 << i}) index <= {i};" for i in range(n))
    given = "index <= pick;" if n == 4 else f"if (pick < {n}) index <= pick;"
    index = rng.choice([f"index <= {following};", f"if (req[index]) index <= {following};", chosen, given])
    own = ["req[{i}]", "req[{i}] & (index == {i})", "flag[{i}] ^ (index == {i})", "(index != {i}) & flag[{i}]",
           "flag[{next}] & (index == {i})", "(pick == {i}) | (flag[{i}] & ~req[{i}])"]  # fmt: skip
    shape = rng.choice(own)
    shapes = [shape if rng.random() < 0.93 else rng.choice(own) for _ in range(n)]
    return written(n, index, [f"flag[{i}] <= {s.format(i=i, next=(i + 1) % n)};" for i, s in enumerate(shapes)])


def reachable(system: System) -> dict[State, set[State]]:
    """Every state with those that it leads to."""
    meaning = Meaning(system)
    found: dict[State, set[State]] = {}
    waiting = list(meaning.initial_states())
    while waiting:
        s = waiting.pop()
        if s not in found:
            found[s] = {move.target for move in meaning.moves(s)}
            waiting += found[s]
    return found


def values_of(system: System, s: State) -> Values:
    return {system.atoms[place.owners[0]].name: int(v) for place, v in zip(system.places, s, strict=True)}  # type: ignore[call-overload]


def image(found: Symmetry, names: list[str], g: Permutation, values: Values) -> Values | None:
    """Where a permutation of latches and of values of indices moves a state; None if it has an unknown value."""
    held = dict(values)
    for field in found.decoded.fields if found.decoded is not None else ():
        bits = [f"{field.name}<{i}>" for i in range(len(field.atoms))]
        if bits[0] not in held:
            continue  # an input
        number = sum(held.pop(bit) << i for i, bit in enumerate(bits))
        if number not in field.values:
            return None
        held.update({f"{field.name}={v}": int(v == number) for v in field.values})
    moved = {names[g[names.index(name)]]: value for name, value in held.items()}
    for name in [name for name in moved if STORED.fullmatch(name)]:
        match = STORED.fullmatch(name)
        assert match is not None
        if moved.pop(name):
            number = int(match["value"])
            width = sum(name.startswith(f"{match['field']}<") for name in values)
            moved.update({f"{match['field']}<{i}>": number >> i & 1 for i in range(width)})
    return moved


def confirm(model: Path) -> int:
    """The order of the group, each generator of which maps the steps of the circuit to steps."""
    loaded = load(model).system
    system, found = reveal(loaded, ())
    names = [atom.name for atom in system.atoms]
    steps = reachable(loaded)
    by_values = {tuple(sorted(values_of(loaded, s).items())): s for s in steps}
    for g in found.group.generators:
        moved = {s: image(found, names, g, values_of(loaded, s)) for s in steps}
        assert None not in moved.values(), "a value was taken for impossible"
        keys = {s: tuple(sorted(m.items())) for s, m in moved.items() if m is not None}
        for s, following in steps.items():
            if keys[s] in by_values:  # else the start does not lead to the image
                image_of = by_values[keys[s]]
                assert {keys[t] for t in following} == {
                    tuple(sorted(values_of(loaded, t).items())) for t in steps[image_of]
                }
    return order(found.group)


def compare(folder: Path, seed: int) -> int:
    rng = random.Random(seed)
    n = rng.choice([3, 3, 4])
    model = folder / "top.v"
    model.write_text(random_circuit(rng, n))
    some = " + ".join(f"(flag<{i}>=1 * flag<{(i + 1) % n}>=1)" for i in range(n))
    for formula in (f"AG !({some})", f"AG EF !({some})", f"AF ({some})"):
        answers = set()
        for way in ({}, {"symmetry": "off"}, {"engine": "explicit"}, {"engine": "temporal"}):
            engine = way.get("engine")
            if engine is None or (engine == "explicit") == (formula[:3] == "AG "[:3] and "EF" not in formula):
                (result,) = check(load(model), CheckOptions(properties=(formula,), **way)).results  # type: ignore[arg-type]
                answers.add(result.verdict)
        assert len(answers) == 1, (seed, formula, model.read_text())
    return confirm(model)


@pytest.mark.parametrize("seed", range(4))
def test_indices_are_renamed_only_where_steps_stay_steps(seed: int, tmp_path: Path) -> None:
    compare(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_indices_are_renamed_only_where_steps_stay_steps_in_300_cases(block: int, tmp_path: Path) -> None:
    orders = [compare(tmp_path, seed) for seed in range(100 + 15 * block, 115 + 15 * block)]
    assert max(orders) > 1


ROUND_ROBIN = ("index <= index + 1;", ["flag <= 0;", "flag[index] <= req[index];"], 4)
LOCK = (
    " ".join(f"if (flag == {1 << i}) index <= {i};" for i in range(4)),
    [f"flag[{i}] <= req[{i}] & (index != {i});" for i in range(4)],
    24,
)
FIXED_PRIORITY = ("index <= req[0] ? 0 : req[1] ? 1 : 2;", ["flag[index] <= 1;"], 1)


@pytest.mark.parametrize(("index", "flags", "expected"), [ROUND_ROBIN, LOCK, FIXED_PRIORITY])
def test_the_values_of_an_index_move_with_what_they_name(
    index: str, flags: list[str], expected: int, tmp_path: Path
) -> None:
    model = tmp_path / "top.v"
    model.write_text(written(4, index, flags))
    assert confirm(model) == expected


def test_a_pointer_that_counts_to_two_has_rotations(tmp_path: Path) -> None:
    """What would happen at 3, which is never reached, hides nothing; each flag may be inverted with its request."""
    model = tmp_path / "top.v"
    model.write_text(written(3, "index <= (index == 2) ? 0 : index + 1;", ["flag[index] <= req[index];"]))
    assert confirm(model) == 3 * 2**3


def random_ring(rng: random.Random) -> str:
    """Up to three cells of two words and a bit, all made alike but for few; some words are never 3."""
    m, last = rng.choice([1, 2, 3]), rng.choice([2, 3])
    count = f"c{{j}} <= (c{{j}} == {last}) ? 0 : c{{j}} + 1;"
    shapes = [
        rng.choice([count, f"if (go[{{j}}]) {count}", "c{j} <= go[{j}] ? pick : c{j};", "if (f{k}) c{j} <= c{k};",
                    "c{j} <= {{c{j}[0], go[{j}]}};", "c{j} <= c{j} ^ c{k};"]),
        rng.choice(["x{j} <= c{j};", "x{j} <= x{k};", "x{j} <= (c{j} == pick) ? x{j} : c{k};",
                    "x{j} <= x{j} + go[{j}];", "if (c{j} == 3) x{j} <= {j}; else x{j} <= c{j};"]),
        rng.choice(["f{j} <= c{j} == x{k};", "f{j} <= (c{j} == 2) & go[{j}];", "f{j} <= f{k} ^ (c{j} == pick);",
                    "f{j} <= x{j} == 3;", "f{j} <= go[{j}];", "f{j} <= c{j} != 0;"]),
    ]  # fmt: skip
    declared = [f"reg [1:0] c{j}, x{j}; reg f{j}; initial begin c{j} = 0; x{j} = 0; f{j} = 0; end" for j in range(m)]
    steps = [
        (shape if rng.random() < 0.94 else rng.choice(shapes)).format(j=j, k=(j + 1) % m)
        for j in range(m)
        for shape in shapes
    ]
    return f"""module top(clk, go, pick); input clk; input [3:0] go; input [1:0] pick;
  {" ".join(declared)}
  always @(posedge clk) begin {" ".join(steps)} end
endmodule
"""


def compare_with_all_decoded(monkeypatch: pytest.MonkeyPatch, folder: Path, seed: int) -> bool:
    """Whether a field was left out, after the comparison of what is found then with what is found without counting."""
    rng = random.Random(seed)
    model = folder / "top.v"
    model.write_text(random_ring(rng) if seed % 2 else random_circuit(rng, rng.choice([3, 4])))
    special = specialise(load(model).system)
    known = reveal_meant(special)[1].group
    left_out = []

    def counted(followed: Following) -> list[Field]:
        left_out.append(len(found := renamable(followed)) < len(followed.fields))
        return found

    told = []
    for listed in (counted, lambda followed: followed.fields):
        monkeypatch.setattr(quorbit.detection.indices, "renamable", listed)
        found = decode_indices(special.system, known)
        fields = [] if found is None or found.decoded is None else sorted(f.name for f in found.decoded.fields)
        told.append((1 if found is None else effect_of(found), fields))
    assert told[0] == told[1], (seed, model.read_text())
    return any(left_out)


def test_counting_leaves_out_no_field_that_shows_a_symmetry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert sum(compare_with_all_decoded(monkeypatch, tmp_path, seed) for seed in range(24)) >= 2


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_counting_leaves_out_no_field_in_2000_cases(
    block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        compare_with_all_decoded(monkeypatch, tmp_path, seed)
