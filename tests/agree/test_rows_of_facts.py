"""Rows of facts that say the same thing from two sides, on random Systems."""

from __future__ import annotations

from random_systems import random_system

from quorbit.model.dependence.facts import bits_of, build_facts
from quorbit.model.specialise.ground import ground


def test_rows_agree_from_both_sides() -> None:
    blind = 0
    for seed in range(12):
        facts = build_facts(ground(random_system(seed)))
        blind += sum(bool(case.blind) for case in facts.cases)
        for k, case in enumerate(facts.cases):
            assert facts.disables[k] == sum(1 << j for j, row in enumerate(facts.disabled_by) if row >> k & 1)
            for t in case.tests:  # who makes a test true writes what it reads
                assert not facts.makes_true[t] & ~facts.enablers[k], [*bits_of(facts.makes_true[t])]
    assert blind > 0
