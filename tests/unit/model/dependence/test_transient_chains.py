"""What may follow a command before the next stored state, and what that reads and does."""

from __future__ import annotations

import pytest

from quorbit.model.dependence import chains
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.chains import left_behind
from quorbit.model.dependence.facts import Facts, build_facts
from quorbit.model.system.command import Command, Step, assign
from quorbit.model.system.expression import TRUE, Expr, Read, conjunction, equal, negation, number
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number

SMALL = Number(0, 3)
AT, T, X, Y, Z = (Read(name) for name in ("pc", "t", "x", "y", "z"))
FLAG = Read("flag", (), (number(0),))
VARIABLES = (
    *(Variable(name, SMALL) for name in ("pc", "t", "x", "y", "z")),
    Variable("flag", SMALL, (), (2,)),
    Variable("a", SMALL, (), (2,)),
)
BEGIN = assign((AT, number(1)), (T, number(1)), (FLAG, number(0)))


def at(n: int, *more: Expr) -> Expr:
    return conjunction([equal(AT, number(n)), *more])


def chain(*middle: Command, guard: Expr = TRUE, last: int = 2) -> Facts:
    """A chain of commands that begins at 0 and ends with a write of z; x and y are set by others."""
    commands = (
        Command("begin", at(0), (BEGIN,)),
        Command("go on", at(1), (assign((AT, number(2))),)),
        Command("end", at(2, guard), (assign((Z, number(1)), (T, number(0)), (AT, number(3))),)),
        *middle,
        *(Command(f"sets {p.variable}", equal(T, number(0)), (assign((p, number(3))),)) for p in (X, Y)),
    )
    return build_facts(System("chain", (), VARIABLES, commands, transient=negation(equal(T, number(0)))))


def style(facts: Facts, k: int, name: str) -> str:
    places = {p.variable: i for i, p in enumerate(facts.system.places)}
    use = facts.cases[k].uses.get(places[name])
    return "" if use is None else use.style


def test_a_chain_is_followed_to_its_end() -> None:
    facts = chain()
    assert facts.cases[0].chain == (1, 2)
    assert style(facts, 0, "z") != ""


def test_what_a_command_that_follows_asks_is_read() -> None:
    facts = chain(guard=equal(Y, number(0)))
    assert style(facts, 0, "y") == "read"
    assert style(chain(), 0, "y") == ""


def test_a_guard_that_may_fail_in_between_is_read() -> None:
    """It is looked at in transient states too, although the command never runs there."""
    risky = conjunction([equal(Read("a", (), (X,)), number(0)), equal(T, number(0))])
    facts = chain(Command("risky", risky, (assign((Y, number(1))),)))
    assert 3 not in facts.cases[0].chain
    assert style(facts, 0, "x") == "read"


def test_an_address_that_is_not_known_may_change_what_decides() -> None:
    """Who goes on sets flag[0] or flag[1], so who waits for flag[0] may follow."""
    on = equal(FLAG, number(1))
    facts = chain(
        Command(
            "sets a flag",
            at(1),
            (
                assign(
                    (Read("flag", (), (Y,)), number(1)),
                ),
            ),
        ),
        Command("waits for it", at(1, on), (assign((T, number(0))),)),
    )
    assert {3, 4} <= set(facts.cases[0].chain)


def test_with_too_much_knowledge_anything_may_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "MOST_KNOWLEDGE", 1)
    facts = chain()
    assert facts.cases[0].chain == tuple(range(len(facts.system.commands)))


def test_what_steps_leave_behind_is_what_they_write_last() -> None:
    reader = Reader(System("last", (), VARIABLES, ()))
    x = next(iter(reader.targets(X)))

    def left(*steps: Step) -> object:
        return left_behind(reader, steps, {})[x]

    assert left(assign((X, number(0))), assign((X, number(1)))) == 1
    assert left(assign((X, number(1))), assign((X, Y))) is None
