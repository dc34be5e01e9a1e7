"""Reports in a browser: all there, nothing overlaps, nothing is cut, from 3 to 60 processes and 360 to 2,560 pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
Open = Callable[..., Any]
Report = Callable[..., str]

HERE = Path(__file__).parent
CLIPPED, OVERLAPS, CONTRAST = (
    (HERE / f"{name}.js").read_text(encoding="utf-8").partition("\n")[2] for name in ("clipped", "overlaps", "contrast")
)


def model_of(tmp_path: Path, processes: int) -> Path:
    """Processes that send to each other until an assertion fails; the last is told apart from the others."""
    model = tmp_path / "many.pml"
    model.write_text(
        f"#define N {processes}\nmtype = {{ request, a_rather_long_message_name }};\n"
        "chan to_the_server = [3] of { mtype, pid }; byte served;\n"
        f"active [{processes - 1}] proctype client_with_a_long_name() {{ to_the_server!request, _pid }}\n"
        "active proctype server() { mtype m; pid who; do :: to_the_server?m, who -> served++; assert(served < 3) od }\n"
    )
    return model


@pytest.mark.parametrize("processes", [3, 60])
def test_no_overlap_and_no_clipping(report: Report, open_page: Open, tmp_path: Path, processes: int) -> None:
    address = report("check", str(model_of(tmp_path, processes)), "--property", "safety", "--timeout", "60")
    for width, height in ((360, 740), (800, 900), (1440, 900), (2560, 1440)):
        page = open_page(address, width, height).page
        page.wait_for_selector(".panel")
        assert page.evaluate(CLIPPED) == [], width
        assert page.evaluate(OVERLAPS, ".chip, .orbit-title") == [], width
        assert page.evaluate(OVERLAPS, ".vertex rect") == [], width
        if page.locator('[data-tab="lanes"]').count():
            page.keyboard.press("l")
            page.wait_for_selector(".lane-row .box")
            assert page.evaluate(OVERLAPS, ".lanes:not([hidden]) .lane-row rect.box") == [], width
            assert page.evaluate(OVERLAPS, ".lanes:not([hidden]) .lane-name") == [], width
            assert page.evaluate(CLIPPED) == [], width


def test_a_failing_check(report: Report, open_page: Open) -> None:
    watched = open_page(report("check", str(ROOT / "examples" / "promela" / "two_locks.pml")))
    page = watched.page
    assert page.locator(".headline .badge").inner_text() == "✗ fails"
    assert page.locator(".headline h1").inner_text() == "end states"
    assert "two_locks.pml" in page.locator(".top").inner_text()
    assert "at most 2.0 times fewer states" in page.locator(".saved").inner_text()
    cards = dict(text.split("\n") for text in page.locator(".card").all_inner_texts())
    assert cards["states"] == "6"
    assert cards["symmetry"] == "S2"
    assert page.locator(".trace-row.row").count() > 2
    assert page.locator(".trace-row.end").inner_text().startswith("✗ end states")
    assert page.locator(".source-line.trace").count() > 1
    page.locator('[data-at="2"]').click()
    assert page.locator(".state td.changed").count() > 0
    page.keyboard.press("l")
    assert page.locator(".lane-name:visible").all_inner_texts() == ["worker[1]", "worker[2]", "init"]
    assert page.locator("pre", has_text="never").count() == 0
    assert watched.requests == [page.url]


def test_symmetry_as_a_picture(report: Report, open_page: Open) -> None:
    page = open_page(report("check", str(ROOT / "examples" / "promela" / "service.pml"))).page
    assert page.locator(".orbit-row").count() == 4  # clients, servers, answers, what stays
    names = page.locator(".chip").all_inner_texts()
    assert "A\nclient[1]" in names or "Aclient[1]" in names
    assert page.locator(".overlay .move").count() == 0
    page.locator(".generator").first.focus()
    assert page.locator(".overlay .move").count() >= 2
    assert page.locator(".diagram .moves .move").count() >= 2  # on the channel diagram behind them, too
    assert page.locator(".vertex.process").count() >= 5
    assert page.locator(".wire.send").count() >= 3
    assert page.locator("rect.reduced").count() > 5
    assert page.locator("rect.unreduced").count() > 5  # small enough to be counted without symmetry
    assert (
        page.locator(".coverage").inner_text().startswith("8 statements")
        or "statements of" in page.locator(".coverage").inner_text()
    )


def test_what_breaks_a_missing_symmetry(report: Report, open_page: Open) -> None:
    page = open_page(report("check", str(ROOT / "examples" / "readers_writers.edges"))).page
    told = page.locator(".missing li").all_inner_texts()
    assert told
    page.locator(".missing button.link").first.click()
    assert page.locator(".source-line.now").count() == 1


def test_a_netlist_behind_the_latches(report: Report, open_page: Open) -> None:
    page = open_page(report("check", str(ROOT / "examples" / "circuits" / "ping_pong.mv"))).page
    assert page.locator(".diagram h3").inner_text().startswith("Netlist")
    assert sorted(page.locator(".vertex text").all_text_contents()) == ["a.hit", "b.hit", "ball_a", "ball_b"]


def test_lanes_of_variables_where_nobody_acts(report: Report, open_page: Open) -> None:
    page = open_page(report("check", str(ROOT / "examples" / "b" / "PhoneBookErr.mch"))).page
    page.keyboard.press("l")
    assert page.locator(".lane-name:visible").all_inner_texts() == ["operation", "book", "listed", "used"]
    assert "erase(NAME1, NUMBER2)" in (page.locator(".lane-row").last.text_content() or "")
    assert page.evaluate(OVERLAPS, ".lanes:not([hidden]) .lane-row rect.box") == []


def test_several_answers_and_a_loop(report: Report, open_page: Open, tmp_path: Path) -> None:
    model = tmp_path / "two.pml"
    model.write_text(
        "bit x; active proctype p() { do :: x = 1 :: x = 0 od }\nltl a { <> (x == 1) }\nltl b { [] (x < 2) }\n"
    )
    page = open_page(report("check", str(model))).page
    assert page.locator(".results .badge").all_inner_texts() == ["✓ holds", "✗ fails", "✓ holds"]
    assert page.locator(".trace-row.mark").inner_text() == "from here on, over and over"
    assert "and so on forever" in page.locator(".trace-row.end").inner_text()


def test_the_symmetry_alone(report: Report, open_page: Open) -> None:
    page = open_page(report("symmetry", str(ROOT / "examples" / "promela" / "three_tiered.pml"))).page
    assert "S2 wr S2" in page.locator("h1").inner_text()
    assert page.locator(".chip.orbit").count() >= 4
    assert page.locator(".trace-row").count() == 0


def test_print_shows_all_rows_on_white(report: Report, open_page: Open, tmp_path: Path) -> None:
    model = tmp_path / "long.pml"
    model.write_text("int n; active proctype p() { do :: n < 500 -> n++ :: n == 500 -> assert(false) od }\n")
    page = open_page(report("check", str(model)), color_scheme="dark").page
    assert page.locator(".trace-row").count() < 300
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".trace-row.row").count() > 400
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_contrast_of_all_texts(report: Report, open_page: Open) -> None:
    """WCAG AA: 4.5 to 1 against what lies behind, in light and in dark."""
    address = report("check", str(ROOT / "examples" / "promela" / "two_locks.pml"))
    for scheme in ("light", "dark"):
        page = open_page(address, color_scheme=scheme).page
        page.wait_for_selector(".trace-row")
        assert page.evaluate(CONTRAST) == []
