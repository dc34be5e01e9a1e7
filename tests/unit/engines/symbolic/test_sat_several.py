"""Many properties by one SAT solver: what one proof finds helps another, and the same states are asked about once."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.symbolic.explore import on_all_paths
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.sat.by_clauses import bad_states, is_about_states
from quorbit.engines.symbolic.sat.several import Known, answer_each
from quorbit.languages.circuits.load import lower_for, read_circuit
from quorbit.languages.options import LoadOptions
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.steps import encode_steps
from quorbit.model.system.system import Property, System
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.frozen import replace

pytest.importorskip("pysat")

RING = """module ring(clk, go); input clk, go; reg [7:0] s; reg late; initial begin s = 1; late = 0; end
  always @(posedge clk) begin late = go & s[0]; if (go) s = {s[6:0], s[7]}; end
endmodule
"""

STOPS = """aag 5 0 4 0 1 2 1
2 1
4 2
6 8
8 6
8
10
5
10 5 2
"""  # the second error is reached in one step, after which a constraint fails


def asked(tmp_path: Path, text: str, suffix: str, formulas: str) -> System:
    path = tmp_path / "design.v"
    path.write_text(text)
    (tmp_path / f"p{suffix}").write_text(formulas)
    (system,) = lower_for(path, read_circuit(path, LoadOptions()), [tmp_path / f"p{suffix}"], LoadOptions()).systems
    return system


def answers(system: System) -> dict[str, Outcome]:
    found: dict[int, Outcome] = {}
    properties = [on_all_paths(p) for p in system.properties]
    answer_each(system, properties, (), Clock(), 10.0, found.__setitem__)
    return {system.properties[k].name: outcome for k, outcome in found.items()}


def test_what_is_proved_of_one_property_is_granted_to_the_next(tmp_path: Path) -> None:
    """That the bits 0 and 1 are never both set needs the others; once these are known it follows in one step."""
    pairs = "".join(f"!(s[{i}]=1 * s[{j}]=1);\n" for i in range(8) for j in range(i))
    system = asked(tmp_path, RING, ".inv", pairs)
    known = Known(encode_steps(system))
    first = known.answer(system.properties[0], None, Clock())
    assert first.verdict is Verdict.HOLDS
    assert len(known.facts.known) > 1
    methods = [known.answer(p, None, Clock()).method for p in system.properties[1:]]
    assert "SAT, induction over 1 steps" in methods


def test_a_run_that_stops_at_the_error(tmp_path: Path) -> None:
    """The proof of the first property looks at runs of two steps, and the second one is broken where none begin."""
    path = tmp_path / "design.aag"
    path.write_text(STOPS)
    questions = ask(load(path), CheckOptions())
    properties = tuple(p for question in questions for p in question.properties)
    found = answers(replace(questions[0].system, properties=properties))
    assert (found["b0"].verdict, found["b0"].method) == (Verdict.HOLDS, "SAT, induction over 3 steps")
    assert found["b1"].verdict is Verdict.FAILS
    assert found["b1"].trace is not None
    assert len(found["b1"].trace.steps) == 1


def test_the_same_states_are_asked_about_once(tmp_path: Path) -> None:
    system = asked(tmp_path, RING, ".ctl", "AG !(s[0]=1 * s[1]=1);\n!EF(s[0]=1 * s[1]=1);\n")
    known = Known(encode_steps(system))
    first, second = (known.answer(p, None, Clock()) for p in system.properties)
    assert (first.property, second.property) == ("p.ctl:1", "p.ctl:2")
    assert (first.verdict, second.verdict) == (Verdict.HOLDS, Verdict.HOLDS)
    assert len(known.answers) == 1


def test_a_run_that_a_proof_finds(tmp_path: Path) -> None:
    """It is longer than the runs that are looked at beside the first levels of the proof."""
    system = asked(
        tmp_path, RING.replace("[7:0]", "[15:0]").replace("[6:0], s[7]", "[14:0], s[15]"), ".inv", "s[15]=0;\n"
    )
    found = answers(system)["p.inv:1"]
    assert found.verdict is Verdict.FAILS
    assert found.trace is not None
    assert len(found.trace.steps) == 15


def test_runs_are_written_once_for_all_properties(tmp_path: Path) -> None:
    """What is assumed of one property on the way to its proof is not taken for granted by another."""
    formulas = "".join(f"!(s[{i}]=1 * s[{i + 1}]=1);\n" for i in range(7)) + "s[0]=1;\n"
    system = asked(tmp_path, RING, ".inv", formulas)
    known = Known(encode_steps(system))
    verdicts = [known.answer(p, None, Clock()).verdict for p in system.properties]
    assert verdicts == [Verdict.HOLDS] * 7 + [Verdict.FAILS]
    assert len(known.facts.from_start.frames) > 1


def test_what_is_to_be_reached(tmp_path: Path) -> None:
    system = asked(tmp_path, RING, ".ctl", "EF s[5]=1;\nEF(s[0]=1 * s[1]=1);\n!AG(s[3]=0);\n")
    found = answers(system)
    assert [found[f"p.ctl:{k}"].verdict for k in (1, 2, 3)] == [Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS]
    assert found["p.ctl:2"].trace is not None


def test_from_one_of_several_initial_states_is_not_enough(tmp_path: Path) -> None:
    text = "module two(clk); input clk; reg a, b; initial b = 0;\n"
    text += "always @(posedge clk) begin b = a; a = a; end endmodule"
    system = asked(tmp_path, text, ".ctl", "EF b=1;\n")
    assert answers(system) == {}


def test_formulas_some_steps_ahead(tmp_path: Path) -> None:
    wanted = {"p.ltl:1": Verdict.HOLDS, "p.ltl:2": Verdict.FAILS, "p.ltl:3": Verdict.HOLDS}
    text = "G(s[0]=1 * late=0 -> X(s[0]=1 + s[1]=1 * X(s[1]=1 + s[2]=1)));\nG(s[0]=1 -> X X s[1]=1);\n"
    system = asked(tmp_path, RING, ".ltl", text + "G(s[0]=1 -> X:3(s[7:4]=b0000));\n")
    found = answers(system)
    assert {name: outcome.verdict for name, outcome in found.items()} == wanted
    trace = found["p.ltl:2"].trace
    assert trace is not None
    assert len(trace.steps) == 2


def test_steps_ahead_are_chosen_one_by_one(tmp_path: Path) -> None:
    system = asked(tmp_path, RING, ".ltl", "G(s[0]=1 -> X X X s[3]=0);\n")
    p: Property = on_all_paths(system.properties[0])
    assert is_about_states(system, p)
    steps = encode_steps(system)
    _, beyond = bad_states(steps, p)
    assert beyond == 3
    assert len(steps.later) == 2


BODIES = (
    *("s[0]=1", "!(s[0]=1)", "AX s[0]=1", "EX s[0]=1", "!AX s[0]=1", "EF s[0]=1", "AF late=0"),
    *("s[0]=1 -> AX s[1]=1", "s[0]=1 -> EX s[1]=1", "s[0]=1 <-> late=1", "s[0]=1 <-> AX late=1"),
    *(
        "EX s[0]=1 * EX s[1]=1",
        "EX s[0]=1 + EX s[1]=1",
        "AX s[0]=1 * AX s[1]=1",
        "AX s[0]=1 + AX s[1]=1",
        "AX EX late=0",
    ),
)


@pytest.mark.parametrize("body", BODIES)
def test_a_formula_is_suitable_if_steps_show_it(tmp_path: Path, body: str) -> None:
    """What is said of a formula at a glance is what comes out when it is written as gates."""
    for formula in (f"AG({body});", f"EF({body});", f"!EF({body});", f"!AG({body});"):
        system = asked(tmp_path, RING, ".ctl", formula)
        steps, p = encode_steps(system), on_all_paths(system.properties[0])
        try:
            bad_states(steps, p)
        except Unsupported:
            assert not is_about_states(system, p), formula
        else:
            assert is_about_states(system, p), formula
