"""``keeps``: a partition that the user claims for an edge is read, and refused if the edge does not keep it."""

from pathlib import Path

import pytest

from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.source.errors import UserError
from quorbit.source.span import Source

HEAD = "const k = 2\nprocesses 4\nstates A, B\nshared x: bool = false\n"


@pytest.mark.parametrize(
    ("clause", "partition"),
    [
        ("keeps |1..4|", ((0, 1, 2, 3),)),
        ("keeps |1, 3|2|4|", ((0, 2), (1,), (3,))),
        ("keeps | 1..k | k + 1..4 | when x", ((0, 1), (2, 3))),
        ("when x keeps |4, 1..2|3| do x := false", ((0, 1, 3), (2,))),
        ("", ()),
    ],
)
def test_partitions_are_read(clause: str, partition: tuple[tuple[int, ...], ...]) -> None:
    system = load_source(Source("m.edges", f"{HEAD}A -> B {clause}\nB -> A"), LoadOptions())
    assert system.commands[0].claimed == partition
    assert len(system.commands) == 2


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        ("A -> B when i < 3 keeps |1..4|", "the edge does not keep this partition: it tells 1 and 3 apart"),
        ("A -> B when s[2] = B keeps |1, 2|3, 4|", "the edge does not keep this partition: it tells 1 and 2 apart"),
        ("A -> B keeps |1, 2|", "the partition does not say where process 3 belongs"),
        ("A -> B keeps |1..5|", "there is no process 5"),
        ("A -> B keeps |1, 2|2..4|", "process 2 is in two cells"),
        ("A -> B keeps |1, 2", "expected | between cells of a partition"),
        ("A -> B keeps 1, 2", "expected | between cells of a partition"),
    ],
)
def test_wrong_partitions_are_refused(edge: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.edges"
    path.write_text(HEAD + edge + "\nB -> A\n")
    with pytest.raises(UserError) as caught:
        load(path)
    assert caught.value.message.startswith(message)


def test_what_the_edge_keeps_is_accepted(tmp_path: Path) -> None:
    """Also where that is not plain from how the guard is written, and where it could be coarser."""
    path = tmp_path / "m.edges"
    path.write_text(HEAD + "A -> B when i = 1 or i = 2 or i >= 3 keeps |1..4|\nB -> A keeps |1|2|3|4|\n")
    assert load(path).system.commands[1].claimed == ((0,), (1,), (2,), (3,))
