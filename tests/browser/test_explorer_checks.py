"""The explorer in a browser: properties, checks, counterexamples, the state graph, hostile names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
Open = Callable[..., Any]
Explore = Callable[..., str]
ENDLESS = "int a, b, c;\nactive proctype p() { do :: a < 900 -> a++ :: b < 900 -> b++ :: c < 900 -> c++ od }\n"
NASTY = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def test_run_to_a_violation(explore: Explore, open_page: Open) -> None:
    page = open_page(explore(ROOT / "examples" / "promela" / "two_locks.pml")).page
    page.wait_for_selector(".property")
    assert page.locator('[data-property="end states"] .status').inner_text() == "✓ holds"
    page.locator('[data-property="end states"] button').click()
    page.wait_for_selector(".problem:visible")
    assert "invalid end state" in page.locator(".problem").inner_text()
    assert page.locator('[data-property="end states"] .status').inner_text() == "✗ violated"
    assert page.locator(".trace-row.end").inner_text().startswith("✗ end states")
    assert page.locator(".source-line.now").count() > 0
    assert page.locator('[data-answer="fails"]').count() == 1
    page.locator('[data-property="assertions"] button').click()  # none exists
    page.wait_for_selector(".told:visible")
    assert "holds" in page.locator(".told").inner_text()


def test_check_all_and_step_through(explore: Explore, open_page: Open, tmp_path: Path) -> None:
    model = tmp_path / "two.pml"
    model.write_text(
        "byte x; active [2] proctype p() { do :: atomic { x < 3 -> x++ } :: atomic { x > 0 -> x-- } od }\n"
        "ltl never_three { [] (x != 3) }\nltl small { [] (x < 4) }\n"
    )
    page = open_page(explore(model)).page
    page.wait_for_selector(".property")
    assert "!(x == 3): true" in page.locator('[data-property="never_three"]').inner_text()
    page.locator('[data-action="check"]').click()
    page.wait_for_selector(".answer")
    found = {row.split()[2] if row[0] in "✓✗" else row: row[0] for row in page.locator(".answer").all_inner_texts()}
    assert len(found) == 3
    assert page.locator('[data-answer="fails"]').count() == 1
    page.locator('[data-action="follow"]').click()
    page.wait_for_function("() => !document.querySelector('.position').textContent.startsWith('0 ')")
    assert "x = 3" in page.locator(".trace-panel").inner_text()


def test_progress_and_stop(explore: Explore, open_page: Open, tmp_path: Path) -> None:
    model = tmp_path / "endless.pml"
    model.write_text(ENDLESS)
    page = open_page(explore(model)).page
    page.wait_for_selector(".property")
    page.locator('[data-action="check"]').click()
    figure = "(document.querySelector('.progress').textContent.match(/([\\d,]+) states/) ?? ['', '0'])[1]"
    states = f"Number({figure}.replaceAll(',', ''))"
    page.wait_for_function(f"() => {states} > 0")
    first = page.evaluate(states)
    page.wait_for_function(f"() => {states} > {first}")  # it is live
    page.locator(".move-button").first.click()  # and steps are answered meanwhile
    page.wait_for_function("() => document.querySelector('.position').textContent === '1 of 1'")
    page.locator('[data-action="stop"]').click()
    page.wait_for_function("() => document.querySelector('.answers').textContent.includes('stopped')")


def test_state_graph_side_by_side(explore: Explore, open_page: Open) -> None:
    page = open_page(explore(ROOT / "examples" / "mutex.edges")).page
    page.wait_for_selector(".move-button")
    page.keyboard.press("g")
    page.wait_for_selector(".graph-canvas.unreduced")
    assert page.locator(".unreduced .graph-node").count() == 20
    assert page.locator(".reduced .graph-node").count() == 7
    colours = page.evaluate("""() => {
      const found = {};
      for (const node of document.querySelectorAll(".graph-node")) {
        (found[node.dataset.orbit] ??= new Set()).add(getComputedStyle(node.querySelector("circle")).fill);
      }
      return Object.entries(found).filter(([orbit]) => orbit > 0).map(([, fills]) => fills.size);
    }""")
    assert colours == [1] * 6  # states of one orbit look alike on both sides
    assert page.locator(".unreduced .graph-node.here").count() == 1
    page.locator(".unreduced .graph-node").nth(19).click()
    page.wait_for_function("() => !document.querySelector('.position').textContent.startsWith('0 ')")
    nodes = "[...document.querySelectorAll('.unreduced .graph-node')]"
    page.wait_for_function(f"() => {nodes}.findIndex(node => node.classList.contains('here')) === 19")
    orbit = page.locator(".unreduced .graph-node").nth(19).get_attribute("data-orbit")
    assert page.locator(".reduced .graph-node.here").get_attribute("data-orbit") == orbit
    page.locator(".reduced .graph-node").nth(1).hover()
    assert page.locator(".unreduced .graph-node.same").count() == 3


def test_hostile_names(explore: Explore, open_page: Open, tmp_path: Path) -> None:
    """Names, strings and file names of a model stay text everywhere on the page."""
    folder = tmp_path / "<b onclick=alert(3)>&amp;"
    folder.mkdir()
    model = folder / "<svg onload=alert(4)>.edges"
    model.write_text(
        f'// {NASTY}\nprocesses 2\nstates N, C\nN -> C as "{NASTY}"\nC -> N\ninvariant "{NASTY}": #C <= 1\n'
    )
    watched = open_page(explore(model))
    page = watched.page
    page.wait_for_selector(".move-button")
    page.keyboard.press("1")
    page.wait_for_function("() => document.querySelector('.position').textContent === '1 of 1'")
    for key in "lmgt":
        page.keyboard.press(key)
    page.keyboard.press("c")
    page.wait_for_selector(".answer")
    page.locator('[data-action="follow"]').click()
    page.wait_for_selector(".problem:visible")
    page.wait_for_timeout(200)
    assert page.locator("img, #page script, b, #page svg[onload], iframe").count() == 0
    assert NASTY in page.locator(".problem").inner_text()
    assert "<svg onload=alert(4)>.edges" in page.locator(".model").inner_text()
    assert NASTY in page.locator(".source").inner_text()
    with page.expect_download() as waiting:
        page.locator('[data-action="save"]').click()
    file = tmp_path / "saved.html"
    waiting.value.save_as(file)
    saved = open_page(file.as_uri()).page
    saved.wait_for_selector(".trace-row.row")
    assert saved.locator("img, b, iframe").count() == 0
    assert NASTY in saved.locator(".trace-panel").inner_text()
