"""Commands that symmetries carry into each other count as run together."""

from pathlib import Path

from quorbit.detection.commands.orbits import command_orbits, with_images
from quorbit.detection.reveal import reveal
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.papers.promela_families import hypercube
from quorbit.pipeline.load import load as load_model
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.coverage import coverage_of, unreached


def test_every_statement_of_a_square_is_reached(tmp_path: Path) -> None:
    """One node stands for all: what the others would do is done by images of its moves."""
    path = tmp_path / "square.pml"
    path.write_text(hypercube(2), encoding="utf-8")
    for symmetry in ("auto", "off"):
        (result,) = check(load_model(path), CheckOptions(symmetry=symmetry)).results
        assert not unreached(coverage_of(result.system, result.outcome.statistics.fired))


def test_images(tmp_path: Path) -> None:
    path = tmp_path / "square.pml"
    path.write_text(hypercube(2), encoding="utf-8")
    system = load(path, LoadOptions())
    _, found = reveal(system, system.properties)
    assert found.grounded is not None
    generators = found.group.generators
    orbits = command_orbits(found.grounded, generators)
    largest = max(orbits, key=len)
    assert len(largest) > 1
    fired = [0] * len(found.grounded.commands)
    fired[largest[-1]] = 7
    counted = with_images(found.grounded, generators, tuple(fired))
    assert [c for c, times in enumerate(counted) if times] == sorted(largest)
    assert with_images(found.grounded, (), tuple(fired)) == tuple(fired)
