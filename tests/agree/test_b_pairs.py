"""Refinement of random pairs of machines: the verdict of brute force on the product, reduced and not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.agree.b_pairs_random import random_pair, refines

from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.refine import refine


def compare(folder: Path, seed: int) -> str:
    pair = random_pair(seed)
    above, below = folder / "Above.mch", folder / "Below.ref"
    above.write_text(pair.abstract_text)
    below.write_text(pair.concrete_text)
    expected = "holds" if refines(pair) else "fails"
    for symmetry in ("auto", "off"):
        answer = refine(above, below, options=CheckOptions(symmetry=symmetry))
        said = (pair.abstract_text, pair.concrete_text, answer.worst.outcome.message)
        assert answer.verdict == expected, (seed, symmetry, *said)
    return expected


def test_random_pairs(tmp_path: Path) -> None:
    seen = Counter(compare(tmp_path, seed) for seed in range(14))
    assert min(seen["holds"], seen["fails"]) >= 4, seen


@pytest.mark.soak
def test_many_random_pairs(tmp_path: Path) -> None:
    seen = Counter(compare(tmp_path, seed) for seed in range(14, 1014))
    assert min(seen["holds"], seen["fails"]) >= 200, seen
