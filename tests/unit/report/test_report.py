"""Reports: everything escaped, all digits, pictures of the right shape."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from math import factorial
from pathlib import Path

import pytest

import quorbit
from quorbit.report.digits import decimal
from quorbit.report.page.check_data import check_data
from quorbit.report.page.write import html_page
from quorbit.report.pictures.local_states import local_states
from quorbit.report.pictures.symmetry import draw_symmetry
from quorbit.report.text import Paint, show_checks
from quorbit.report.text_tables import table

NASTY = "<script>alert(1)</script>"


@pytest.fixture
def failing(tmp_path: Path) -> quorbit.CheckResults:
    model = tmp_path / "model.edges"
    model.write_text(f'processes 3\nstates A, B\nA -> B as "{NASTY}"\nB -> B\ninvariant "{NASTY}": #B < 3\n')
    return quorbit.check(model)


def test_html_escapes_the_model(failing: quorbit.CheckResults) -> None:
    page = html_page(check_data(failing), show_checks(failing, Paint()))
    assert NASTY not in page
    assert "\\u003cscript\\u003e" in page
    assert "&lt;script&gt;" in page  # in the text for who reads it without scripts
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_pictures_are_well_formed(failing: quorbit.CheckResults) -> None:
    symmetry = ElementTree.fromstring(draw_symmetry(quorbit.symmetry(failing.worst.path)))
    atoms = [g for g in symmetry.findall("{*}g") if g.get("class") == "o0"]
    assert [[text.text for text in g.findall("{*}text")] for g in atoms] == [["A", "1"], ["A", "2"], ["A", "3"]]
    model = quorbit.load(failing.worst.path)
    diagram = ElementTree.fromstring(model._repr_svg_())
    assert len([g for g in diagram.findall("{*}g") if g.get("class") == "state"]) == 2
    assert NASTY not in model._repr_svg_()


def test_local_state_diagram(tmp_path: Path) -> None:
    path = tmp_path / "model.edges"
    path.write_text("processes 2 states N, T, C N -> T T -> C when #C = 0 T -> C when i = 1 C -> N N, C -> C")
    diagram = local_states(quorbit.load(path).system)
    assert diagram is not None
    assert diagram.states == ("N", "T", "C")
    assert diagram.initial == {0}
    arrows = {arrow: len(labels) for arrow, labels in diagram.arrows}
    assert arrows == {(0, 1): 1, (1, 2): 2, (2, 0): 1, (0, 2): 1, (2, 2): 1}


def test_json_can_be_written(failing: quorbit.CheckResults) -> None:
    found = json.loads(json.dumps(failing.to_json()))
    assert found["property"] == NASTY
    assert len(found["trace"]) == 4


def test_text_shows_each_step(failing: quorbit.CheckResults) -> None:
    text = show_checks(failing, Paint())
    assert [f"s[{k}] = B" in text for k in (1, 2, 3)] == [True] * 3
    assert "\x1b[31mFAILS\x1b[0m" in show_checks(failing, Paint(True))


def test_api_is_lazy_and_complete() -> None:
    for name in quorbit.__all__:
        assert getattr(quorbit, name) is not None
    with pytest.raises(AttributeError):
        quorbit.nonsense  # noqa: B018


@pytest.mark.parametrize("n", [0, 1, 10**1232, 2**4096 - 1, 2**4096, 2**4097, 10**4000 - 1, factorial(1500)])
def test_all_digits(n: int) -> None:
    assert decimal(n) == str(n)


def test_digits_of_a_huge_number() -> None:
    assert decimal(10**100_000) == "1" + "0" * 100_000
    assert decimal(-(10**5000)) == "-1" + "0" * 5000


def test_table_leaves_empty_columns_out() -> None:
    assert table(["a", "b", "c"], [["1", "", "33"], ["2", "", "4"]]) == ["  a  c", "  1  33", "  2  4"]
