"""Büchi automata beside those of the installed SPIN: never larger, and the same language on lassos.

Left to the long runs, since SPIN needs minutes for some formulas.
"""

from __future__ import annotations

import random
import re
import subprocess

import pytest

from quorbit.logic.automata.buchi import buchi_automaton
from quorbit.model.system.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Implies,
    Not,
    Or,
    Proposition,
    Release,
    Until,
    children,
)

SYMBOLS = {And: "&&", Or: "||", Implies: "->", Until: "U", Release: "V"}
PREFIXES = {Not: "!", Eventually: "<>", Always: "[]"}


def in_brackets(f: Formula) -> str:
    """Every operator bracketed, since SPIN's command line gives all binary connectives one level."""
    if isinstance(f, Proposition):
        return str(f.expression)
    parts = [in_brackets(g) for g in children(f)]
    if type(f) in PREFIXES:
        return f"({PREFIXES[type(f)]} {parts[0]})"
    return "(" + f" {SYMBOLS[type(f)]} ".join(parts) + ")"


def spin_states(f: Formula) -> int | None:
    try:
        done = subprocess.run(["spin", "-f", in_brackets(f)], capture_output=True, text=True, timeout=120, check=True)
    except subprocess.TimeoutExpired:
        return None
    return len(re.findall(r"^(?:T\d+|accept)_\w+:", done.stdout, re.MULTILINE))


def random_formula(rng: random.Random, depth: int) -> Formula:
    if depth == 0 or rng.random() < 0.15:
        return Proposition(rng.choice("pqr"))
    kind = rng.choice([Not, And, Or, Implies, Eventually, Always, Until, Until, Release])
    if kind in (And, Or):
        return kind((random_formula(rng, depth - 1), random_formula(rng, depth - 1)))
    if kind in PREFIXES:
        return kind(random_formula(rng, depth - 1))
    return kind(random_formula(rng, depth - 1), random_formula(rng, depth - 1))


@pytest.mark.soak
def test_never_larger_than_spin() -> None:
    compared = ours = theirs = 0
    for seed in range(300):
        f = random_formula(random.Random(seed), 3)
        if (states := spin_states(f)) is not None:
            found = buchi_automaton(f).states
            assert found <= states, in_brackets(f)
            compared, ours, theirs = compared + 1, ours + found, theirs + states
    assert compared > 250
    assert 2 * ours < theirs + compared  # about half the size, apart from formulas with one state
