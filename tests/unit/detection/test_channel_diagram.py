"""The static channel diagram and the largest valid subgroup, on models of [DM05] and small variations."""

from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from quorbit.detection.channel_diagram import HANDSHAKE, RECEIVE, SEND, ChannelDiagram, channel_diagram
from quorbit.detection.largest_subgroup import detect_by_diagram, largest_valid_subgroup, right_cosets
from quorbit.detection.reveal import reveal
from quorbit.groups.chain import order, same_group
from quorbit.groups.group import Group, alternating, direct_product, restrict, symmetric
from quorbit.groups.permutation import is_odd
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System, Temporal
from quorbit.papers.mutex_families import peterson
from quorbit.papers.promela_families import (
    email_blocked,
    grouped,
    hypercube,
    interleaved,
    load_balancer,
    resource_allocator,
    three_tiered,
    token_ring,
)
from quorbit.report.pictures.channels import dot_channel_diagram, draw_channel_diagram


def revealed(text: str, folder: Path) -> tuple[System, Group]:
    path = folder / "model.pml"
    path.write_text(text)
    system = load(path, LoadOptions())
    found, symmetry = reveal(system, tuple(p for p in system.properties if not isinstance(p, Temporal)))
    return ground(found), symmetry.group


def named_arcs(diagram: ChannelDiagram) -> set[tuple[str, str, str]]:
    return {(diagram.name(u), diagram.name(v), kind) for u, v, kind in diagram.arcs}


def test_the_email_model(tmp_path: Path) -> None:
    """[DM05, Figure 2]: the mailer's own sends go through a variable and are not drawn."""
    system, _ = revealed(email_blocked(5, 3), tmp_path)
    diagram = channel_diagram(system)
    clients = range(1, 6)
    expected = {(f"client[{i}]", "network", SEND) for i in clients}
    expected |= {(f"box{i}", f"client[{i}]", RECEIVE) for i in clients}
    assert named_arcs(diagram) == expected | {("network", "mailer", RECEIVE)}


def test_the_group_of_section_5_4(tmp_path: Path) -> None:
    system, group = revealed(email_blocked(5, 3), tmp_path)
    found = detect_by_diagram(system)
    assert (order(found.candidates), order(found.group), found.complete) == (120, 24, True)
    names = [atom.name for atom in system.atoms]
    assert all(g[names.index("client[3]")] == names.index("client[3]") for g in found.group.generators)
    assert any(g[names.index("client[2]")] == names.index("client[4]") for g in group.generators)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (peterson(3), 6),
        (token_ring(4), 4),
        (three_tiered((2, 2)), 8),
        (three_tiered((2, 3)), 12),
        (load_balancer((2, 2), 2), 16),
        (resource_allocator(grouped((2, 3))), 12),
        (resource_allocator(interleaved((2, 2))), 4),
        (hypercube(2), 8),
    ],
    ids=["peterson", "ring", "tiers", "uneven tiers", "balancers", "priorities", "interleaved", "cube"],
)
def test_both_ways_give_one_group(text: str, expected: int, tmp_path: Path) -> None:
    system, group = revealed(text, tmp_path)
    for shared in (False, True):
        found = detect_by_diagram(system, shared)
        points = (*found.diagram.processes, *found.diagram.channels)
        assert found.complete
        assert order(found.group) == expected
        assert same_group(found.group, restrict(group, points))


def test_shared_variables(tmp_path: Path) -> None:
    system, _ = revealed(peterson(2), tmp_path)
    diagram = channel_diagram(system, True)
    names = {diagram.name(v) for v in diagram.vertices}
    assert {"level[user[1]]", "level[user[2]]", "inside"} <= names
    assert not any("stage" in name for name in names)


def test_handshakes(tmp_path: Path) -> None:
    text = "chan c = [0] of { byte };\nactive proctype P() { do :: c!1 od }\nactive proctype Q() { do :: c?_ od }\n"
    system, _ = revealed(text, tmp_path)
    assert named_arcs(channel_diagram(system)) == {("P", "Q", HANDSHAKE)}


def test_cosets() -> None:
    G = symmetric(5)
    H = Group(5, direct_product(symmetric(2), symmetric(3)).generators)
    found = list(right_cosets(G, H))
    assert len(found) == 120 // 12 - 1
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("n", [4, 5, 6])
def test_algorithm_1_without_valid_generators(n: int) -> None:
    """The even permutations are valid: no generator of the symmetric group is."""
    found, complete = largest_valid_subgroup(symmetric(n), lambda g: not is_odd(g), Random(1), 1000)
    assert complete
    assert same_group(found, alternating(n))


def test_too_many_cosets() -> None:
    found, complete = largest_valid_subgroup(symmetric(8), lambda g: g == tuple(range(8)), Random(1), 100)
    assert (order(found), complete) == (1, False)


def test_pictures(tmp_path: Path) -> None:
    system, group = revealed(three_tiered((2, 2)), tmp_path)
    diagram = channel_diagram(system, True)
    picture = ElementTree.fromstring(draw_channel_diagram(diagram, group))
    assert sum(1 for e in picture.iter() if (e.get("class") or "").startswith("ellipse")) == 7
    assert dot_channel_diagram(diagram, group).count("shape=ellipse") == 7
    names = {e.text for e in picture.iter() if e.tag.endswith("text")}
    assert {diagram.name(v) for v in group.moved if v in diagram.processes} <= names  # in full
