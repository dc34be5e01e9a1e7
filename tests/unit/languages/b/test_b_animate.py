"""Stepping through a machine by hand, and values of formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.b.animate import (
    Session,
    animate,
    evaluate,
    open_session,
    possible_steps,
    show_state,
    show_step,
)
from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[4]


def talk(session: Session, *lines: str) -> list[str]:
    said: list[str] = []
    waiting = list(lines)
    animate(session, lambda: waiting.pop(0) if waiting else None, said.append)
    return said


@pytest.fixture
def phone_book() -> Session:
    return open_session(ROOT / "examples" / "b" / "PhoneBook.mch", LoadOptions(set_sizes=(("NAME", 1), ("NUMBER", 2))))


def test_steps_are_taken_and_undone(phone_book: Session) -> None:
    said = talk(phone_book, "1", "2", "card(book)", "u", "book", "q", "never read")
    assert "  1: INITIALISATION" in said
    assert "  2: enter(NAME1, NUMBER2)" in said
    assert "  1: ask(NAME1) --> NUMBER2" in said
    assert said.index("1") < said.index("{}")
    assert len(phone_book.taken) == 1


def test_wrong_input_is_answered(phone_book: Session) -> None:
    said = talk(phone_book, "u", "9", "1 +", "nothing", "")
    assert "nothing to undo" in said
    assert "there are 1 steps" in said
    assert any("unknown identifier nothing" in line for line in said)


def test_state_and_broken_invariants() -> None:
    session = open_session(ROOT / "examples" / "b" / "PhoneBookErr.mch", LoadOptions())
    assert show_state(session) == ["before the first step"]
    for wanted in ("INITIALISATION", "enter(NAME1, NUMBER1)", "enter(NAME2, NUMBER2)", "erase(NAME1, NUMBER2)"):
        steps, _ = possible_steps(session)
        session.taken.append(next(s for s in steps if show_step(session, s) == wanted))
    assert show_state(session)[-1] == "invariant violated: ran(book) = used"


def test_formulas_use_definitions_and_the_state() -> None:
    session = open_session(ROOT / "tests" / "models" / "b" / "goal.mch", LoadOptions())
    assert evaluate(session, "limit + 1") == "4"
    session.taken.append(possible_steps(session)[0][0])
    assert evaluate(session, "small(x)") == "true"
    with pytest.raises(UserError, match="division by zero"):
        evaluate(session, "1 / x")


def test_ill_defined_steps_are_told() -> None:
    session = open_session(ROOT / "tests" / "models" / "b" / "undefined.mch", LoadOptions())
    said = talk(session, "1", "1")
    assert any("function applied outside its domain" in line for line in said)
