"""The explorer's server: who is let in, what is served, and what its answers say."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from quorbit.explorer.desk import Desk
from quorbit.explorer.server import build_app
from quorbit.pipeline.load import load

ROOT = Path(__file__).parents[3]
TOKEN, PORT = "a-token-that-nobody-guesses", 4711
HOME = f"http://127.0.0.1:{PORT}"


def client_of(path: Path) -> tuple[Desk, TestClient]:
    desk = Desk(load(path))
    return desk, TestClient(build_app(desk, TOKEN, PORT), base_url=HOME)


@pytest.fixture
def client() -> Iterator[TestClient]:
    desk, found = client_of(ROOT / "examples" / "mutex.edges")
    yield found
    desk.close()


def ask(client: TestClient, name: str, **given: Any) -> Any:
    response = client.post(f"/{TOKEN}/api/{name}", json=given)
    assert response.status_code == 200, response.text
    return response.json()


def wait_for(client: TestClient, name: str, **given: Any) -> Any:
    late = time.monotonic() + 60
    while (found := ask(client, name, **given)).get("state") == "running" or found.get("running"):
        assert time.monotonic() < late
        time.sleep(0.05)
    return found


# Who is let in.


def test_the_page_and_its_files(client: TestClient) -> None:
    page = client.get(f"/{TOKEN}/")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    for name in ("style.css", "explorer.js", "dom.js"):
        assert client.get(f"/{TOKEN}/page/{name}").status_code == 200


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/api/save", "/api/save", f"/{TOKEN}x/", f"/{TOKEN[:-1]}/"])
def test_a_wrong_token_is_refused(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 403
    assert "default-src 'none'" in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": f"evil.example:{PORT}"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:80"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_hosts_and_origins_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get(f"/{TOKEN}/", headers=headers).status_code == 403
    assert client.post(f"/{TOKEN}/api/session", json={}, headers=headers).status_code == 403


def test_the_own_origin_is_let_in(client: TestClient) -> None:
    own = {"origin": HOME, "sec-fetch-site": "same-origin"}
    assert client.post(f"/{TOKEN}/api/session", json={}, headers=own).status_code == 200


@pytest.mark.parametrize(
    "name",
    ["../../../../etc/passwd", "..%2f..%2fwrite.py", "%2e%2e/write.py", "write.py", "report.js", "../write.py", ""],
)
def test_only_listed_files_are_served(client: TestClient, name: str) -> None:
    assert client.get(f"/{TOKEN}/page/{name}").status_code in (403, 404)


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("nonsense", b"{}", 404),
        ("step", b"{", 400),
        ("step", b"[1]", 400),
        ("step", b'{"at": "x"}', 400),
        ("step", b'{"at": true}', 400),
        ("step", b'{"number": 99}', 400),
        ("step", b'{"number": -1}', 400),
        ("follow", b"{}", 400),
        ("visit", b"{}", 400),
        ("start", b'{"number": 7}', 400),
        ("begin", b'{"kind": "everything"}', 400),
        ("begin", b'{"symmetry": "maybe"}', 400),
        ("begin", b'{"properties": [1]}', 400),
        ("step", b"[" * 200_000, 413),
        ("step", b"[" * 90_000, 400),
    ],
)
def test_bad_requests_are_told(client: TestClient, name: str, body: bytes, status: int) -> None:
    response = client.post(f"/{TOKEN}/api/{name}", content=body)
    assert response.status_code == status
    assert response.json()["error"]


def test_what_changes_something_is_not_asked_by_get(client: TestClient) -> None:
    assert client.get(f"/{TOKEN}/api/undo").status_code == 405


def test_files_outside_the_folder_are_not_shown(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "secret.h"
    inside.mkdir()
    outside.write_text("proctype secret() { skip }\n")
    model = inside / "m.pml"
    model.write_text('#include "../secret.h"\ninit { run secret() }\n')
    desk, client = client_of(model)
    sources = {Path(s["name"]).name: s["text"] for s in ask(client, "session")["sources"]}
    assert sources["secret.h"] is None
    assert "init" in sources["m.pml"]
    desk.close()


# What is answered.


def test_steps_back_and_undo(client: TestClient) -> None:
    session = ask(client, "session")
    assert [move["actors"] for move in session["view"]["moves"]] == [["1"], ["2"], ["3"]]
    for _ in range(3):
        found = ask(client, "step", at=ask(client, "session")["run"]["at"], number=0)
    assert found["run"]["length"] == found["run"]["at"] == 3
    assert [row["step"] for row in ask(client, "session")["run"]["rows"]] == [1, 2, 3]
    back = ask(client, "view", at=1)
    assert ask(client, "session")["run"]["length"] == 3  # looking back forgets nothing
    taken = next(move["number"] for move in back["moves"] if move["next"])
    assert ask(client, "step", at=1, number=taken)["run"]["length"] == 3  # the same move: the rest stays
    other = next(move["number"] for move in back["moves"] if not move["next"])
    assert ask(client, "step", at=1, number=other)["run"]["length"] == 2
    assert ask(client, "undo")["run"]["length"] == 3
    assert ask(client, "redo")["run"]["length"] == 2


def test_rows_tell_what_changed(client: TestClient) -> None:
    session = ask(client, "session")
    names = [part["name"] for part in session["run"]["parts"]]
    row = ask(client, "step", at=0, number=1)["run"]["rows"][0]
    assert [[names[k], value] for k, value in row["changes"]] == [["s[2]", "T"]]
    assert row["statements"] == [["2", "N -> T", [0, 7]]]


def test_the_orbit_of_a_state(client: TestClient) -> None:
    wait_for(client, "symmetry")
    first = wait_for(client, "orbit", at=0)
    assert first["stands_for"] == "1"
    assert first["alike"] == [[0, 1, 2]]
    assert first["classes"] == [[0, 1, 2]]  # the three moves lead to one orbit
    ask(client, "step", at=0, number=0)
    second = wait_for(client, "orbit", at=1)
    assert second["stands_for"] == "3"
    assert sorted(second["alike"]) == [[0], [1, 2]]
    assert not second["is_representative"]
    assert second["step"] == second["permutation"]  # the first state is its own representative
    steps = ask(client, "permutations", first=0)
    assert steps["steps"] == [second["step"]]


def test_properties_in_a_state(tmp_path: Path) -> None:
    model = tmp_path / "m.edges"
    model.write_text("processes 2\nstates N, C\nN -> C\nC -> N\ninvariant one: #C <= 1\n")
    desk, client = client_of(model)
    status = {p["name"]: p["status"] for p in ask(client, "session")["view"]["properties"]}
    assert status["one"] == "holds"
    ask(client, "step", at=0, number=0)
    found = ask(
        client,
        "step",
        at=1,
        number=next(m["number"] for m in ask(client, "view", at=1)["moves"] if m["text"] == "N -> C"),
    )
    assert {p["name"]: p["status"] for p in found["view"]["properties"]}["one"] == "violated"
    assert found["view"]["problem"]["property"] == "one"
    desk.close()


def test_a_move_that_would_violate_an_assertion(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text("byte x; active proctype p() { x = 1; assert(x == 0) }\n")
    desk, client = client_of(model)
    found = ask(client, "step", at=0, number=0)["view"]
    assert next(p for p in found["properties"] if p["name"] == "assertions")["status"] == "near"
    found = ask(client, "step", at=1, number=0)["view"]
    assert next(p for p in found["properties"] if p["name"] == "assertions")["status"] == "violated"
    assert found["moves"] == []
    desk.close()


def test_a_check_and_its_counterexample() -> None:
    desk, client = client_of(ROOT / "examples" / "promela" / "two_locks.pml")
    ask(client, "begin", kind="check", properties=["end states"])
    job = wait_for(client, "job", kind="check")
    assert job["state"] == "done", job
    (result,) = job["result"]["results"]
    assert (result["verdict"], result["steps"], result["can_follow"]) == ("fails", 3, True)
    assert "replay" not in result
    found = ask(client, "follow", number=0)
    assert found["view"]["problem"]["message"] == "invalid end state"
    assert found["run"]["at"] == found["run"]["length"] > 0
    desk.close()


def test_a_check_of_a_property_that_is_not_there(client: TestClient) -> None:
    ask(client, "begin", kind="check", properties=["G ("])
    job = wait_for(client, "job", kind="check")
    assert job["state"] == "failed"
    assert "\n" not in job["error"]


def test_a_check_is_stopped(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text(ENDLESS)
    desk, client = client_of(model)
    ask(client, "begin", kind="check")
    late = time.monotonic() + 60
    while not ask(client, "job", kind="check")["progress"].get("states"):
        assert time.monotonic() < late
        time.sleep(0.1)
    ask(client, "stop", kind="check")
    assert ask(client, "job", kind="check")["state"] == "stopped"
    assert desk.jobs["check"].process.wait(10) != 0
    desk.close()


def test_the_state_graph(client: TestClient) -> None:
    ask(client, "begin", kind="graph")
    graph = wait_for(client, "job", kind="graph")["result"]
    assert (len(graph["unreduced"]["nodes"]), len(graph["reduced"]["nodes"])) == (20, 7)  # as the model expects
    assert sum(node["size"] for node in graph["reduced"]["nodes"]) == 20
    assert {node["orbit"] for node in graph["unreduced"]["nodes"]} == set(range(7))
    last = graph["unreduced"]["nodes"][-1]
    found = ask(client, "visit", number=19)
    assert found["view"]["key"] == last["key"]


def test_a_saved_trace(client: TestClient) -> None:
    ask(client, "walk", at=0, steps=5)
    saved = client.get(f"/{TOKEN}/api/save")
    assert saved.headers["content-disposition"] == 'attachment; filename="trace.html"'
    data = json.loads(saved.text.split('id="data">')[1].split("</script>")[0])
    assert len(data["results"][0]["run"]["rows"]) == 5
    assert data["kind"] == "trace"
    until_here = client.get(f"/{TOKEN}/api/save?at=3").text.split('id="data">')[1].split("</script>")[0]
    assert len(json.loads(until_here)["results"][0]["run"]["rows"]) == 3


def test_moves_that_cannot_be_listed() -> None:
    desk, client = client_of(ROOT / "examples" / "circuits" / "philosophers20.mv")
    view = ask(client, "session")["view"]
    assert not view["complete"]
    assert view["moves"]
    again = ask(client, "view", at=0)
    assert again["moves"] == view["moves"]  # numbers mean the same as long as one looks
    taken = ask(client, "step", at=0, number=view["moves"][0]["number"])
    assert taken["run"]["rows"][0]["text"] == view["moves"][0]["text"]
    desk.close()


def test_a_run_beyond_the_bounds_of_the_front_end(tmp_path: Path) -> None:
    """The model is read again with room for more processes; the run goes on in the larger System."""
    model = tmp_path / "m.pml"
    model.write_text("byte n; proctype p() { n++ }\ninit { do :: n < 200 -> run p() :: break od }\n")
    desk, client = client_of(model)
    first = desk.exploration.system
    for _ in range(40):
        at = desk.exploration.run.at
        moves = ask(client, "view", at=at)["moves"]
        grows = [m for m in moves if "run p()" in m["text"] or "n < 200" in m["text"] or "n<200" in m["text"]]
        ask(client, "step", at=at, number=(grows or moves)[0]["number"])
        if desk.exploration.system is not first:
            break
    assert desk.exploration.system is not first
    length = ask(client, "session")["run"]["length"]
    assert ask(client, "step", at=length, number=0)["run"]["length"] == length + 1
    desk.close()


ENDLESS = """int a, b, c;
active proctype p() { do :: a < 900 -> a++ :: b < 900 -> b++ :: c < 900 -> c++ od }
"""  # long enough to be stopped
SLOW = """byte x[8]; chan c = [4] of { byte, pid };
active [8] proctype p() { byte got; pid who;
  do
  :: x[_pid] < 4 -> x[_pid]++
  :: x[_pid] > 0 -> x[_pid]--
  :: c!x[_pid], _pid
  :: c?got, who
  od }
"""


def test_a_step_is_answered_soon(tmp_path: Path) -> None:
    """On a model of far more than 10^5 states: CPU time, for the machine may be busy with other things, of a process of
    its own, for what earlier tests have left would count."""
    model = tmp_path / "large.pml"
    model.write_text(SLOW)
    program = f"from tests.unit.explorer.test_server import steps_of; print(steps_of({str(model)!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.05


def steps_of(model: str) -> float:
    """The CPU time of a step, the median of twenty."""
    desk, client = client_of(Path(model))
    wait_for(client, "symmetry")
    ask(client, "walk", at=0, steps=30)
    spent = []
    for _ in range(20):
        at = desk.exploration.run.at
        number = ask(client, "view", at=at)["moves"][-1]["number"]
        began = time.process_time()
        ask(client, "step", at=at, number=number)
        spent.append(time.process_time() - began)
    desk.close()
    return sorted(spent)[len(spent) // 2]
