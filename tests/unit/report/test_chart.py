"""Message sequence charts: which message goes where."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

from quorbit.engines.simulate.random_walk import walk
from quorbit.engines.simulate.session import Session
from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.report.pictures.chart import Chart, Message, Note, draw_chart, only_messages, show_chart
from quorbit.report.pictures.chart_svg import chart_svg
from quorbit.report.pictures.messages import first_extra, last_extra


def chart_of(tmp_path: Path, text: str, steps: int = 50) -> Chart:
    path = tmp_path / "m.pml"
    path.write_text(text, encoding="utf-8")
    session = Session(load(path, LoadOptions(stepwise=True)).system)
    list(walk(session, steps))
    return draw_chart(session.system, session.trace())


def test_the_first_message_is_received_first(tmp_path: Path) -> None:
    chart = chart_of(
        tmp_path,
        """chan q = [3] of { byte }; bool go;
        active proctype A() { q!5; q!5; q!6; go = true }
        active proctype B() { byte x; go; q?x; q?x }""",
    )
    assert chart.processes == ("A", "B")
    assert [(m.text, m.sender, m.sent, m.receiver) for m in chart.messages] == [
        ("5", "A", 1, "B"),
        ("5", "A", 2, "B"),
        ("6", "A", 3, None),
    ]
    first, second, _ = (m.received for m in chart.messages)
    assert first is not None
    assert second is not None
    assert 4 < first < second
    assert chart.notes[0] == Note(4, "A", "go = true")


def test_a_sorted_send_and_a_searching_receive(tmp_path: Path) -> None:
    chart = chart_of(
        tmp_path,
        """chan q = [3] of { byte, byte };
        init { q!2,20; q!!1,10; q??2,_ }""",
    )
    assert [(m.text, m.received) for m in chart.messages] == [("2, 20", 3), ("1, 10", None)]


def test_names_of_messages_and_a_handshake(tmp_path: Path) -> None:
    chart = chart_of(
        tmp_path,
        """mtype = { hello, bye }; chan c = [0] of { mtype }; chan d = [1] of { mtype };
        active proctype A() { c!hello; d!bye } active proctype B() { c?hello }""",
    )
    assert Message("", "c!hello / c?hello", "A", 1, "B", 1) in chart.messages
    assert [m.text for m in chart.messages if m.channel == "d"] == ["bye"]


def test_where_a_message_was_put() -> None:
    assert last_extra((1, 2, 3), (1, 3)) == first_extra((1, 2, 3), (1, 3)) == 1
    assert (last_extra((1, 1), (1,)), first_extra((1, 1), (1,))) == (1, 0)
    assert last_extra((1, 2), (3,)) is None


def test_text_and_svg() -> None:
    chart = Chart(
        ("A", "<B>"),
        3,
        (Note(1, "A", 'x = "<&>"'),),
        (Message("", "m", "<B>", 2, "A", 2), Message("q", "7", "A", 3)),
    )
    rows = show_chart(chart).splitlines()
    assert rows[0].split() == ["A", "<B>"]
    assert "|<" in rows[2]
    assert "q ! 7" in rows[3]
    root = ElementTree.fromstring(chart_svg(chart))
    texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<B>", 'x = "<&>"', "m", "q: 7"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == 3  # the arrow head and two messages
    assert only_messages(chart).notes == ()
    assert "x =" not in show_chart(only_messages(chart))


def test_a_picture_of_many_processes_has_room_for_all() -> None:
    """Sixty processes with long names: no two boxes of a row overlap, and all are inside the picture."""
    names = tuple(f"a_process_with_a_long_name[{k}]" for k in range(60))
    notes = tuple(Note(1, name, f"{name} does something that takes many words to say") for name in names)
    root = ElementTree.fromstring(chart_svg(Chart(names, 1, notes, ())))
    boxes = sorted((float(e.get("x", "")), float(e.get("width", ""))) for e in root.iter() if e.get("class") == "box")
    assert len(boxes) == 60
    assert all(x + width < next_x for (x, width), (next_x, _) in pairwise(boxes))
    assert boxes[-1][0] + boxes[-1][1] < float(root.get("width", ""))


def test_nothing_happened() -> None:
    assert show_chart(Chart((), 0, (), ())) == "nothing happened\n"
