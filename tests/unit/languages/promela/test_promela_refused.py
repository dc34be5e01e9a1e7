"""Texts that SPIN refuses: each gets one message with the right place."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.parse.units import parse
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Source

# name, text, line, column, message
REFUSED = [
    ("undeclared", "active proctype P() { x = 1 }\n", 1, 23, "'x' is not declared"),
    ("undeclared_read", "active proctype P() { byte y; y = z + 1 }\n", 1, 35, "'z' is not declared"),
    ("undeclared_channel", "active proctype P() { q!1 }\n", 1, 23, "'q' is not declared"),
    ("undeclared_later", "active proctype P() { x = 1 }\nbyte x;\n", 1, 23, "'x' is not declared"),
    ("duplicate_global", "byte x; int x;\nactive proctype P() { skip }\n", 1, 13, "'x' is already declared"),
    ("shadowing", "byte x;\nactive proctype P() { byte x; x = 1 }\n", 2, 28, "'x' is already declared"),
    ("inner_shadowing", "active proctype P() { byte x; { byte x; x = 1 } }\n", 1, 38, "'x' is already declared"),
    (
        "missing_semicolon",
        "active proctype P() { byte x; x = 1 x = 2 }\n",
        1,
        37,
        "unexpected 'x'; is a separator missing before it?",
    ),
    ("missing_fi", "active proctype P() { if :: skip }\n", 1, 34, "expected 'fi', found '}'"),
    ("missing_od", "active proctype P() { do :: skip fi }\n", 1, 34, "expected 'od', found 'fi'"),
    ("missing_brace", "active proctype P() { skip \n", 2, 1, "expected '}', found the end of the file"),
    ("empty_body", "active proctype P() { }\n", 1, 23, "expected a statement, found '}'"),
    ("empty_option", "active proctype P() { if :: fi }\n", 1, 29, "expected a statement, found 'fi'"),
    ("no_options", "active proctype P() { do od }\n", 1, 26, "expected '::', found 'od'"),
    ("empty_atomic", "active proctype P() { atomic { } }\n", 1, 32, "expected a statement, found '}'"),
    (
        "two_elses",
        "active proctype P() { if :: else -> skip :: else -> skip fi }\n",
        1,
        45,
        "a second else in one selection",
    ),
    ("break_outside", "active proctype P() { break }\n", 1, 23, "break outside a loop"),
    ("goto_nowhere", "active proctype P() { goto nowhere }\n", 1, 23, "there is no label 'nowhere' in 'P'"),
    ("label_twice", "active proctype P() { l: skip; l: skip }\n", 1, 32, "the label 'l' is already defined"),
    (
        "label_on_declaration",
        "active proctype P() { l: byte x; x = 1 }\n",
        1,
        23,
        "a label cannot stand before a declaration",
    ),
    (
        "label_in_atomic",
        "active proctype P() { atomic { l: skip; skip }; goto l }\n",
        1,
        32,
        "put the label before the braces, not on the first statement inside",
    ),
    ("unknown_proctype", "init { run Q() }\n", 1, 8, "there is no proctype 'Q'"),
    ("few_arguments", "proctype Q(byte a; byte b) { skip }\ninit { run Q(1) }\n", 2, 8, "'Q' takes 2 arguments, not 1"),
    ("many_arguments", "proctype Q(byte a) { skip }\ninit { run Q(1, 2) }\n", 2, 8, "'Q' takes 1 arguments, not 2"),
    (
        "run_in_expression",
        "proctype Q() { skip }\ninit { byte x; (1 + run Q()) > 0 }\n",
        2,
        21,
        "run cannot be part of a larger expression",
    ),
    ("two_runs", "proctype Q() { skip }\ninit { run Q() && run Q() }\n", 2, 19, "more than one run in one statement"),
    (
        "run_in_send",
        "chan c = [1] of { byte };\nproctype Q() { skip }\ninit { c!run Q() }\n",
        3,
        10,
        "run cannot be used here",
    ),
    (
        "run_in_d_step",
        "proctype Q() { skip }\ninit { d_step { skip; run Q() } }\n",
        2,
        23,
        "run inside a d_step; use atomic",
    ),
    (
        "run_outside",
        "proctype Q() { skip }\nbyte x = run Q();\nactive proctype P() { skip }\n",
        2,
        10,
        "run may only be used inside a proctype",
    ),
    ("array_no_index", "byte a[3];\nactive proctype P() { a = 1 }\n", 2, 23, "'a' is an array: it needs an index"),
    ("index_on_scalar", "byte a;\nactive proctype P() { a[1] = 2 }\n", 2, 23, "'a' is not an array"),
    ("array_size_zero", "byte a[0];\nactive proctype P() { skip }\n", 1, 8, "'a' needs a positive size"),
    (
        "array_parameter",
        "proctype Q(byte a[2]) { skip }\ninit { run Q(1) }\n",
        1,
        17,
        "'a' is an array and cannot be a parameter",
    ),
    (
        "unsigned_width_missing",
        "unsigned u;\nactive proctype P() { u = 1 }\n",
        1,
        10,
        "'u' needs a width: unsigned u : 5",
    ),
    ("width_on_byte", "byte b : 3;\nactive proctype P() { b = 1 }\n", 1, 8, "only an unsigned has a width"),
    (
        "width_too_large",
        "unsigned u : 40;\nactive proctype P() { u = 1 }\n",
        1,
        14,
        "the width of an unsigned is between 1 and 31",
    ),
    ("no_field", "typedef T { byte a };\nT t;\nactive proctype P() { t.b = 1 }\n", 3, 25, "T has no field 'b'"),
    ("field_of_scalar", "byte t;\nactive proctype P() { t.b = 1 }\n", 2, 24, "'t' is not a structure"),
    (
        "structure_as_value",
        "typedef T { byte a };\nT t;\nactive proctype P() { t = 1 }\n",
        3,
        23,
        "'t' is a structure: assign its fields",
    ),
    (
        "typedef_twice",
        "typedef T { byte a };\ntypedef T { byte b };\nactive proctype P() { skip }\n",
        2,
        9,
        "'T' is already declared",
    ),
    (
        "typedef_local",
        "active proctype P() { typedef T { byte a }; skip }\n",
        1,
        23,
        "expected an expression, found 'typedef'",
    ),
    (
        "unknown_type",
        "foo x;\nactive proctype P() { skip }\n",
        1,
        1,
        "expected a declaration or a proctype, found 'foo'",
    ),
    (
        "constant_to_channel",
        "chan c = [1] of { byte };\nactive proctype P() { c = 3 }\n",
        2,
        27,
        "a constant cannot be assigned to the channel 'c'",
    ),
    (
        "channel_arithmetic",
        "chan c = [1] of { byte }; byte x;\nactive proctype P() { x = c + 1 }\n",
        2,
        27,
        "the channel 'c' cannot be used in an expression",
    ),
    (
        "channel_increment",
        "chan c = [1] of { byte };\nactive proctype P() { c++ }\n",
        2,
        23,
        "a channel is not a number",
    ),
    ("send_on_byte", "byte b;\nactive proctype P() { b!1 }\n", 2, 23, "'b' is not a channel"),
    (
        "too_many_fields",
        "chan c = [1] of { byte };\nactive proctype P() { c!1,2,3 }\n",
        2,
        23,
        "no channel of this model takes messages with 3 fields",
    ),
    (
        "same_variable_twice",
        "chan c = [1] of { byte, byte };\nactive proctype P() { byte x; c?x,x }\n",
        2,
        35,
        "'x' receives two fields of one message",
    ),
    (
        "negated_probe",
        "chan c = [1] of { byte };\nactive proctype P() { !full(c) }\n",
        2,
        24,
        "full() may only be combined by && and ||; to negate it use its opposite",
    ),
    (
        "compared_probe",
        "chan c = [1] of { byte };\nactive proctype P() { full(c) == 1 }\n",
        2,
        23,
        "full() may only be combined by && and ||; to negate it use its opposite",
    ),
    ("assign_pid", "active proctype P() { _pid = 3 }\n", 1, 23, "_pid cannot be assigned"),
    ("assign_nr_pr", "active proctype P() { _nr_pr = 3 }\n", 1, 23, "_nr_pr cannot be assigned"),
    ("read_underscore", "active proctype P() { byte x; x = _ }\n", 1, 35, "the value of _ cannot be read here"),
    (
        "mtype_mixed",
        "mtype:a = { one }; mtype:b = { two };\nmtype:a v;\nactive proctype P() { v = two }\n",
        3,
        27,
        "'two' is not a value of the mtype of 'v'",
    ),
    (
        "mtype_twice",
        "mtype = { one, one };\nactive proctype P() { skip }\n",
        1,
        11,
        "'one' appears twice in this mtype",
    ),
    (
        "mtype_local",
        "active proctype P() { mtype = { one }; skip }\n",
        1,
        23,
        "an mtype must be declared outside all proctypes",
    ),
    ("keyword_as_name", "byte atomic;\nactive proctype P() { skip }\n", 1, 6, "'atomic' is a keyword"),
    (
        "inline_arity",
        "inline f(a, b) { a = b }\nactive proctype P() { byte x; f(x) }\n",
        2,
        31,
        "the inline 'f' takes 2 arguments, not 1",
    ),
    (
        "inline_recursion",
        "inline f(a) { f(a) }\nactive proctype P() { byte x; f(x) }\n",
        1,
        15,
        "the inline 'f' calls itself",
    ),
    (
        "inline_twice",
        "inline f() { skip }\ninline f() { skip }\nactive proctype P() { f() }\n",
        2,
        8,
        "the inline 'f' is already defined",
    ),
    (
        "inline_not_closed",
        "inline f() { skip \nactive proctype P() { f() }\n",
        1,
        8,
        "the body of the inline 'f' is not closed",
    ),
    (
        "return_outside",
        "active proctype P() { return 3 }\n",
        1,
        23,
        "return outside an inline that is called for its value",
    ),
    (
        "jump_into_d_step",
        "active proctype P() { goto l; d_step { skip; l: skip; skip } }\n",
        1,
        23,
        "a jump into a d_step",
    ),
    (
        "jump_out_of_d_step",
        "active proctype P() { byte x; l: skip; d_step { x = 1; goto l } }\n",
        1,
        56,
        "a jump out of a d_step",
    ),
    ("np_outside", "active proctype P() { np_ == 1 }\n", 1, 23, "np_ may only be used in a never claim"),
    (
        "remote_no_label",
        "active proctype Q() { skip }\nactive proctype P() { Q@nowhere }\n",
        2,
        23,
        "'Q' has no label 'nowhere'",
    ),
    ("bit_hidden", "hidden bit b;\nactive proctype P() { b = 1 }\n", 1, 12, "the bit variable 'b' cannot be hidden"),
    (
        "else_alone_twice",
        "active proctype P() { do :: skip; break :: else :: else od }\n",
        1,
        52,
        "a second else in one selection",
    ),
    (
        "chan_init_late",
        "active proctype P() { skip; chan c = [1] of { byte }; c!1 }\n",
        1,
        34,
        "declare the channel 'c' before the first statement",
    ),
    ("chan_init_nonchan", "byte b = [1] of { byte };\nactive proctype P() { skip }\n", 1, 6, "'b' is not a channel"),
    (
        "unsigned_field",
        "chan c = [1] of { unsigned };\nactive proctype P() { skip }\n",
        1,
        19,
        "an unsigned cannot be a message field",
    ),
    ("unterminated_comment", "active proctype P() { skip }\n/* oh", 2, 1, "this comment is not closed"),
    ("unterminated_string", 'active proctype P() { printf("oh) }\n', 1, 30, "this string is not closed on its line"),
    ("endif_missing", "#if 1\nactive proctype P() { skip }\n", 1, 2, "this condition is not closed by #endif"),
    ("else_without_if", "#else\nactive proctype P() { skip }\n", 1, 2, "#else without #if"),
    ("bad_directive", "#frobnicate\nactive proctype P() { skip }\n", 1, 2, "unknown directive #frobnicate"),
    ("error_directive", "#error no\nactive proctype P() { skip }\n", 1, 2, "#error no"),
    (
        "macro_arity",
        "#define F(a, b) a\nactive proctype P() { byte x; x = F(1) }\n",
        2,
        35,
        "macro F takes 2 arguments, not 1",
    ),
    (
        "macro_not_closed",
        "#define F(a) a\nactive proctype P() { byte x; x = F(1  }\n",
        2,
        35,
        "the call of macro F is not closed",
    ),
    ("garbage", "this is not promela\n", 1, 1, "expected a declaration or a proctype, found 'this'"),
    ("stray_brace", "active proctype P() { skip }\n}\n", 2, 1, "expected a declaration or a proctype, found '}'"),
    (
        "operator_missing",
        "active proctype P() { byte x; x = 1 2 }\n",
        1,
        37,
        "unexpected '2'; is a separator missing before it?",
    ),
    ("dangling_operator", "active proctype P() { byte x; x = 1 + }\n", 1, 39, "expected an expression, found '}'"),
    (
        "select_reversed",
        "active proctype P() { byte i; select (i : 4 .. 2) }\n",
        1,
        43,
        "the first value exceeds the last one",
    ),
    (
        "for_structure",
        "typedef T { byte a };\nT t;\nactive proctype P() { for (t : 1 .. 2) { skip } }\n",
        3,
        28,
        "'t' cannot count a loop",
    ),
    ("for_no_array", "active proctype P() { byte i, n; for (i in n) { skip } }\n", 1, 44, "'n' is not an array"),
    (
        "unless_label",
        "active proctype P() { skip unless l: skip }\n",
        1,
        35,
        "the escape of an unless cannot be labelled",
    ),
    (
        "nobody",
        "proctype P() { skip }\n",
        1,
        1,
        "no process is ever started: there is neither init nor an active proctype",
    ),
    (
        "provided_own",
        "bool go; proctype P(byte k) provided (go || k == 1) { skip }\ninit { run P(1) }\n",
        1,
        45,
        "'provided' may only read global variables; 'k' is one of the process",
    ),
    ("provided_missing", "active proctype P() provided x { skip }\n", 1, 30, "expected '(', found 'x'"),
    (
        "proctype_twice",
        "active proctype P() { skip }\nactive proctype P() { skip }\n",
        2,
        17,
        "the proctype 'P' is already defined",
    ),
]


def refusal(text: str) -> UserError:
    with pytest.raises(UserError) as caught:
        lower(parse(Source("m.pml", text)))
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "column", "message"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_refused_with_its_place(text: str, line: int, column: int, message: str) -> None:
    error = refusal(text)
    assert (error.span.line, error.span.column, error.message) == (line, column, message)
    assert error.render().startswith(f"m.pml:{line}:{column}: error: {message}")


@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
def test_spin_refuses_them_too(tmp_path: Path) -> None:
    for name, text, *_ in REFUSED:
        (tmp_path / f"{name}.pml").write_text(text)
        theirs = subprocess.run(["spin", "-a", f"{name}.pml"], cwd=tmp_path, capture_output=True, check=False)
        assert theirs.returncode != 0, name


@pytest.mark.parametrize("word", ["c_code", "c_expr", "c_decl", "c_state", "c_track"])
def test_embedded_c_is_refused_by_name(word: str) -> None:
    error = refusal(f"{word} {{ int x; }}\nactive proctype P() {{ skip }}\n")
    assert error.message.startswith(word)
    assert error.span.line == 1


@pytest.mark.parametrize(
    "text",
    [
        "active proctype P() { byte x; x = " + "(" * 100_000 + "1" + ")" * 100_000 + " }",
        "active proctype P() { byte x; x = " + "~" * 100_000 + "1 }",
        "active proctype P() { " + "{ " * 20_000 + "skip" + " }" * 20_000 + " }",
        "active proctype P() { " + "if :: " * 20_000 + "skip" + " fi" * 20_000 + " }",
        "byte a[2]; active proctype P() { " + "a[" * 20_000 + "0" + "]" * 20_000 + " = 1 }",
    ],
)
def test_deep_nesting_is_a_located_error(text: str) -> None:
    assert "nested more than" in refusal(text).message


def test_an_unconditional_loop_without_a_step_is_refused() -> None:
    assert refusal("active proctype P() { do :: skip od }").span.line == 1


def test_a_missing_include_points_at_the_name(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text('byte x;\n#include "none.inc"\nactive proctype P() { skip }\n')
    with pytest.raises(UserError) as caught:
        parse(read_source(model))
    assert (caught.value.span.line, caught.value.span.column) == (2, 10)


def test_an_error_inside_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.inc").write_text("byte x;\nbyte x;\n")
    model = tmp_path / "m.pml"
    model.write_text('#include "part.inc"\nactive proctype P() { skip }\n')
    with pytest.raises(UserError) as caught:
        parse(read_source(model))
    assert caught.value.span.file.endswith("part.inc")
    assert caught.value.span.line == 2


def test_a_file_that_includes_itself_ends(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text('#include "m.pml"\n')
    with pytest.raises(UserError, match="includes itself"):
        parse(read_source(model))


def test_several_mistakes_are_told_together() -> None:
    error = refusal("init { run A(); run B(); goto c }")
    assert len(error.diagnostics) == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("byte x;\ntrace { x = 1 }\nactive proctype P() { skip }", "events of a trace"),
        ("chan q = [0] of { bit };\ntrace { q!1 }\nactive proctype P() { q!1 }", "a channel without a buffer"),
        ("byte x;\nactive proctype P() { set_priority(0, x) }", "a priority that is not a constant"),
        ("active proctype P() { set_priority(0, 256) }", "between 1 and 255"),
    ],
)
def test_what_is_not_honoured_is_refused(text: str, reason: str) -> None:
    assert reason in refusal(text).message


@pytest.mark.parametrize(
    "text",
    [
        "byte x; active proctype P() { L: d_step { x = 1; x = 2 }; if :: x == 2 -> goto L :: else fi }",
        "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od; d_step { x = 1; x = 2 } }",
        "byte x; active proctype P() { atomic { if :: x == 0 -> goto L :: x fi }; x = 2; L: d_step { x = 1; x = 2 } }",
    ],
)
def test_a_d_step_is_no_target(text: str) -> None:
    assert "a jump into a d_step" in refusal(text).message


def test_a_claim_has_no_variables() -> None:
    error = refusal("byte x; active proctype P() { x = 1 }\nnever { byte n; do :: n < x -> n++ od }")
    assert "no variables of its own" in error.message


def test_a_formula_that_cannot_be_read_waits_to_be_asked_for(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text(
        "byte x, y; active proctype P() { x = 1; y = x }\nltl good { [] (y <= x) }\nltl bad { [] y <= x }\n"
    )
    assert check(model).worst.outcome.verdict.value == "holds"
    with pytest.raises(UserError, match="brackets"):
        check(model, CheckOptions(properties=("bad",)))
