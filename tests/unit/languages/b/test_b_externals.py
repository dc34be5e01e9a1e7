"""ProB's external functions, loops wherever they may stand, and temporal definitions that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.reference.explore import explore as explore_system
from quorbit.languages.b.load import load, load_typed, read_property
from quorbit.languages.b.meaning.evaluator import IllDefined
from quorbit.languages.b.meaning.explore import Animator, explore
from quorbit.languages.b.meaning.query import evaluate_text
from quorbit.languages.b.meaning.reference import Reference
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.syntax.show import show_value
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.formula import propositions
from quorbit.model.system.system import Temporal
from quorbit.pipeline.load import load as load_model
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span


def counts(path: Path) -> tuple[int, int]:
    """States and transitions, which the System and the reference meaning of B agree on."""
    machine, universe, _ = load_typed(path, LoadOptions())
    by_hand = explore(Animator(machine, universe, static_symmetry=True))
    system = load(path, LoadOptions())
    found = explore_system(system, ())
    assert (found.statistics.states, found.statistics.transitions) == (by_hand.counts[0] - 1, by_hand.counts[1])
    return found.statistics.states, found.statistics.transitions


def write(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / f"{name}.mch").write_text(text)
    return tmp_path / f"{next(iter(files))}.mch"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("ABS(x)", "2"),
        ("ABS(3)", "3"),
        ("CHOOSE({5, x})", "-2"),
        ("CHOOSE({x |-> TRUE, x |-> FALSE})", "x |-> FALSE"),
        ("CHOOSE({b, a, c})", "a"),
        ("MU({x})", "x"),
        ("SORT({3, x, 1})", "[x, 1, 3]"),
        ("FORCE(x)", "-2"),
        ('STRING_LENGTH("abc")', "3"),
        ('STRING_APPEND("a", "bc")', '"abc"'),
        ('STRING_SPLIT("a,b", ",")', '["a", "b"]'),
        ('STRING_JOIN(["a", "b"], "-")', '"a-b"'),
        ('STRING_TO_INT("-12")', "-12"),
        ("INT_TO_STRING(7)", '"7"'),
        ('STRING_CHARS("ab")', '["a", "b"]'),
    ],
)
def test_functions_of_libraries(tmp_path: Path, expression: str, value: str) -> None:
    text = "MACHINE m SETS E = {a, b, c} VARIABLES x INVARIANT x : -2..0 INITIALISATION x := -2 "
    path = write(tmp_path, m=f"{text} OPERATIONS o = PRE {expression} = {value} THEN x := 0 END END")
    assert counts(path)[0] == 2


def test_what_only_prints_does_nothing(tmp_path: Path) -> None:
    text = 'MACHINE m DEFINITIONS "LibraryIO.def" VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 '
    text += 'OPERATIONS o = PRE printf("%w", x) THEN x := 1 - x; printf("now %w", x) END END'
    assert counts(write(tmp_path, m=text)) == (2, 3)


def test_the_body_of_an_external_definition_means_nothing(tmp_path: Path) -> None:
    text = "MACHINE m DEFINITIONS ABS(x) == 0; EXTERNAL_FUNCTION_ABS == INTEGER --> INTEGER CONSTANTS c "
    assert counts(write(tmp_path, m=text + "PROPERTIES c = ABS(-4) & c = 4 END")) == (2, 2)


def test_other_external_functions_are_refused_by_name(tmp_path: Path) -> None:
    text = 'MACHINE m DEFINITIONS "LibraryMath.def" CONSTANTS c PROPERTIES c = RANDOM(0, 3) END'
    with pytest.raises(UserError, match="function RANDOM is not supported"):
        load(write(tmp_path, m=text), LoadOptions())


def test_an_assertion_with_such_a_function_leaves_the_answer_open(tmp_path: Path) -> None:
    text = 'MACHINE m DEFINITIONS "LibraryMath.def" ASSERTIONS RANDOM(0, 3) = 1 OPERATIONS o = skip END'
    (result,) = check(load_model(write(tmp_path, m=text)), CheckOptions()).results
    assert result.verdict == "unknown"
    assert "the assertion 1 cannot be checked: the external function RANDOM" in result.outcome.message


def test_a_function_that_is_not_supported_may_stay_unused(tmp_path: Path) -> None:
    text = "MACHINE m ABSTRACT_CONSTANTS f PROPERTIES f = %x.(x : INTEGER | RANDOM(0, x)) END"
    assert counts(write(tmp_path, m=text)) == (2, 2)


@pytest.mark.parametrize(
    "formula",
    [
        'SORT({"b", "a"}) = ["a", "b"]',
        "SORT({3, 1, 2}) = [1, 2, 3]",
        'SQUASH({2 |-> "a", 4 |-> "b"}) = ["a", "b"]',
        "SCCS({1 |-> 2, 2 |-> 1, 2 |-> 3}) = {{1, 2}, {3}}",
        'FORMAT_TO_STRING("a=~w, b=~w", ["1", "2"]) = "a=1, b=2"',
        'STRING_CONC(["a", "bc"]) = "abc"',
        "LESS(1, 2) & not(LESS(2, 2)) & LEQ_SYM(2, 2)",
        "prj1(1 |-> TRUE) = 1 & prj2(1 |-> TRUE) = TRUE",
        "{x·x : 1..3 | x * x} = {1, 4, 9}",
        "{`a b` | `a b` : 1..2} = 1..2",
        "finite({1, 2})",
    ],
)
def test_formulas_that_hold(tmp_path: Path, formula: str) -> None:
    text = f"MACHINE m ASSERTIONS {formula} OPERATIONS o = skip END"
    (result,) = check(load_model(write(tmp_path, m=text)), CheckOptions()).results
    assert result.verdict == "holds"


def test_texts_may_depend_on_the_state(tmp_path: Path) -> None:
    text = "MACHINE m VARIABLES x INVARIANT STRING_LENGTH(x) > 0 INITIALISATION x := "
    assert counts(write(tmp_path, m=text + '"a" END')) == (1, 1)


def test_a_loop_may_ask_for_values_before_it(tmp_path: Path) -> None:
    text = "MACHINE m VARIABLES x INVARIANT x : 0..4 INITIALISATION x := 0 OPERATIONS set(n) = PRE n : x..4 THEN "
    loop = "WHILE x < n DO x := x + 1 INVARIANT x >= x$0 & x - x$0 <= {} & x <= n VARIANT n - x END END END"
    assert counts(write(tmp_path, m=text + loop.format(4))) == (5, 1 + 5 + 4 + 3 + 2 + 1)
    (result,) = check(load_model(write(tmp_path, m=text + loop.format(3))), CheckOptions()).results
    assert result.outcome.message == "the loop invariant does not hold"


def test_partition(tmp_path: Path) -> None:
    text = "MACHINE m SETS S = {a, b} CONSTANTS P, Q, R PROPERTIES partition(S, P, Q, R) END"
    assert counts(write(tmp_path, m=text)) == (2 * 9, 2 * 9)


def test_loops_in_the_initialisation(tmp_path: Path) -> None:
    text = "MACHINE m CONSTANTS n PROPERTIES n : 1..2 VARIABLES x, s INVARIANT x : 0..n & s <: 1..2 "
    text += "INITIALISATION x := 0; s := {}; WHILE x < n DO x := x + 1; CHOICE skip OR s := s \\/ {x} END "
    text += "INVARIANT x <= n VARIANT n - x END OPERATIONS o = x := 0 END"
    assert counts(write(tmp_path, m=text)) == (2 + 2 * (2 + 4), 2 + (2 + 4) + 2 * (2 + 4))


def test_loops_in_operations_that_are_called(tmp_path: Path) -> None:
    main = "MACHINE m INCLUDES sub VARIABLES y INVARIANT y : 0..99 INITIALISATION y := 1 OPERATIONS "
    main += "go(n) = PRE n : 1..3 THEN y <-- sum(n + 1) END; r <-- out(n) = PRE n : 1..2 THEN r <-- sum(n) END; "
    main += "twice = VAR z IN z <-- sum(2); y <-- sum(z) END END"
    sub = "MACHINE sub VARIABLES used INVARIANT used : 0..1 INITIALISATION used := 0 OPERATIONS r <-- sum(n) = "
    sub += "PRE n : 1..4 THEN r := 0; VAR i IN i := 0; WHILE i < n DO i := i + 1; r := r + i "
    sub += "INVARIANT i <= n VARIANT n - i END END; used := 1 END END"
    assert counts(write(tmp_path, m=main, sub=sub)) == (5, 1 + 5 * (3 + 2 + 1))


def test_temporal_definitions_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    text = 'MACHINE m DEFINITIONS ASSERT_LTL == "G {x = 0}"; ASSERT_LTL_1 == "G [p]"; ASSERT_CTL == "AG {y = 1}" '
    path = write(tmp_path, m=text + "VARIABLES x INVARIANT x = 0 INITIALISATION x := 0 OPERATIONS o = skip END")
    system = load(path, LoadOptions())
    assert [p.name for p in system.properties if "ASSERT" in p.name] == ["ASSERT_LTL"]
    told = " ".join(system.unread)
    assert "ASSERT_LTL_1" in told
    assert "there is no operation p" in told
    assert "ASSERT_CTL" in told
    with pytest.raises(UserError, match="no operation p"):
        read_property(path, LoadOptions(), Span(Source("<property>", "ASSERT_LTL_1"), 0, 12), "ASSERT_LTL_1")


def test_operations_with_arguments_in_temporal_formulas(tmp_path: Path) -> None:
    text = "MACHINE m SETS E = {a, b} VARIABLES s INVARIANT s <: E INITIALISATION s := {} "
    text += "OPERATIONS take(k, n) = PRE k : E & n : 1..2 & k /: s THEN s := s \\/ {k} END END"
    path = write(tmp_path, m=text)
    system = load(path, LoadOptions())
    meaning = Meaning(system)
    empty = meaning.initial_states()[0]
    full = (frozenset({0, 1}),)
    for words, wanted in (
        ("e(take(a, 1))", (1, 0)),
        ("e(take(b, 2))", (1, 0)),
        ("e(take(b, 3))", (0, 0)),
        ("e(take)", (1, 0)),
    ):
        formula = f"G {words}"
        found = read_property(path, LoadOptions(), Span(Source("<property>", formula), 0, len(formula)), "p")
        assert isinstance(found, Temporal)
        (proposition,) = propositions(found.formula)
        assert tuple(int(meaning.holds(proposition.expression, s)) for s in (empty, full)) == wanted
    for wrong in ("G e(take(a))", "G e(give(a))"):
        with pytest.raises(UserError):
            read_property(path, LoadOptions(), Span(Source("<property>", wrong), 0, len(wrong)), "p")


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ('STRING_CODES("ab")', "{(1 |-> 97), (2 |-> 98)}"),
        ("CODES_TO_STRING([97, 98])", '"ab"'),
        ('STRING_TO_UPPER("aB")', '"AB"'),
        ('STRING_REV("abc")', '"cba"'),
        ('STRING_CONTAINS_STRING("hello", "ell")', "TRUE"),
        ('STRING_EQUAL_CASE_INSENSITIVE("Ab", "aB")', "TRUE"),
        ('bool(STRING_IS_NUMBER("-1.5"))', "TRUE"),
        ('SUB_STRING("library", 3, 2)', '"br"'),
        ('STRING_REPLACE("a-b-c", "-", "+")', '"a+b+c"'),
        ('STRING_PADLEFT("7", 3, "0")', '"007"'),
        ("INT_TO_DEC_STRING(1234, 2)", '"12.34"'),
        ('DEC_STRING_TO_INT("12.34", 2)', "1234"),
        ("COS(0)", "100"),
        ("SIN(157)", "100"),
        ("SINx(1000, 524)", "500"),
        ("LOGx(100, 200, 800)", "300"),
        ("GCD(12, 18)", "6"),
        ("MSB(100)", "6"),
        ("FACTORIAL(5)", "120"),
        ("BAND(12, 10) + BOR(12, 10) + BXOR(12, 10) + BLSHIFT(1, 4) + BRSHIFT(16, 2)", "48"),
        ("FDIV(-7, 2) |-> CDIV(-7, 2)", "(-4 |-> -3)"),
        ('vprintf("~w", 1 + 2)', "3"),
        ("TO_STRING({1, 2})", '"{1, 2}"'),
        ("CLOSURE1({1 |-> 2, 2 |-> 3})", "{(1 |-> 2), (1 |-> 3), (2 |-> 3)}"),
    ],
)
def test_functions_of_the_libraries(formula: str, wanted: str) -> None:
    universe = Universe({}, (), frozenset())
    value, of = evaluate_text(Reference(universe), formula, {})
    assert show_value(universe, of, value).replace("(", "").replace(")", "") == wanted.replace("(", "").replace(")", "")


@pytest.mark.parametrize(
    "formula", ["SINx(0, 1) = 0", "LOGx(1, 1, 1) = 0", 'STRING_PADLEFT("a", 3, "") = ""', "FDIV(1, 0) = 0"]
)
def test_where_functions_of_the_libraries_have_no_value(formula: str) -> None:
    with pytest.raises(IllDefined):
        evaluate_text(Reference(Universe({}, (), frozenset())), formula, {})


def test_functions_that_need_more_than_the_machine_are_refused_by_name() -> None:
    for formula in ('READ_CSV("a.csv") = {}', "RANDOM(1, 2) = 1", "HASH(1) = 2"):
        with pytest.raises(UserError, match="is not supported"):
            evaluate_text(Reference(Universe({}, (), frozenset())), formula, {})


def test_bits_of_numbers_in_a_state(tmp_path: Path) -> None:
    text = "MACHINE m VARIABLES x INVARIANT x : 0..15 INITIALISATION x := 1 OPERATIONS "
    text += "turn = x := BXOR(x, 3); mask = PRE BAND(x, 1) = 1 THEN x := BOR(x, 8) END END"
    assert counts(write(tmp_path, m=text)) == (4, 7)  # 1, 2, 9 and 10
