"""Sets that begin with a case that depends on few others are looked for first."""

from __future__ import annotations

from pathlib import Path

from quorbit.engines.stubborn import SAFETY, Chooser
from quorbit.model.dependence.facts import bits_of, build_facts
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.ground import ground
from quorbit.pipeline.load import load

# What A does may not change its order with three cases of B, but these wait for A; nobody has to do with C.
WAITED_FOR = """byte x;
bool go;
active proctype A() { x = 2; go = true }
active proctype B() { go; if :: assert(x < 1) :: assert(x < 2) :: assert(x & 1) fi }
active proctype C() { byte z; z = 1; z = 2 }
"""


def test_a_set_with_a_loose_case_is_found_before_others_of_its_size(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(WAITED_FOR, encoding="utf-8")
    system = ground(load(path).system)
    facts, meaning = build_facts(system), Meaning(system)
    (start,) = meaning.initial_states()
    can_run = [firing.command for firing in meaning.enabled(start)]
    tight, loose = sorted(can_run, key=lambda c: facts.of_command[c][0] in set(bits_of(facts.loose)))
    chooser = Chooser(facts, meaning, SAFETY)
    assert chooser.choose(start, can_run) == {loose}
    facts.loose = 0
    assert chooser.choose(start, can_run) == {tight}, "it is tried first where no case is loose, and would do"
