"""Several files as one machine, definitions, sizes, properties."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.b.load import load, load_lowered, load_typed, read_property
from quorbit.languages.b.meaning.explore import Animator, Exploration, explore
from quorbit.languages.b.syntax.compose import compose
from quorbit.languages.b.types.infer_machine import infer_machine
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Invariant, Temporal
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span


def write(folder: Path, **texts: str) -> Path:
    """Files of these names; the first is the main machine."""
    for name, text in texts.items():
        path = folder / name.replace("__", ".")
        path.write_text(text, encoding="utf-8")
    return folder / next(iter(texts)).replace("__", ".")


def run(path: Path, options: LoadOptions | None = None, static_symmetry: bool = False) -> Exploration:
    machine, universe, _ = load_typed(path, options or LoadOptions())
    return explore(Animator(machine, universe, static_symmetry))


COUNTER = "MACHINE c(m) CONSTRAINTS m : 1..3 VARIABLES n INVARIANT n : 0..m INITIALISATION n := 0 "
COUNTER += "OPERATIONS up = PRE n < m THEN n := n + 1 END; r <-- get = r := n END"


def test_prefixes_rename_variables_and_operations(tmp_path: Path) -> None:
    main = "MACHINE a INCLUDES x.c(1), y.c(2) PROMOTES x.up OPERATIONS "
    main += "both = PRE x.n = 1 & y.n < 2 THEN y.up END; "
    main += "r <-- sum = VAR p, q IN p <-- x.get; q <-- y.get; r := p + q END END"
    path = write(tmp_path, a__mch=main, c__mch=COUNTER)
    machine = infer_machine(compose(path))
    assert [v.name for v in machine.variables] == ["x.n", "y.n"]
    assert [o.name for o in machine.operations] == ["both", "sum", "x.up"]
    assert run(path).counts == (5, 8)


def test_operations_of_included_machines_are_not_offered(tmp_path: Path) -> None:
    path = write(tmp_path, a__mch="MACHINE a INCLUDES c(2) OPERATIONS go = up END", c__mch=COUNTER)
    machine = infer_machine(compose(path))
    assert [o.name for o in machine.operations] == ["go"]
    found = run(path)
    assert [p.message for p in found.problems] == ["the precondition does not hold"]


def test_extends_offers_all_operations(tmp_path: Path) -> None:
    path = write(tmp_path, a__mch="MACHINE a EXTENDS c(2) END", c__mch=COUNTER)
    assert run(path).counts == (4, 6)


def test_a_machine_seen_twice_is_there_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        a__mch="MACHINE a SEES s INCLUDES b VARIABLES v INVARIANT v : T INITIALISATION v :: T END",
        b__mch="MACHINE b SEES s VARIABLES w INVARIANT w : T INITIALISATION w := k END",
        s__mch="MACHINE s SETS T = {p, q} CONSTANTS k PROPERTIES k = p END",
    )
    machine = infer_machine(compose(path))
    assert [s.name for s in machine.sets] == ["T"]
    assert run(path).counts == (1 + 1 + 2, 1 + 2)


def test_variables_of_a_seen_machine_are_part_of_the_state(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        a__mch="MACHINE a SEES s OPERATIONS r <-- look = r := z END",
        s__mch="MACHINE s VARIABLES z INVARIANT z : 0..1 INITIALISATION z :: 0..1 OPERATIONS o = z := 1 END",
    )
    assert run(path).counts == (3, 6)  # the environment may call what the seen machine offers


def test_implementation_with_values_and_imports(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        i__imp="IMPLEMENTATION i REFINES a IMPORTS c(2) VALUES k = 2 OPERATIONS go = IF k = 2 THEN up END END",
        a__mch="MACHINE a CONSTANTS k PROPERTIES k : 1..3 OPERATIONS go = skip END",
        c__mch=COUNTER,
    )
    machine = infer_machine(compose(path))
    assert [c.name for c in machine.constants] == ["k"]
    assert len(run(path).states) == 4


def test_names_declared_in_two_machines_clash(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        a__mch="MACHINE a SEES b CONSTANTS k PROPERTIES k = 1 END",
        b__mch="MACHINE b CONSTANTS k PROPERTIES k = 2 END",
    )
    with pytest.raises(UserError, match="k is declared twice"):
        load(path, LoadOptions())


def test_mutual_inclusion_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, a__mch="MACHINE a SEES b END", b__mch="MACHINE b SEES a END")
    with pytest.raises(UserError, match="machine a refers to itself"):
        load(path, LoadOptions())


def test_definition_files(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        a__mch='MACHINE a DEFINITIONS "d.def"; top == 2 VARIABLES x INVARIANT low(x) INITIALISATION x := top '
        "OPERATIONS o = set(0) END",
        d__def='DEFINITIONS "e.def"; low(v) == (v <= top); top == 9; set(v) == x := v',
        e__def="DEFINITIONS unused == 1",
    )
    assert run(path).counts == (3, 3)


def test_a_missing_library_file_is_no_mistake_unless_used(tmp_path: Path) -> None:
    path = write(tmp_path, a__mch='MACHINE a DEFINITIONS "LibraryStrings.def" END')
    assert run(path).counts == (2, 1)


def test_arguments_of_definitions_are_not_captured(tmp_path: Path) -> None:
    text = (
        "MACHINE a DEFINITIONS some(s) == #x.(x : 1..3 & x : s) VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 5 "
    )
    text += "OPERATIONS o = PRE not(some({x})) THEN x := 2 END END"
    assert run(write(tmp_path, a__mch=text)).counts == (3, 2)


def test_names_in_definitions_mean_what_they_mean_at_the_use(tmp_path: Path) -> None:
    text = "MACHINE a DEFINITIONS big == (n > 1) VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 "
    text += "OPERATIONS o(n) = PRE n : 0..3 & big THEN x := n END END"
    assert run(write(tmp_path, a__mch=text)).counts == (4, 1 + 3 * 2)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("SETS S", 2),
        ("DEFINITIONS scope_S == 1..4 SETS S", 4),
        ("DEFINITIONS scope_S == 4 SETS S", 4),
        ("DEFINITIONS scope_S == {a, b, c} SETS S", 3),
        ("DEFINITIONS N == 3; scope_S == 1..N SETS S", 3),
        ("SETS S PROPERTIES card(S) = 3", 3),
        ("SETS S CONSTANTS n PROPERTIES n = 4 & n = card(S)", 4),
        ("SETS S PROPERTIES card(S) > 3", 4),
        ("SETS S PROPERTIES card(S) < 2", 1),
        ("SETS S CONSTANTS a, b, c PROPERTIES S = {a, b, c} & card({a, b, c}) = 3", 3),
        ("SETS S CONSTANTS a, b, c PROPERTIES a : S & b : S & c : S & a /= b & b /= c & a /= c", 3),
        ("DEFINITIONS SET_PREF_DEFAULT_SETSIZE == 3 SETS S", 3),
    ],
)
def test_sizes_of_deferred_sets(tmp_path: Path, text: str, size: int) -> None:
    path = write(tmp_path, a__mch=f"MACHINE a {text} END")
    _, universe, _ = load_typed(path, LoadOptions())
    assert len(universe.atoms["S"]) == size
    _, universe, _ = load_typed(path, LoadOptions(set_sizes=(("S", 5),)))
    assert len(universe.atoms["S"]) == 5


def test_bounds_of_integers(tmp_path: Path) -> None:
    text = "MACHINE a DEFINITIONS SET_PREF_MAXINT == 5; SET_PREF_MININT == -2 VARIABLES x INVARIANT x : INT "
    path = write(tmp_path, a__mch=text + "INITIALISATION x :: INT END")
    assert len(run(path).states) == 8
    assert len(run(path, LoadOptions(max_int=1, min_int=0)).states) == 2


def test_constants_that_are_atoms_up_to_symmetry(tmp_path: Path) -> None:
    """Three constants of one set and one of another: 5 * 1 kinds of valuations of 4^3 * 4."""
    text = "MACHINE a SETS S; T CONSTANTS a, b, c, t PROPERTIES a : S & b : S & c : S & t : T END"
    path = write(tmp_path, a__mch=text)
    options = LoadOptions(set_sizes=(("S", 4), ("T", 4)))
    assert len(run(path, options).states) == 2 * 4**4
    assert len(run(path, options, static_symmetry=True).states) == 2 * 5
    system = load_lowered(path, options, static_symmetry=True).system
    assert len(system.places) == 3  # b and c differ between the valuations, a and t do not; and INITIALISED


def test_endless_parameters_make_the_answer_incomplete(tmp_path: Path) -> None:
    text = "MACHINE a VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0 "
    text += "OPERATIONS o(n) = PRE n : NATURAL THEN x := n END END"
    path = write(tmp_path, a__mch=text)
    assert any("a.mch:1" in cut for cut in load(path, LoadOptions()).incomplete)
    result = check(path).worst
    assert result.verdict == "unknown"
    assert "incomplete" in result.outcome.message


TEMPORAL = """MACHINE a DEFINITIONS ASSERT_LTL == "G ({x = 1} => X {x = 0} or not {x < 9})";
  ASSERT_CTL_1 == "AG (EF {x = 1})"; ASSERT_LTL_2 == "G [o]"; ASSERT_LTL_3 == "G e(o)"
VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS o = x := 1 - x END"""


def test_temporal_definitions_become_properties(tmp_path: Path) -> None:
    system = load(write(tmp_path, a__mch=TEMPORAL), LoadOptions())
    names = [p.name for p in system.properties if isinstance(p, Temporal)]
    assert names == ["ASSERT_LTL", "ASSERT_CTL_1", "ASSERT_LTL_2", "ASSERT_LTL_3"]


def test_properties_from_outside(tmp_path: Path) -> None:
    path = write(tmp_path, a__mch=TEMPORAL)

    def read(text: str) -> object:
        return read_property(path, LoadOptions(), Span(Source("p", text), 0, len(text)), "p")

    assert isinstance(read("x < 2 & x >= 0"), Invariant)
    assert isinstance(read("F {x = 1}"), Temporal)
    assert isinstance(read("G [o]"), Temporal)
    with pytest.raises(UserError, match="unknown identifier y"):
        read("G {y = 1}")
    with pytest.raises(UserError, match="a predicate expected"):
        read("x + 1")


def test_a_precondition_that_tells_the_type_of_a_result_is_no_guard(tmp_path: Path) -> None:
    text = "MACHINE a VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 "
    text += "OPERATIONS r, s <-- o = PRE r : 0..9 & s <: 0..9 & x = 0 THEN r := 5 || s := {x} || x := 1 END END"
    assert run(write(tmp_path, a__mch=text)).counts == (3, 2)


def test_subsets_of_a_known_size_are_found_at_once(tmp_path: Path) -> None:
    text = "MACHINE a SETS S CONSTANTS P, Q PROPERTIES card(S) = 30 & P <: S & card(P) = 1 & Q <: P & 0 = card(Q) END"
    assert run(write(tmp_path, a__mch=text)).counts == (61, 60)


SEEN = "MACHINE v VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS set = x := 1 END"
SEEING = "MACHINE w SEES v OPERATIONS r <-- look = SELECT x = 1 THEN r := x END END"


@pytest.mark.parametrize(
    ("main", "offered"),
    [
        ("MACHINE a INCLUDES w PROMOTES look END", ["set", "look"]),
        ("MACHINE a SEES w END", ["set", "look"]),
        ("MACHINE a INCLUDES v, w PROMOTES look END", ["look"]),
    ],
)
def test_what_an_included_machine_sees_may_change(tmp_path: Path, main: str, offered: list[str]) -> None:
    """Operations of a machine that is seen somewhere are offered, unless the machine has an owner here."""
    path = write(tmp_path, a__mch=main, v__mch=SEEN, w__mch=SEEING)
    assert [o.name for o in infer_machine(compose(path)).operations] == offered


def test_a_refinement_keeps_concrete_variables(tmp_path: Path) -> None:
    """M2 goes on with n, which M1 declares concrete, and says of the abstract s no more than it must."""
    (tmp_path / "m1.mch").write_text(
        "MACHINE M1 VARIABLES s CONCRETE_VARIABLES n INVARIANT s <: 0..3 & n : 0..3 & n : s"
        " INITIALISATION s := {0} || n := 0 OPERATIONS up = PRE n < 3 THEN n := n + 1 || s := s \\/ {n + 1} END END"
    )
    (tmp_path / "M2.ref").write_text(
        "REFINEMENT M2 REFINES M1 VARIABLES k INVARIANT k : 0..6 & k = 2 * n & 0..n = s INITIALISATION n := 0; k := 0"
        " OPERATIONS up = VAR i IN i := 0; WHILE i < 2 DO i := i + 1; k := k + 1"
        " INVARIANT i : 0..2 & n : s VARIANT 2 - i END; n := n + 1 END END"
    )
    found = check(tmp_path / "M2.ref").worst
    assert found.states == 5  # n is 0 to 4: the precondition of up is the abstract machine's
    assert found.outcome.message == "invariant violated: n : 0 .. 3"


def test_names_of_a_set_may_stand_in_brackets(tmp_path: Path) -> None:
    text = "MACHINE m ASSERTIONS {(x, y) | x : 1..2 & y = x + 1} = {1 |-> 2, 2 |-> 3} OPERATIONS o = skip END"
    (tmp_path / "m.mch").write_text(text)
    assert check(tmp_path / "m.mch").worst.verdict == "holds"
