"""Damaged diagrams are read, or refused with a place; nothing else happens."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from quorbit.engines.reference.explore import explore
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Fault
from quorbit.source.errors import UserError
from quorbit.source.span import Source

ROOT = Path(__file__).parents[4]
TEXTS = [
    path.read_text() for path in sorted([*ROOT.glob("examples/*.edges"), *ROOT.glob("tests/models/edges/*.edges")])
]
WORDS = sorted({word for text in TEXTS for word in re.findall(r"\w+|[^\w\s]+", text)})


def mutant(rng: Random) -> str:
    """A diagram with a few words removed, doubled, exchanged or replaced."""
    words = re.findall(r"\s+|\w+|[^\w\s]", rng.choice(TEXTS))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(words))
        match rng.randrange(4):
            case 0:
                del words[at]
            case 1:
                words.insert(at, words[at])
            case 2:
                words[at] = rng.choice(WORDS)
            case _:
                other = rng.randrange(len(words))
                words[at], words[other] = words[other], words[at]
    return "".join(words)


def try_mutants(seed: int, count: int) -> int:
    """How many of the mutants are diagrams still."""
    rng, good = Random(seed), 0
    refused: list[tuple[str, UserError]] = []
    for _ in range(count):
        text = mutant(rng)
        try:
            system = load_source(Source("mutant.edges", text), LoadOptions())
            explore(system, system.properties, options=SearchOptions(max_states=50))
            good += 1
        except UserError as error:
            refused.append((text, error))
        except Fault as fault:
            raise AssertionError(text) from fault
    assert all(error.render() for _, error in refused)
    assert all(d.span.start <= len(text) for text, error in refused for d in error.diagnostics)
    return good


def test_mutants() -> None:
    assert 10 < try_mutants(1, 300) < 290


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_mutants(seed: int) -> None:
    try_mutants(seed, 1000)
