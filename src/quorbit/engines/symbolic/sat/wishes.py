"""What formulas ask of endless runs: A(fair -> G p), F q, G F q, G(p -> F q) and CTL that says the same, where p may
look a few steps ahead and so may the way to q: G(p -> X q), AG(p -> AX:2 AF q).
"""

from __future__ import annotations

from quorbit.engines.symbolic.sat.ahead import steps_ahead
from quorbit.model.system.formula import (
    TEMPORAL,
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    SomePath,
    Truth,
    walk,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.model.system.system import Property, Temporal
from quorbit.source.frozen import frozen, replace

__all__ = ["Wish", "on_all_runs", "visited", "wish_of"]


@frozen
class Wish:
    """Whenever the trigger holds (None: at the start), the goal does so many steps later or after that, on every fair
    run.  The trigger looks no further ahead, but where the goal is that it never holds."""

    trigger: Formula | None
    goal: Formula
    fair: tuple[Formula, ...]
    ahead: int = 0


def wish_of(p: Property) -> Wish | None:
    """What a formula asks for, if it has this form."""
    if not isinstance(p, Temporal):
        return None
    quantified: list[tuple[Formula, ...]] = []
    run = on_one_run(p.formula, True, quantified)
    if run is None or len(set(quantified)) != 1:
        return None
    (fair,) = set(quantified)
    match run:
        case Always(body):
            wish = wish_of_each(body, fair)
        case Eventually(goal):
            wish = Wish(None, goal, fair)
        case _:
            return None
    if not all(map(is_propositional, [wish.goal, *wish.fair])):
        return None
    looks_ahead = wish.trigger is not None and is_near(wish.trigger)
    return wish if wish.trigger is None or (looks_ahead and steps_ahead(wish.trigger) <= wish.ahead) else None


def wish_of_each(body: Formula, fair: tuple[Formula, ...]) -> Wish:
    """What is asked of every state."""
    trigger, after = (body.left, body.right) if isinstance(body, Implies) else (Truth(True), body)
    ahead = 0
    while isinstance(after, Next):
        after, ahead = after.operand, ahead + 1
    if isinstance(after, Eventually):
        return Wish(trigger, after.operand, fair, ahead)
    return Wish(Not(body), Truth(False), fair, steps_ahead(body))


def is_near(f: Formula) -> bool:
    """Whether it is about the next few states of one run."""
    return not any(isinstance(part, AllPaths | SomePath) or is_far(part) for part in walk(f))


def is_far(f: Formula) -> bool:
    return isinstance(f, TEMPORAL) and not isinstance(f, Next)


def on_one_run(f: Formula, wanted: bool, fair: list[tuple[Formula, ...]]) -> Formula | None:
    """What a formula about all runs, or the opposite of one about some run, says of each; ``fair`` collects what those
    of each quantifier visit again and again.  To drop inner quantifiers that are about the same runs is right for the
    forms that a wish has."""
    match f:
        case AllPaths(Implies(often, body)) if wanted and (found := visited(often)) is not None:
            fair.append(found)
            return on_one_run(body, True, fair)
        case SomePath(And((often, body))) if not wanted and (found := visited(often)) is not None:
            fair.append(found)
            return on_one_run(body, False, fair)
        case AllPaths(body) if wanted:
            fair.append(())
            return on_one_run(body, True, fair)
        case SomePath(body) if not wanted:
            fair.append(())
            return on_one_run(body, False, fair)
        case _ if is_near(f):
            return f if wanted else Not(f)
        case Not(body):
            return on_one_run(body, not wanted, fair)
        case Always(body) | Eventually(body):
            inner = on_one_run(body, wanted, fair)
            return None if inner is None else Always(inner) if isinstance(f, Always) == wanted else Eventually(inner)
        case Next(body):
            inner = on_one_run(body, wanted, fair)
            return None if inner is None else Next(inner)
        case Implies(left, right) if wanted and is_propositional(left):
            inner = on_one_run(right, True, fair)
            return None if inner is None else Implies(left, inner)
        case And((left, right)) if not wanted and is_propositional(left):
            inner = on_one_run(right, False, fair)
            return None if inner is None else Implies(left, inner)
        case Or((left, right)) if wanted and is_propositional(left):
            inner = on_one_run(right, True, fair)
            return None if inner is None else Implies(Not(left), inner)
    return None


def visited(often: Formula) -> tuple[Formula, ...] | None:
    """The conditions that hold again and again, if that is what a formula says."""
    parts = often.operands if isinstance(often, And) else (often,)
    found = [
        part.operand.operand for part in parts if isinstance(part, Always) and isinstance(part.operand, Eventually)
    ]
    return tuple(found) if len(found) == len(parts) and all(map(is_propositional, found)) else None


def on_all_runs(p: Property) -> Temporal | None:
    """The same about all runs, if a formula says that something is always true on the fair ones; where that holds, so
    does the formula."""
    wish = wish_of(p)
    if wish is None or wish.trigger is None or wish.goal != Truth(False) or not wish.fair:
        return None
    assert isinstance(p, Temporal)
    return replace(p, formula=AllPaths(Always(Not(wish.trigger))))
