"""What stays: the first message of a queue while others send, a scratch variable in every image of the start."""

from __future__ import annotations

from pathlib import Path

from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.chains import scratch_constants
from quorbit.model.dependence.facts import build_facts, is_untouched, style_of
from quorbit.model.dependence.footprint import HEAD, TAIL
from quorbit.model.specialise.ground import ground
from quorbit.model.system.command import Branch, Command, assign
from quorbit.model.system.expression import TRUE, Apply, Atoms, Bound, Operator, Parameter, Read, atom, equal, number
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import Number, QueueOf
from quorbit.model.system.walk import walk
from quorbit.pipeline.load import load

QUEUE = """chan q = [2] of { byte };
active proctype Sends() { do :: q!1 :: q!2 od }
active proctype Takes() { do :: q?1 :: q?2 od }
"""


def loaded(path: Path, text: str) -> System:
    path.write_text(text, encoding="utf-8")
    return ground(load(path).system)


def test_taking_a_message_changes_which_one_is_first(tmp_path: Path) -> None:
    system = loaded(tmp_path / "queue.pml", QUEUE)
    facts = build_facts(system)
    reads = {r for c in system.commands for r in walk(c.guard) if isinstance(r, Read)}
    (queue,) = (r for r in reads if isinstance(system.variable[r.variable].type, QueueOf))
    found = {style_of(facts.reader, c, queue): c for c in facts.cases}
    first = Apply(Operator.FIRST, (queue,))
    assert is_untouched(facts.reader, found[TAIL], first)
    assert not is_untouched(facts.reader, found[HEAD], first)


def test_an_expression_stays_only_where_all_of_it_stays(tmp_path: Path) -> None:
    """Who sends and counts leaves the first message, and changes the number it is compared with."""
    text = QUEUE.replace("do :: q!1 :: q!2 od", "byte n; do :: atomic { q!1; n++ } od")
    system = loaded(tmp_path / "queue.pml", text)
    facts = build_facts(system)
    reads = {r for c in system.commands for r in walk(c.guard) if isinstance(r, Read)}
    (queue,) = (r for r in reads if isinstance(system.variable[r.variable].type, QueueOf))
    (sends,) = (case for case in facts.cases if style_of(facts.reader, case, queue) == TAIL)
    counted = next(i for i in sends.writes if system.places[i].type == Number(0, 255))
    number_read = Read(system.places[counted].variable, tuple(map(atom, system.places[counted].owners)))
    first = Apply(Operator.FIRST, (queue,))
    assert is_untouched(facts.reader, sends, first)
    assert not is_untouched(facts.reader, sends, equal(first, number_read))


def test_a_scratch_variable_is_constant_only_if_every_image_of_the_start_agrees() -> None:
    """Both processes leave 0 behind, and so does the start in the place of the first; its image does not."""
    p = Bound("p")
    scratch = Read("x", (p,))
    steps = (Branch(equal(scratch, number(0)), (assign((scratch, number(1))),)), assign((scratch, number(0))))
    start = assign((Read("x", (atom(0),)), number(0)), (Read("x", (atom(1),)), number(1)))
    system = System(
        "scratch",
        (Atom("P0", "process"), Atom("P1", "process")),
        (Variable("x", Number(0, 1), ((0, 1),)),),
        (Command("use", TRUE, steps, (Parameter("p", Atoms((0, 1))),), (p,)),),
        (Command("start", TRUE, (start,)),),
    )
    reader = Reader(ground(system))
    assert scratch_constants(reader, ()) == {0: 0}
    assert scratch_constants(reader, ((1, 0),)) == {}
