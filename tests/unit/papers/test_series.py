"""Tables and plots of series."""

import xml.etree.ElementTree as ET

from quorbit.papers.resource_controller import class_spans, fragmented, resource_controller
from quorbit.papers.series import Plot, Scale, Series, render_plot, render_table


def test_plot_is_a_picture_with_every_point() -> None:
    few, many = Series("adaptive", ((2, 9), (4, 29))), Series("plain <&>", ((2, 16), (4, 76)))
    picture = ET.fromstring(render_plot(Plot("a < b", "n", "states", (few, many))))
    names = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert names == ["adaptive: 2, 9", "adaptive: 4, 29", "plain <&>: 2, 16", "plain <&>: 4, 76"]


def test_scales() -> None:
    assert Scale(1, 100, 0, 10, logarithmic=True).place(10) == 5
    assert Scale(1, 100, 0, 10, logarithmic=True).ticks() == [1, 10, 100]
    assert Scale(0, 400, 0, 10, logarithmic=False).place(100) == 2.5
    assert Scale(0, 397, 0, 10, logarithmic=False).ticks() == [0, 100, 200, 300]


def test_table() -> None:
    table = render_table(["n", "states"], [[2, 1310716], [18, None]])
    assert table.splitlines() == [" n     states", "--  ---------", " 2  1,310,716", "18          -"]


def test_controller_text() -> None:
    text = resource_controller((1, 2))
    assert "class1: T -> G when free and #G = 0\n" in text
    assert "class2: T -> G when free and #G = 0 and forall j < 2: s[j] != T" in text
    assert list(class_spans((1, 2))) == [(1, 1), (2, 3)]
    assert fragmented(80, 3, 2) == (2, 2, 76)
