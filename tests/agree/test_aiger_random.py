"""Random AIGER files with constraints, justice, fairness and uninitialised latches, against a search of all states.

Each is written in ASCII with its gates in any order and in binary, and both must be answered alike and rightly.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import product

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.aiger.read import parse_aiger

State = tuple[bool, ...]  # latches, then inputs


@dataclass
class Aig:
    inputs: int
    latches: list[tuple[int, int | None]] = field(default_factory=list)  # next literal, first value (None: any)
    gates: list[tuple[int, int]] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    constraints: list[int] = field(default_factory=list)
    justice: list[list[int]] = field(default_factory=list)
    fairness: list[int] = field(default_factory=list)

    @property
    def first_gate(self) -> int:
        return 1 + self.inputs + len(self.latches)


def random_aig(rng: random.Random) -> Aig:
    aig = Aig(rng.randint(0, 2), [(0, 0)] * rng.randint(1, 3))
    for k in range(rng.randint(0, 8)):
        left, right = sorted((rng.randrange(2 * (aig.first_gate + k)) for _ in "lr"), reverse=True)
        aig.gates.append((left, right))
    top = 2 * (aig.first_gate + len(aig.gates))
    literal = lambda: rng.randrange(top)  # noqa: E731
    aig.latches = [(literal(), rng.choice([0, 0, 1, None])) for _ in aig.latches]
    aig.bad = [literal() for _ in range(rng.randint(0, 2))]
    aig.constraints = [literal() for _ in range(rng.choice([0, 0, 1, 2]))]
    aig.justice = [[literal() for _ in range(rng.randint(1, 2))] for _ in range(rng.randint(0, 2))]
    aig.fairness = [literal() for _ in range(rng.choice([0, 0, 1]))]
    if not aig.bad and not aig.justice:
        aig.bad = [literal()]
    return aig


def header(aig: Aig, kind: str) -> str:
    counts = [aig.inputs, len(aig.latches), 0, len(aig.gates), len(aig.bad), len(aig.constraints)]
    counts += [len(aig.justice), len(aig.fairness)]
    return f"{kind} {aig.first_gate + len(aig.gates) - 1} {' '.join(map(str, counts))}\n"


def tail(aig: Aig) -> str:
    lines = [*aig.bad, *aig.constraints, *(len(j) for j in aig.justice), *(x for j in aig.justice for x in j)]
    return "".join(f"{x}\n" for x in (*lines, *aig.fairness))


def start_of(aig: Aig, k: int) -> int:
    first = aig.latches[k][1]
    return 2 * (1 + aig.inputs + k) if first is None else first


def ascii_text(aig: Aig, rng: random.Random) -> bytes:
    text = header(aig, "aag") + "".join(f"{2 * (k + 1)}\n" for k in range(aig.inputs))
    for k, (following, _) in enumerate(aig.latches):
        text += f"{2 * (1 + aig.inputs + k)} {following} {start_of(aig, k)}\n"
    lines = [f"{2 * (aig.first_gate + k)} {a} {b}\n" for k, (a, b) in enumerate(aig.gates)]
    rng.shuffle(lines)
    return (text + tail(aig) + "".join(lines) + "c\nmade at random\n").encode()


def binary_text(aig: Aig) -> bytes:
    text = header(aig, "aig") + "".join(f"{n} {start_of(aig, k)}\n" for k, (n, _) in enumerate(aig.latches)) + tail(aig)
    gates = b"".join(
        delta(2 * (aig.first_gate + k) - left) + delta(left - right) for k, (left, right) in enumerate(aig.gates)
    )
    return text.encode() + gates


def delta(value: int) -> bytes:
    found = []
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def values(aig: Aig, s: State) -> list[bool]:
    latches, inputs = s[: len(aig.latches)], s[len(aig.latches) :]
    found = [False, *inputs, *latches]
    for left, right in aig.gates:
        found.append(is_on(found, left) and is_on(found, right))
    return found


def is_on(found: list[bool], literal: int) -> bool:
    return found[literal >> 1] != bool(literal & 1)


def expected(aig: Aig) -> dict[str, str]:
    """The verdicts, by going through all states that satisfy the constraints."""
    bits = [False, True]
    firsts = [bits if first is None else [bool(first)] for _, first in aig.latches]
    allowed: dict[State, list[bool]] = {}
    for s in product(bits, repeat=len(aig.latches) + aig.inputs):
        found = values(aig, s)
        if all(is_on(found, c) for c in aig.constraints):
            allowed[s] = found
    inputs = list(product(bits, repeat=aig.inputs))
    after = {
        s: [t for i in inputs if (t := (*(is_on(found, n) for n, _ in aig.latches), *i)) in allowed]
        for s, found in allowed.items()
    }
    reached = dict.fromkeys(s for s in ((*a, *i) for a in product(*firsts) for i in inputs) if s in allowed)
    waiting = list(reached)
    while waiting:
        for t in after[waiting.pop()]:
            if t not in reached:
                reached[t] = None
                waiting.append(t)
    answers = {f"b{k}": any(is_on(allowed[s], x) for s in reached) for k, x in enumerate(aig.bad)}
    for k, group in enumerate(aig.justice):
        answers[f"j{k}"] = has_fair_loop(reached, after, allowed, [*group, *aig.fairness])
    return {name: "fails" if found else "holds" for name, found in answers.items()}


def has_fair_loop(
    reached: dict[State, None], after: dict[State, list[State]], found: dict[State, list[bool]], often: list[int]
) -> bool:
    """Whether some state lies on a loop whose states all together meet every condition."""

    def from_(s: State) -> set[State]:
        seen: set[State] = set()
        waiting = list(after[s])
        while waiting:
            t = waiting.pop()
            if t not in seen:
                seen.add(t)
                waiting += after[t]
        return seen

    ahead = {s: from_(s) for s in reached}
    for s in reached:
        component = [t for t in ahead[s] if s in ahead[t]]
        if component and all(any(is_on(found[t], x) for t in component) for x in often):
            return True
    return False


def verdicts(data: bytes) -> dict[str, str]:
    netlist = parse_aiger("random.aig", data)
    system = system_of(netlist, [])
    return {o.property: o.verdict.value for o in check_all(system, system.properties)}


@pytest.mark.parametrize("seed", range(12))
def test_verdicts_are_those_of_a_plain_search(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(3):
        aig = random_aig(rng)
        assert verdicts(ascii_text(aig, rng)) == expected(aig), ascii_text(aig, rng).decode()
        assert verdicts(binary_text(aig)) == expected(aig)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 400))
def test_verdicts_are_those_of_a_plain_search_in_900_cases(seed: int) -> None:
    test_verdicts_are_those_of_a_plain_search(seed)
