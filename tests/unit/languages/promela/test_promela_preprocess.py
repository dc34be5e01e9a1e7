"""Macros, conditions and includes; the result is compared with the C preprocessor where there is one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.languages.promela.parse.preprocess import preprocess
from quorbit.languages.promela.parse.tokens import scan
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Source


def words(text: str, *defines: str) -> list[str]:
    return [token.text for token in preprocess(Source("m.pml", text), defines)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define N 3\nN M", "3 M"),
        ("#define N M\n#define M N\nN", "N"),
        ("#define F(a, b) a + b\nF(1, (2, 3))", "1 + ( 2 , 3 )"),
        ("#define F(a) #a\nF(x + 1)", '"x + 1"'),
        ("#define CAT(a, b) a ## b\nCAT(fl, ag)", "flag"),
        ("#define V(f, ...) f(__VA_ARGS__)\nV(p, 1, 2)", "p ( 1 , 2 )"),
        ("#define F(a) a\nF", "F"),
        ("#define F (a)\nF", "( a )"),
        ("#define F(a) G(a)\n#define G(a) [a]\nF(F(1))", "[ [ 1 ] ]"),
        ("#define A 1\n#undef A\nA", "A"),
        ("#if 0\nno 'quote\n#else\nyes\n#endif", "yes"),
        ("#if 1 + 1 == 2 && !defined(X)\nyes\n#elif 1\nno\n#endif", "yes"),
        ("#ifdef X\na\n#else\nb\n#endif\n#ifndef X\nc\n#endif", "b c"),
        ("#if (3 > 2 ? 0 : 1) || -1 < 0\nyes\n#endif", "yes"),
        ("#define LONG a \\\n  b\nLONG c", "a b c"),
        ("a // b\nc /* d\n e */ f", "a c f"),
        ("0..N 1 .. 2", "0 .. N 1 .. 2"),
        ("#define N 4\n0..N 0 .. N", "0 .. N 0 .. 4"),
        ("__LINE__\n__LINE__", "1 2"),
    ],
)
def test_replaced(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


def test_command_line_definitions() -> None:
    assert words("N M", "N=5", "M") == ["5", "1"]
    with pytest.raises(UserError, match="NAME=VALUE"):
        words("x", "1=2")


def test_spans_point_into_the_original_text() -> None:
    text = "#define TWICE(x) x x\n  TWICE(abc)\n"
    first, second = preprocess(Source("m.pml", text))
    assert (first.span.line, first.span.column, first.span.text) == (2, 9, "abc")
    assert second.span == first.span


def test_lines_are_known_for_implied_semicolons() -> None:
    tokens = preprocess(Source("m.pml", "#define F(a) a 2\nx F(\n1)\ny"))
    assert [(t.text, t.first) for t in tokens] == [("x", True), ("1", False), ("2", False), ("y", True)]


def test_includes_are_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.inc").write_text('#include "b.inc"\n#define A B\n')
    (tmp_path / "b.inc").write_text("#define B 7\n")
    (tmp_path / "m.pml").write_text('#include "a.inc"\nA\n')
    assert [t.text for t in preprocess(read_source(tmp_path / "m.pml"))] == ["7"]


@pytest.mark.parametrize(
    "text", ["#if\n#endif", "#if (1\n#endif", "#define\n", "#define F(a\n", "#if 1 / 0\n#endif", "#endif"]
)
def test_bad_directives(text: str) -> None:
    with pytest.raises(UserError) as caught:
        words(text)
    assert caught.value.span.line == 1


def test_an_explosion_of_macros_ends() -> None:
    levels = "\n".join(f"#define A{k + 1} A{k} A{k}" for k in range(40))
    with pytest.raises(UserError, match="200000 tokens"):
        words(f"#define A0 x\n{levels}\nA40")


NAMES = ["A", "B", "C", "x", "y"]
BODIES = st.lists(st.sampled_from([*NAMES, "1", "+", "(", ")", ","]), max_size=5)
OBJECTS = st.tuples(st.sampled_from(NAMES[:3]), BODIES)
FUNCTIONS = st.tuples(
    st.sampled_from(["F", "G"]), st.lists(st.sampled_from(["x", "y", "A", "+", "F", "G", "(", ")"]), max_size=6)
)
CALLS = st.sampled_from(["A", "B", "C", "x", "F(x, 1)", "G(A, B)", "F(G(1, y), C)", "F (y, (x, y))", "G", "1"])


@pytest.mark.skipif(shutil.which("cpp") is None, reason="the C preprocessor is not installed")
@settings(max_examples=25)
@given(st.lists(OBJECTS, max_size=3), st.lists(FUNCTIONS, max_size=2), st.lists(CALLS, min_size=1, max_size=6))
def test_agrees_with_the_c_preprocessor(
    objects: list[tuple[str, list[str]]], functions: list[tuple[str, list[str]]], calls: list[str]
) -> None:
    lines = [f"#define {name} {' '.join(body)}" for name, body in dict(objects).items()]
    lines += [f"#define {name}(x, y) {' '.join(body)}" for name, body in dict(functions).items()]
    text = "\n".join([*lines, " ".join(calls), ""])
    theirs = subprocess.run(["cpp", "-P"], input=text, capture_output=True, text=True, check=False)
    try:
        mine = words(text)
    except UserError:
        assert theirs.returncode != 0
        return
    if theirs.returncode == 0:
        assert mine == [token.text for token in scan(Source("cpp", theirs.stdout))]
