"""Pages in one file: the modules fit together, no data can leave its element, the policy fits the script."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

import quorbit
from quorbit.model.meaning.evaluate import Meaning
from quorbit.report.page.check_data import Beside, check_data, symmetry_page_data
from quorbit.report.page.run_data import RunTeller
from quorbit.report.page.symmetry_data import short
from quorbit.report.page.write import ASSETS, bundle, html_page, modules_of
from quorbit.report.told import Teller

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("page", ["report.js", "explorer.js"])
def test_no_name_is_used_twice(page: str) -> None:
    """For a file the modules become one script, in which every name at the top stands for one thing."""
    text = bundle(page)
    names = re.findall(r"^(?:async )?(?:function|class) (\w+)", text, re.MULTILINE)
    for declared in re.findall(r"^(?:const|let) ([^=;]+)=", text, re.MULTILINE):
        names += re.findall(r"\w+", declared) if declared.startswith("{") else [declared.split(",")[0].strip()]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)


def test_modules_come_after_what_they_need() -> None:
    found = modules_of("report.js")
    assert found[-1] == "report.js"
    assert found.index("dom.js") < found.index("rows.js") < found.index("trace_table.js")


def test_every_module_is_used() -> None:
    used = {"style.css", *modules_of("report.js"), *modules_of("explorer.js")}
    assert {file.name for file in ASSETS.iterdir()} == used


def test_nothing_reads_html_and_nothing_is_loaded_from_elsewhere() -> None:
    for file in ASSETS.iterdir():
        text = file.read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"):
            assert word not in text, file
        assert "http" not in text.replace("http://www.w3.org/2000/svg", ""), file
        assert "url(" not in text.replace("url(#", "").replace("`url(#", ""), file


def test_the_policy_fits_the_script() -> None:
    page = html_page(check_data(quorbit.check(EXAMPLES / "mutex.edges")), "")
    script = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert len(script) == 1
    digest = b64encode(sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert len(page) < 300_000


def test_data_cannot_leave_its_element() -> None:
    page = html_page({"name": "</script><b>", "title": "&lt;<!--"}, "</pre><i>")
    assert page.count("</script>") == 2
    assert "<b>" not in page
    assert "<i>" not in page
    inner = re.findall(r'id="data">(.*?)</script>', page)[0]
    assert json.loads(inner) == {"name": "</script><b>", "title": "&lt;<!--"}


def test_states_follow_from_the_changes() -> None:
    results = quorbit.check(EXAMPLES / "promela" / "two_locks.pml")
    run = check_data(results)["results"][0]["run"]
    values = list(run["start"])
    for row in run["rows"]:
        for part, value in row["changes"]:
            values[part] = value
    trace = results.worst.outcome.trace
    assert trace is not None
    told = Teller(Meaning(results.worst.system)).state(trace.steps[-1].state)
    assert dict(zip([part["name"] for part in run["parts"]], values, strict=True)) == told


def test_a_very_long_trace_is_told_in_two_pieces(tmp_path: Path) -> None:
    model = tmp_path / "long.pml"
    model.write_text("int n; active proctype p() { do :: n < 7000 -> n++ :: n == 7000 -> assert(false) od }\n")
    run = check_data(quorbit.check(model))["results"][0]["run"]
    gaps = [row for row in run["rows"] if "gap" in row]
    assert len(gaps) == 1
    assert len(run["rows"]) < 12_000
    assert run["steps"] - gaps[0]["gap"] == 5000


def test_what_is_told_beside_the_answer() -> None:
    results = quorbit.check(EXAMPLES / "mutex.edges")
    beside = Beside((1, 3, 6), ({"pair": ["1", "2"], "at": None, "written": "", "message": "why"},))
    data = check_data(results, beside)
    assert data["levels"]["unreduced"] == [1, 3, 6][: len(data["levels"]["reduced"])]
    assert data["symmetry"]["missing"][0]["message"] == "why"
    assert data["saved"].startswith("at most")
    assert symmetry_page_data("m", results.counted.symmetry)["symmetry"]["orbits"] == [[0, 1, 2]]


def test_a_part_belongs_to_its_process() -> None:
    model = quorbit.load(EXAMPLES / "promela" / "service.pml")
    parts = {part["name"]: (part["owner"], part["label"]) for part in RunTeller(model.system, model.path).parts()}
    assert parts["client[1].mine"] == ("client[1]", "mine")
    assert parts["desk"] == (None, "desk")


def test_large_numbers_are_short() -> None:
    assert (short(1234), short(2.5), short(10**40)) == ("1,234", "2.5", "about 10^40")
