"""Stepping through a machine by hand: the steps possible in a state, taking and undoing them, asking for values.

``animate`` talks through two functions, so that a terminal, a test or a notebook can be at the other end.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quorbit.languages.b.load import load_typed
from quorbit.languages.b.meaning.evaluator import Env, IllDefined, Unbounded
from quorbit.languages.b.meaning.execute import Frame
from quorbit.languages.b.meaning.explore import Animator, BState, Problem, Step
from quorbit.languages.b.meaning.query import evaluate_text
from quorbit.languages.b.syntax.formulas import Name
from quorbit.languages.b.syntax.machine import Definition
from quorbit.languages.b.syntax.show import show, show_value
from quorbit.languages.b.types.types import PREDICATE
from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable

HELP = "enter a number to take that step, u to undo one, s to show the state, q to quit, or a formula to evaluate"


@mutable
class Session:
    """A machine and the steps taken so far."""

    animator: Animator
    definitions: dict[str, Definition]
    taken: list[Step] = field(default_factory=list)

    @property
    def state(self) -> BState | None:
        return self.taken[-1].target if self.taken else None


def open_session(path: Path, options: LoadOptions) -> Session:
    machine, universe, composed = load_typed(path, options)
    return Session(Animator(machine, universe), composed.definitions)


def possible_steps(session: Session) -> tuple[list[Step], list[Problem]]:
    """The steps from here, each once, and what is ill-defined among them."""
    wrong: list[Problem] = []
    try:
        state = session.state
        found = session.animator.initial() if state is None else session.animator.steps(state, wrong)
        return list(dict.fromkeys(found)), wrong
    except (IllDefined, Unbounded) as problem:
        return [], [*wrong, Problem(session.state, problem.span, problem.message)]


def show_step(session: Session, step: Step) -> str:
    """op(x1, x2) with --> and the results, if there are any."""
    universe = session.animator.universe
    operation = next((o for o in session.animator.machine.operations if o.name == step.operation), None)
    if operation is None:
        return step.operation
    given = [show_value(universe, p.type, v) for p, v in zip(operation.parameters, step.arguments, strict=True)]
    results = zip(operation.results, step.results, strict=True)
    back = ["?" if v is None else show_value(universe, r.type, v) for r, v in results]
    arguments = f"({', '.join(given)})" if given else ""
    return f"{step.operation}{arguments}" + (f" --> {', '.join(back)}" if back else "")


def show_state(session: Session) -> list[str]:
    """Every constant and variable with its value, and the invariants that do not hold."""
    state, animator = session.state, session.animator
    if state is None:
        return ["before the first step"]
    machine, universe = animator.machine, animator.universe
    lines = [f"{n.name} = {show_value(universe, n.type, v)}" for n, v in values_of(session)]
    if state.variables is not None:
        env = animator.env(state)
        broken = [p for p in machine.invariant if not animator.runner.guard(p, Frame(env, {}))]
        lines += [f"invariant violated: {show(p)}" for p in broken]
    return lines


def values_of(session: Session) -> list[tuple[Name, object]]:
    state = session.state
    names = (*session.animator.machine.constants, *session.animator.machine.variables)
    values = () if state is None else (*state.constants, *(state.variables or ()))
    return list(zip(names, values, strict=False))


def evaluate(session: Session, text: str) -> str:
    """The value of a formula here, as text."""
    animator = session.animator
    env: Env = animator.globals if session.state is None else animator.env(session.state)
    try:
        value, of = evaluate_text(animator.reference, text, env, session.definitions)
    except (IllDefined, Unbounded) as problem:
        raise UserError(problem.span, problem.message) from None
    if of == PREDICATE:
        return "true" if value else "false"
    return show_value(animator.universe, of, value)


def animate(session: Session, ask: Callable[[], str | None], tell: Callable[[str], None]) -> None:
    """Show state and steps, do what is asked, until there is no more to read."""
    tell(HELP)
    steps = show_choices(session, tell)
    while (line := ask()) is not None and line.strip() != "q":
        match line.strip():
            case "":
                continue
            case "u" if session.taken:
                session.taken.pop()
            case "u":
                tell("nothing to undo")
            case "s":
                pass
            case text if text.isdecimal() and 1 <= int(text) <= len(steps):
                session.taken.append(steps[int(text) - 1])
            case text if text.isdecimal():
                tell(f"there are {len(steps)} steps")
            case text:
                tell_value(session, text, tell)
                continue
        steps = show_choices(session, tell)


def tell_value(session: Session, text: str, tell: Callable[[str], None]) -> None:
    try:
        tell(evaluate(session, text))
    except UserError as error:
        tell(error.render())


def show_choices(session: Session, tell: Callable[[str], None]) -> list[Step]:
    for line in show_state(session):
        tell(line)
    steps, wrong = possible_steps(session)
    for k, step in enumerate(steps, 1):
        tell(f"  {k}: {show_step(session, step)}")
    for problem in wrong:
        tell(f"  {problem.span}: {problem.message}")
    if not steps:
        tell("  no step is possible")
    return steps
