"""The explorer in a browser: every feature of its page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SERVICE = ROOT / "examples" / "promela" / "service.pml"
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def service(explore: Callable[..., str]) -> str:
    return explore(SERVICE)


@pytest.fixture
def page(service: str, open_page: Open) -> Any:
    """The service with three clients, at its start."""
    found = open_page(service).page
    found.locator(".move-button").first.wait_for()
    found.keyboard.press("Home")
    return found


def position(page: Any) -> str:
    return str(page.locator(".position").inner_text())


def settle(page: Any, wanted: str) -> None:
    page.wait_for_function("text => document.querySelector('.position').textContent === text", arg=wanted)


def walk(page: Any, steps: int = 10) -> None:
    """At random, from the start; what was there before is forgotten."""
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelector('.position').textContent.startsWith('0 of')")
    page.wait_for_function("() => document.querySelectorAll('.move-button').length > 0")
    page.locator(f'[data-walk="{steps}"]').click()
    settle(page, f"{steps} of {steps}")


def test_steps_by_clicking_back_forward_and_undo(page: Any) -> None:
    walk(page)
    moves = page.locator(".move-button").count()
    page.locator(".move-button").nth(moves - 1).click()
    settle(page, "11 of 11")
    page.locator('[data-action="back"]').click()
    settle(page, "10 of 11")
    page.wait_for_selector(".move-button.next")  # the move that was taken here
    page.locator('[data-action="forward"]').click()
    settle(page, "11 of 11")
    page.locator('[data-at="3"]').click()
    settle(page, "3 of 11")
    page.wait_for_selector(".move-button.next")
    page.locator(".move-button:not(.next)").first.click()  # another way: what followed is forgotten
    settle(page, "4 of 4")
    page.locator('[data-action="undo"]').click()
    settle(page, "3 of 11")
    page.locator('[data-action="redo"]').click()
    settle(page, "4 of 4")


def test_keyboard(page: Any) -> None:
    walk(page)
    page.keyboard.press("ArrowLeft")
    settle(page, "9 of 10")
    page.keyboard.press("Home")
    settle(page, "0 of 10")
    page.keyboard.press("ArrowDown")
    settle(page, "1 of 10")
    page.keyboard.press("End")
    settle(page, "10 of 10")
    page.wait_for_selector(".move-button")
    page.keyboard.press("1")
    settle(page, "11 of 11")
    page.keyboard.press("u")
    settle(page, "10 of 10")
    page.keyboard.press("r")
    settle(page, "11 of 11")
    page.keyboard.press("l")
    assert page.locator('[data-tab="lanes"]').get_attribute("aria-selected") == "true"
    page.keyboard.press("t")
    page.keyboard.press("?")
    assert page.locator("dialog[open] kbd").count() > 10
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"


def test_search_in_moves_and_states(page: Any) -> None:
    walk(page, 100)
    search = page.locator(".toolbar input[type=search]")
    search.fill("customer!done")
    found = page.locator(".hits").inner_text()
    count = int(re.fullmatch(r".+ of (\d+)", found)[1])  # type: ignore[index]
    assert count > 2
    search.press("Enter")
    here = page.locator(".trace-row.now")
    assert "customer!done" in here.inner_text()
    assert "hit" in here.get_attribute("class")
    search.fill("answer1 = [done]")  # a state
    search.press("Enter")
    assert page.locator('td[data-part="answer1"]').inner_text().startswith("[done]")
    search.fill("no such thing")
    assert page.locator(".hits").inner_text() == "no match"
    search.press("Escape")


def test_the_state_with_what_changed(page: Any) -> None:
    walk(page)
    changes = page.locator(".trace-row.now").get_attribute("data-at")
    assert changes == "10"
    page.locator('[data-at="2"]').click()  # a client has sent its request
    cell = page.locator(".state td.changed")
    assert cell.count() == 1
    assert cell.get_attribute("data-part") == "desk"
    assert cell.get_attribute("title") == "was []"
    names = page.locator(".matrix tbody th").all_inner_texts()
    assert names == ["client[1]", "client[2]", "client[3]", "server[4]", "server[5]"]
    page.locator(".filter").fill("answer")
    shown = page.locator(".state .pairs th").all_inner_texts()
    assert shown == ["desk", "answer1", "answer2", "answer3"]  # the desk holds a request of answer3
    page.locator(".filter").fill("")


def test_source_lines_of_the_step_are_marked(page: Any) -> None:
    walk(page)
    page.locator('[data-at="2"]').click()
    assert page.locator(".source-line.now").get_attribute("data-line") == "16"
    assert "desk!request" in page.locator(".source-line.now").inner_text()
    assert page.locator(".source-line.trace").count() > 3
    box, line = page.locator(".source").bounding_box(), page.locator(".source-line.now").bounding_box()
    assert box["y"] <= line["y"] <= box["y"] + box["height"]  # it was scrolled to


def test_swim_lanes_and_message_chart(page: Any) -> None:
    walk(page, 100)
    page.locator('[data-tab="lanes"]').click()
    heads = page.locator(".lanes:visible .lane-name").all_inner_texts()
    assert heads == ["client[1]", "client[2]", "client[3]", "server[4]", "server[5]", "init"]
    assert page.locator(".lanes:visible .message path").count() > 3
    assert page.locator(".lanes:visible rect.now").count() == 1
    page.locator('.lanes:visible .lane-row[data-at="99"]').dispatch_event("click")
    assert position(page) == "99 of 100"
    page.locator('[data-tab="messages"]').click()
    shown = page.locator(".lanes:visible .lane-row").all_text_contents()
    assert shown
    assert not any("assert" in text or "run client" in text for text in shown)  # messages only
    assert any("desk ! request" in text for text in shown)
    assert "init" not in page.locator(".lanes:visible .lane-name").all_inner_texts()
    page.locator(".lanes:visible .toggle input").check()
    page.keyboard.press("Home")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.lane-row')].some(row => row.textContent.includes('assert'))"
    )
    page.locator(".lanes:visible .toggle input").uncheck()
    page.locator('[data-tab="trace"]').click()


def test_the_orbit(page: Any) -> None:
    page.wait_for_selector('[data-fact="alike"] .alike')
    groups = page.locator('[data-fact="alike"] .alike').all_inner_texts()
    assert len(groups) == 3  # at the start: clients, servers, their channels
    assert "this state" in page.locator('[data-fact="representative"]').inner_text()
    walk(page)
    page.locator('[data-at="2"]').click()
    page.wait_for_function("() => document.querySelector('[data-fact=stands]')?.textContent.startsWith('3 states')")
    assert page.locator('[data-fact="step"]').inner_text().startswith("(")
    page.wait_for_selector(".extra.soft")  # the permutations stand in the trace, too
    assert page.locator(".extra.soft").first.inner_text().startswith("g = (")
    page.keyboard.press("o")
    page.locator("dialog[open] .chip").first.wait_for()
    page.locator("dialog[open] .generator").first.hover()
    assert page.locator("dialog[open] .overlay .move").count() >= 2
    page.keyboard.press("Escape")


def test_moves_that_lead_to_one_orbit_are_told(explore: Callable[..., str], open_page: Open) -> None:
    page = open_page(explore(ROOT / "examples" / "mutex.edges")).page
    page.wait_for_selector(".move-button .class")
    assert page.locator(".move-button .class").all_inner_texts() == ["≅1", "≅1", "≅1"]
    page.keyboard.press("1")
    page.wait_for_function("() => document.querySelectorAll('.move-button .class').length === 2")


def test_light_and_dark(service: str, open_page: Open) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page = open_page(service, color_scheme=scheme).page
        page.wait_for_selector(".move-button")
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]
    page.locator('[data-action="theme"]').click()  # the user's choice goes before the system's
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == grounds[0]
    page.locator('[data-action="theme"]').click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == grounds[1]


def test_a_thousand_steps_without_delay(page: Any) -> None:
    walk(page, 100)
    for k in range(2, 11):
        page.locator('[data-walk="100"]').click()
        settle(page, f"{100 * k} of {100 * k}")
    assert page.locator(".trace-row").count() < 200  # only what is in view is drawn
    moved = """async () => {
      const times = [];
      for (const key of ["Home", "End", "ArrowUp", "ArrowUp", "Home", "ArrowDown", "End"]) {
        const began = performance.now();
        document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
        document.body.offsetHeight;
        times.push(performance.now() - began);
        await new Promise((done) => setTimeout(done, 30));
      }
      return times.sort((a, b) => a - b)[3];
    }"""
    assert page.evaluate(moved) < 100
    settle(page, "1000 of 1000")
    assert page.locator(".trace-row.now").get_attribute("data-at") == "1000"
    assert page.locator('[data-part="desk"]').inner_text()
    page.keyboard.press("l")
    assert page.locator(".lanes:visible .lane-row").count() < 200
    page.keyboard.press("t")


def test_a_saved_trace_is_one_file(page: Any, open_page: Open, tmp_path: Path) -> None:
    walk(page)
    page.locator('[data-at="6"]').click()
    settle(page, "6 of 10")
    page.wait_for_function("() => document.querySelector('.trace-row.now').dataset.at === '6'")
    with page.expect_download() as waiting:
        page.locator('[data-action="save"]').click()
    file = tmp_path / "trace.html"
    waiting.value.save_as(file)
    saved = open_page(file.as_uri(), offline=True)
    rows = saved.page.locator(".trace-row.row")
    assert rows.count() == 6  # up to where the user stands
    assert saved.page.locator(".source-line.now").count() > 0
    assert saved.requests == [file.as_uri()]
    saved.page.keyboard.press("Home")
    assert saved.page.locator(".trace-row.now").get_attribute("data-at") == "0"


def test_nothing_comes_from_elsewhere_and_little_is_loaded(service: str, open_page: Open) -> None:
    watched = open_page("about:blank")
    sizes = []
    watched.page.on("response", lambda response: sizes.append(len(response.body())))
    watched.page.goto(service)
    watched.page.wait_for_selector(".move-button")
    origin = service.split("/")[2]
    assert all(url.startswith((f"http://{origin}/", "data:", "about:")) for url in watched.requests)
    assert sum(sizes) < 300_000
    answer = watched.page.request.get(service)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
