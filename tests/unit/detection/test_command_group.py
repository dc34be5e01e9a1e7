"""The group an adaptive run reports: what no edge breaks, of friends or of a ring."""

from quorbit.detection.commands.group import describe_steps, group_of_friends, group_of_ring
from quorbit.detection.commands.partition import infer_partitions
from quorbit.groups.chain import order
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.model.system.partitions import Rotations
from quorbit.source.span import Source


def test_friends() -> None:
    text = "processes 5\nstates A, B\nA -> B when i <= 3\nB -> A when i != 1"
    system = load_source(Source("m.edges", text), LoadOptions())
    group = group_of_friends(5, infer_partitions(system, ()))
    assert (order(group), group.moved) == (4, (1, 2, 3, 4))


def test_rings() -> None:
    def ring(*steps: int) -> Rotations:
        return Rotations((0, 1, 2, 3, 4, 5), tuple((k,) for k in range(len(steps))), steps)

    assert [order(group_of_ring(7, ring(*steps))) for steps in ((1, 1), (1, 2), (2, 3), (1, 6))] == [6, 3, 1, 1]
    assert describe_steps(ring(1, 1, 2, 6)).endswith(": 2 by C6, 1 by C3, 1 by none")
