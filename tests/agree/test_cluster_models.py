"""The models of the tests and the examples, shared by one, two and three processes: the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agree.cluster_cases import FILES, check_file

from quorbit.engines.cluster.pipes import Pipes

SOME = FILES[7::32]


@pytest.fixture(scope="module")
def pipes() -> Iterator[Pipes]:
    transport = Pipes(3)
    yield transport
    transport.close()


@pytest.mark.parametrize("file", SOME, ids=lambda f: f.name)
def test_some_models_agree(file: Path, pipes: Pipes) -> None:
    check_file(file, pipes, (1, 2, 3))


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_all_models_agree(file: Path, pipes: Pipes) -> None:
    check_file(file, pipes, (1, 2, 3))
