"""The table of dropped conditions (tools/conditions.py): its texts stand where it says, and its tests exist."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from tools.conditions import CONDITIONS, PEERS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "quorbit"


@pytest.mark.parametrize("file", CONDITIONS)
def test_each_text_stands_once_in_its_file(file: str) -> None:
    text = (PACKAGE / file).read_text(encoding="utf-8")
    for entry in CONDITIONS[file]:
        assert text.count(entry.text) == 1, entry.name
        assert entry.instead != entry.text


def test_each_entry_has_a_name_and_tests_or_a_reason() -> None:
    for entries in CONDITIONS.values():
        names = [entry.name for entry in entries]
        assert len(set(names)) == len(names)
        assert all(bool(entry.tests) != bool(entry.implied) for entry in entries)


def test_each_test_exists() -> None:
    named = {test for entries in CONDITIONS.values() for entry in entries for test in entry.tests}
    for test in named | set(PEERS.values()):
        file, _, name = test.partition("::")
        assert name.partition("[")[0] in functions(file), test


@cache
def functions(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
