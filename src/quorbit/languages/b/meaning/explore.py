"""The states and transitions of a machine by plain breadth-first search with the reference meaning.

Counting, which gives the figures of [T07, Table 1]: a root state; one state for each valuation of the constants if
there are constants or properties; transitions are triples of state, operation with arguments and results, and
successor (its class, when states are classed), and one for each initialisation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from quorbit.languages.b.meaning.constants.static_symmetry import Choice, choose_constants, is_chosen
from quorbit.languages.b.meaning.evaluator import Endless, Env, IllDefined, Recursive, Unbounded
from quorbit.languages.b.meaning.execute import Frame, Runner, enabling
from quorbit.languages.b.meaning.reference import Reference
from quorbit.languages.b.meaning.universe import Cut, Universe
from quorbit.languages.b.syntax.formulas import Builtin, Constructor, Formula
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.typed import FreeType, TypedMachine, TypedOperation
from quorbit.languages.b.types.types import Free, SetOfType
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

__all__ = ["SETUP", "START", "Animator", "BState", "Problem", "Step"]

SETUP, START = "SETUP_CONSTANTS", "INITIALISATION"


@frozen
class BState:
    """Values of constants and variables in the order of their declaration; variables None before initialisation."""

    constants: tuple[Any, ...]
    variables: tuple[Any, ...] | None


@frozen
class Step:
    """An operation with its arguments and results, and where it leads; a result that is not assigned is None."""

    operation: str
    arguments: tuple[Any, ...]
    results: tuple[Any, ...]
    target: BState


@frozen
class Problem:
    """Something wrong with a state: an invariant or assertion that fails, an ill-defined formula."""

    state: BState | None
    span: Span
    message: str


@mutable
class Exploration:
    """What the search found; ``states`` are representatives if states were classed."""

    states: dict[Any, BState] = field(default_factory=dict)
    transitions: int = 0
    problems: list[Problem] = field(default_factory=list)
    deadlocks: list[BState] = field(default_factory=list)
    goals: list[BState] = field(default_factory=list)
    fired: dict[str, int] = field(default_factory=dict)
    cuts: dict[Span, Cut] = field(default_factory=dict)

    @property
    def counts(self) -> tuple[int, int]:
        """States with the root, and transitions."""
        return len(self.states) + 1, self.transitions


@mutable
class Animator:
    """Steps through a machine: initial states and successors."""

    machine: TypedMachine
    universe: Universe
    static_symmetry: bool = False  # only one valuation of the constants of each kind, as ProB does
    reference: Reference = field(init=False)
    runner: Runner = field(init=False)
    globals: Env = field(init=False)

    def __post_init__(self) -> None:
        self.reference = Reference(self.universe)
        self.runner = Runner(self.reference, self.machine)
        anonymous = [a for s in self.universe.deferred for a in self.universe.atoms[s]]
        printed = {name: a for a in anonymous if (name := self.universe.names[a]) not in self.machine.globals}
        self.globals = printed | {name: frozenset(atoms) for name, atoms in self.universe.atoms.items()}
        for s in self.machine.sets:
            self.globals.update(zip(s.elements or (), self.universe.atoms[s.name], strict=False))
        self.reference.globals = self.globals
        recursive = self.machine.recursive
        self.globals.update({name: Recursive(body, {}) for name, body in recursive.items()})
        self.reference.recursive = tuple(sorted({*recursive, *(n for b in recursive.values() for n in free_names(b))}))
        for free in self.machine.free:
            self.add_free_type(free)

    def add_free_type(self, free: FreeType) -> None:
        """The type as a set, listed if it is finite, and its constructors as functions."""
        span, of = self.machine.span, Free(free.name)
        for k, (name, taken) in enumerate(free.constructors):
            if taken is None:
                self.globals[name] = (k,)
            else:
                made = Constructor(span, free.name, k, taken, type=self.machine.globals[name])
                self.globals[name] = Endless(made, self.globals)
        try:
            self.globals[free.name] = frozenset(self.reference.all_values(of, None))
        except Unbounded:
            self.globals[free.name] = Endless(Builtin(span, free.name, type=SetOfType(of)), {})

    def env(self, s: BState) -> Env:
        names = [n.name for n in (*self.machine.constants, *self.machine.variables)]
        return {**self.globals, **dict(zip(names, (*s.constants, *(s.variables or ())), strict=False))}

    def setups(self) -> Iterator[tuple[Any, ...]]:
        """The valuations of the constants."""
        m = self.machine
        choice = choose_constants(m, self.universe) if self.static_symmetry else Choice()
        conditions = (*choice.conditions, *m.properties)
        for env in self.reference.solve_deeply(m.constants, conditions, {**self.globals, **choice.atoms}):
            values = tuple(env[c.name] for c in m.constants)
            if is_chosen(choice, self.universe, values):
                yield values

    def initial(self) -> Iterator[Step]:
        """The steps from the root."""
        if not self.machine.has_properties:
            yield from self.starts(())
            return
        for values in self.setups():
            yield Step(SETUP, (), (), BState(values, None))

    def starts(self, constants: tuple[Any, ...]) -> Iterator[Step]:
        """The steps that initialise the variables."""
        m = self.machine
        g = self.env(BState(constants, None))
        if m.initialisation is None:
            if m.variables:
                raise IllDefined(m.span, "there are variables, but no INITIALISATION")
            yield Step(START, (), (), BState(constants, ()))
            return
        for changes in self.runner.run(m.initialisation, Frame(g, {})):
            for v in m.variables:
                if v.name not in changes.g:
                    raise IllDefined(v.span, f"the INITIALISATION does not assign {v.name}")
            yield Step(START, (), (), BState(constants, tuple(changes.g[v.name] for v in m.variables)))

    def steps(self, s: BState, wrong: list[Problem] | None = None) -> Iterator[Step]:
        """The steps from a state, in the order of the operations; what is ill-defined is added to ``wrong``."""
        wrong = [] if wrong is None else wrong
        if s.variables is None:
            yield from self.starts(s.constants)
            return
        g = self.env(s)
        for operation in self.machine.operations:
            yield from self.operate(operation, s, g, wrong)

    def operate(self, o: TypedOperation, s: BState, g: Env, wrong: list[Problem]) -> Iterator[Step]:
        scope = frozenset(n.name for n in (*o.parameters, *o.results))
        outer = {k: v for k, v in g.items() if k not in scope}
        for env in self.reference.solve_guard(o.parameters, self.conditions(o), outer, o):
            values = {p.name: env[p.name] for p in o.parameters}
            try:
                yield from self.outcomes(o, s, Frame(g, values, scope))
            except IllDefined as problem:
                wrong.append(Problem(s, problem.span, problem.message))

    def outcomes(self, o: TypedOperation, s: BState, at: Frame) -> Iterator[Step]:
        """What an operation with given arguments does."""
        arguments = tuple(at.l.values())
        for changes in self.runner.run(o.body, at, top=True):
            results = tuple(changes.l.get(n.name) for n in o.results)
            new = tuple(changes.g.get(v.name, at.g[v.name]) for v in self.machine.variables)
            yield Step(o.name, arguments, results, BState(s.constants, new))

    def conditions(self, o: TypedOperation) -> tuple[Formula, ...]:
        known = self.reference.conditions.get(id(o))
        if known is None:
            known = self.reference.conditions[id(o)] = (o, enabling(o.body))
        return known[1]


Classify = Callable[[BState], Any]


def explore(animator: Animator, classify: Classify | None = None, stop_at_problem: bool = False) -> Exploration:
    """All states, or one of each class; the search goes on after violations and deadlocks, as ProB's counts do."""
    class_of = classify or (lambda s: s)
    found = Exploration(cuts=animator.reference.cuts)
    queue: deque[BState] = deque()
    try:
        for key, _, s in distinct(animator.initial(), class_of):
            found.transitions += 1
            reach(animator, found, queue, key, s)
    except IllDefined as problem:
        found.problems.append(Problem(None, problem.span, problem.message))
    while queue and not (stop_at_problem and found.problems):
        expand(animator, found, queue, queue.popleft(), class_of)
    return found


def distinct(steps: Iterator[Step], class_of: Classify) -> Iterator[tuple[Any, Step, BState]]:
    """Steps that differ in operation, arguments, results or class of the successor."""
    seen: set[Any] = set()
    for step in steps:
        key = class_of(step.target)
        call = (step.operation, step.arguments, step.results, key)
        if call not in seen:
            seen.add(call)
            yield key, step, step.target


def expand(animator: Animator, found: Exploration, queue: deque[BState], s: BState, class_of: Classify) -> None:
    before = found.transitions, len(found.problems)
    try:
        for key, step, t in distinct(animator.steps(s, found.problems), class_of):
            found.transitions += 1
            found.fired[step.operation] = found.fired.get(step.operation, 0) + 1
            reach(animator, found, queue, key, t)
    except IllDefined as problem:
        found.problems.append(Problem(s, problem.span, problem.message))
        return
    if (found.transitions, len(found.problems)) == before:
        found.deadlocks.append(s)


def reach(animator: Animator, found: Exploration, queue: deque[BState], key: Any, s: BState) -> None:
    if key in found.states:
        return
    found.states[key] = s
    queue.append(s)
    if s.variables is not None:
        check(animator, found, s)


def check(animator: Animator, found: Exploration, s: BState) -> None:
    m, env = animator.machine, animator.env(s)
    for what, predicates in (("invariant", m.invariant), ("assertion", m.assertions)):
        for p in predicates:
            try:
                if not animator.reference.holds(p, env):
                    found.problems.append(Problem(s, p.span, f"this {what} does not hold"))
            except IllDefined as problem:
                found.problems.append(Problem(s, problem.span, problem.message))
    if m.goal is not None and animator.runner.guard(m.goal, Frame(env, {})):
        found.goals.append(s)
