"""What texts mean: separators, inlines, loops written out, declarations."""

from __future__ import annotations

import pytest

from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.parse.program import (
    Assignment,
    Binary,
    ChannelInit,
    Conditional,
    Constant,
    Guard,
    Kind,
    Labelled,
    Program,
    Receive,
    Reference,
    Selection,
    Send,
    Sequence,
    Temporal,
    Unless,
)
from quorbit.languages.promela.parse.units import parse
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def program(text: str) -> Program:
    return parse(Source("m.pml", text))


def body(statements: str, declarations: str = "byte x, y;") -> tuple[object, ...]:
    return program(f"{declarations}\nactive proctype P() {{ {statements} }}").proctypes[0].body


def value(expression: str) -> object:
    statement = body(f"x = {expression}")[0]
    assert isinstance(statement, Assignment)
    return statement.value


@pytest.mark.parametrize(
    "text",
    [
        "x = 1; y = 2",
        "x = 1;; y = 2;",
        "x = 1 -> y = 2",
        "x = 1\n y = 2\n",
        "x = 1; ; -> y = 2",
    ],
)
def test_separators_are_forgiven(text: str) -> None:
    assert len(body(text)) == 2


def test_a_line_that_starts_with_minus_is_a_statement_of_its_own() -> None:
    assert len(body("x = y\n- 1")) == 2
    assert len(body("x = (y\n- 1)")) == 1


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1 + 2 * 3", ("+", ("*",))),
        ("1 << 2 + 3", ("<<", ("+",))),
        ("1 | 2 & 3", ("|", ("&",))),
        ("1 == 2 & 3", ("&", ("==",))),
        ("1 || 2 && 3", ("||", ("&&",))),
        ("1 - 2 - 3", ("-", ("-",))),
        ("1 < 2 == 3", ("==", ("<",))),
    ],
)
def test_precedence(text: str, shape: tuple[object, ...]) -> None:
    def operators(e: object) -> tuple[object, ...]:
        assert isinstance(e, Binary)
        inner = [operators(part) for part in (e.left, e.right) if isinstance(part, Binary)]
        return (e.operator, *inner)

    assert operators(value(text)) == shape


def test_subtraction_groups_to_the_left() -> None:
    e = value("1 - 2 - 3")
    assert isinstance(e, Binary)
    assert e.right == Constant(3)


def test_conditional_expression() -> None:
    e = value("(x > 1 -> 2 : 3)")
    assert isinstance(e, Conditional)
    assert isinstance(e.test, Binary)
    assert (e.test.operator, e.then, e.other) == (">", Constant(2), Constant(3))


def test_numbers_are_c_ints() -> None:
    assert value("4294967295") == Constant(-1)
    assert value("'a'") == Constant(97)
    assert value("'\\n'") == Constant(10)


def test_mtypes_count_from_the_last_name() -> None:
    p = program(
        "mtype = { a, b }; mtype = { c }; mtype:f = { d };\nactive proctype P() { assert(a == 2); assert(d == 1) }"
    )
    assert p.mtypes == (("", ("b", "a", "c")), ("f", ("d",)))


def test_for_is_an_assignment_and_a_loop() -> None:
    start, loop = body("for (x : 1 .. 3) { y++ }")
    assert isinstance(start, Assignment)
    assert start.value == Constant(1)
    assert isinstance(loop, Selection)
    assert [len(option) for option in loop.options] == [3, 2]


def test_select_of_few_constants_is_a_choice() -> None:
    (choice,) = body("select (x : 2 .. 4)")
    assert isinstance(choice, Selection)
    assert choice.loop is None
    assert len(choice.options) == 3


def test_select_of_many_is_a_loop() -> None:
    start, loop = body("select (x : 0 .. 200)")
    assert isinstance(start, Assignment)
    assert isinstance(loop, Selection)
    assert loop.loop is not None


def test_inline_replaces_names_in_the_text() -> None:
    p = program("byte x, y;\ninline set(a, b) { a = b + a }\nactive proctype P() { set(x, y * 2) }")
    (block,) = p.proctypes[0].body
    assert isinstance(block, Sequence)
    (assignment,) = block.body
    assert isinstance(assignment, Assignment)
    assert assignment.target.variable.name == "x"
    assert isinstance(assignment.value, Binary)
    assert assignment.value.operator == "+"


def test_a_declaration_after_a_statement_is_an_assignment() -> None:
    assert len(body("x = 1; byte z = 4; y = z")) == 3
    first = program("active proctype P() { byte z = 4; z = 1 }").proctypes[0]
    assert len(first.body) == 1
    assert first.locals[0].initial == Constant(4)


def test_structures_are_sent_field_by_field() -> None:
    p = program(
        "typedef T { byte a[2]; bit b }; T t;\nchan q = [1] of { T, byte };\nactive proctype P() { q!t,7; q?t,_ }"
    )
    send, receive = p.proctypes[0].body
    assert isinstance(send, Send)
    assert len(send.arguments) == 4
    assert isinstance(receive, Receive)
    assert isinstance(receive.patterns[1], Reference)
    assert receive.patterns[1].path[-1].index == Constant(1)
    channel = next(v for v in p.globals if v.name == "q").initial
    assert isinstance(channel, ChannelInit)
    assert [f.kind for f in channel.fields] == [Kind.BYTE, Kind.BYTE, Kind.BIT, Kind.BYTE]


def test_labels_and_unless() -> None:
    first, second = body("l: x = 1; { y = 1 } unless { x == 1 }")
    assert isinstance(first, Labelled)
    assert isinstance(second, Unless)


def test_formulas_follow_spins_precedence() -> None:
    p = program("byte x; bool b;\nltl f { [] b -> <> (x == 1 U b) }\nactive proctype P() { x = 1; b = x }")
    formula = p.formulas[0].body
    assert isinstance(formula, Temporal)
    assert formula.operator == "->"
    assert [part.operator for part in formula.operands if isinstance(part, Temporal)] == ["[]", "<>"]


def test_a_long_conjunction_stays_shallow() -> None:
    text = " && ".join(["x == 1"] * 3000)
    (guard,) = body(text)
    assert isinstance(guard, Guard)
    lower(program(f"byte x;\nactive proctype P() {{ {text} }}"))


def test_a_local_of_another_block_may_have_the_same_name() -> None:
    p = program("active proctype P() { { byte z; z = 1 }; { short z; z = 2 } }")
    assert [v.type.kind for v in p.proctypes[0].locals] == [Kind.BYTE, Kind.SHORT]
    system = lower(p).system
    assert {"P.z", "P.z'2"} <= {variable.name for variable in system.variables}


DAMAGED = """mtype = { a, b };
chan q = [2] of { mtype, byte };
active [2] proctype P(byte n) {
    byte x;
l:  {
        do
        :: q?a,x -> if :: x > 1 -> goto l :: else -> break fi
        :: atomic { nfull(q) -> q!b,_pid }
        od
    } unless { x == 3 }
}
"""


@pytest.mark.parametrize("replacement", ["", "}", ";", "0", "if ", "("])
def test_damaged_texts_are_read_or_refused(replacement: str) -> None:
    read = refused = 0
    for k in range(0, len(DAMAGED), 2):
        try:
            lower(program(DAMAGED[:k] + replacement + DAMAGED[k + 1 :]))
            read += 1
        except UserError:
            refused += 1
    lower(program(DAMAGED))
    assert read + refused == (len(DAMAGED) + 1) // 2
    assert refused
