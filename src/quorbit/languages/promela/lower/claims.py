"""Never claims, accept labels and progress labels as temporal properties of the System.

A claim is an automaton that reads the states of the system and should accept no run.  Its control-flow graph is that
of a proctype; each of its steps looks at one state.  Reaching the end of a claim, or an assertion of it that fails,
accepts at once.  A claim goes on when the system has stopped, and a run that stops at an accept label is accepted, as
by pan ("accept stutter"); but a run that ends is not one without progress, and np_ is false then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.languages.promela.lower.control_flow import Edge, Flow, Passes, control_flow
from quorbit.languages.promela.lower.expressions import at_states, truth
from quorbit.languages.promela.lower.formulas import lower_formula
from quorbit.languages.promela.lower.places import Placement
from quorbit.languages.promela.lower.values import View
from quorbit.languages.promela.parse.program import (
    Assertion,
    Break,
    Constant,
    Else,
    End,
    Goto,
    Guard,
    Nothing,
    Print,
    Proctype,
    Program,
)
from quorbit.logic.graphs.components import strong_components
from quorbit.model.system.expression import (
    Enabled,
    Expr,
    Literal,
    atom,
    conjunction,
    negation,
)
from quorbit.model.system.formula import TRUE, Accepted, Formula, Not, Proposition, Truth
from quorbit.model.system.system import Temporal
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import NOWHERE, Span

__all__ = ["named_property"]

ACCEPT, PROGRESS = "accept", "progress"
LABELS: dict[str, Callable[[Flow], frozenset[int]]] = {
    ACCEPT: lambda flow: flow.accepts,
    PROGRESS: lambda flow: flow.progresses,
}
LONGEST_ATOMIC = 1000  # steps of a claim at one state of the system


def claim_properties(placement: Placement) -> Iterator[Temporal]:
    """The claims of a model, and the cycles that its labels speak about; claims that cannot be read wait to be asked
    for."""
    for claim in claims_of(placement.program):
        try:
            yield lower_claim(placement, claim)
        except UserError:
            continue
    for name, states in LABELS.items():
        if any(states(flow) & flow.edges.keys() for flow in placement.flows.values()):
            yield cycle_property(placement, name)


def claims_of(program: Program) -> list[Proctype]:
    return [p for p in program.proctypes if p.role == "never"]


def named_property(placement: Placement, name: str, span: Span) -> Temporal | None:
    """What a name stands for besides the formulas of the model."""
    if name in (ACCEPT, PROGRESS, "np_"):
        return cycle_property(placement, ACCEPT if name == ACCEPT else PROGRESS, span)
    for formula in placement.program.formulas:
        if formula.name == name:
            return lower_formula(placement, formula)
    for claim in claims_of(placement.program):
        if name in (claim.name, claim_name(placement.program, claim)):
            return lower_claim(placement, claim)
    return None


# Labels of processes.


def at_label(placement: Placement, name: str) -> Expr:
    """Some process is at a label that begins with name."""
    return at_states(placement, {proctype: LABELS[name](flow) for proctype, flow in placement.flows.items()})


def cycle_property(placement: Placement, name: str, span: Span = NOWHERE) -> Temporal:
    """No run is at an accept label infinitely often, or in the end; or: none is forever without progress."""
    here = proposition(at_label(placement, name))
    if name == ACCEPT:
        found = Accepted((TRUE, here, TRUE, here), ((0, 0), (0, 1), (1, 0), (1, 1)), (1,))
    else:
        idle = proposition(negation(at_label(placement, name)))
        found = Accepted((TRUE, idle, idle), ((0, 0), (0, 1), (1, 1)), (1,), endless=True)
    return Temporal(name, Not(found), span, on_demand=True)


def proposition(e: Expr) -> Formula:
    return Truth(bool(e.value)) if isinstance(e, Literal) else Proposition(e)


# Never claims.


def lower_claim(placement: Placement, claim: Proctype) -> Temporal:
    flow = control_flow(placement.program, claim, Passes(False, False), frozenset())
    accepted = Reading(placement, flow).automaton()
    if not has_cycle(Reading(placement, flow, stopped=True).automaton()):
        accepted = replace(accepted, endless=True)
    return Temporal(claim_name(placement.program, claim), Not(accepted), claim.span)


def has_cycle(automaton: Accepted) -> bool:
    """Whether some cycle goes through an accepting state, as far as conditions that are never true tell."""
    targets: list[list[int]] = [[] for _ in range(1 + max(map(max, automaton.edges), default=0))]
    for guard, (source, target) in zip(automaton.guards, automaton.edges, strict=True):
        if guard != Truth(False):
            targets[source].append(target)
    component = strong_components(len(targets), lambda state: targets[state])
    accepting = {component[state] for state in automaton.accepting}
    return any(component[s] == component[t] and component[s] in accepting for s, ts in enumerate(targets) for t in ts)


def claim_name(program: Program, claim: Proctype) -> str:
    """A claim without a name is called never."""
    unnamed = claim.name.startswith("never_") and len(claims_of(program)) == 1
    return "never" if unnamed else claim.name


class Reading:
    """A claim's graph read as an automaton; the state after its end accepts everything."""

    def __init__(self, placement: Placement, flow: Flow, stopped: bool = False) -> None:
        self.flow = flow
        timeout = negation(Enabled())
        self.view = View(placement, "", atom(NONE), timeout, stopped)
        self.numbers: dict[int, int] = {flow.start: 0}

    def automaton(self) -> Accepted:
        guards: list[Formula] = []
        edges: list[tuple[int, int]] = []
        waiting = [self.flow.start]
        for state in waiting:
            for guard, target in self.steps(state):
                if target not in self.numbers:
                    self.numbers[target] = len(self.numbers)
                    waiting.append(target)
                guards.append(proposition(guard))
                edges.append((self.numbers[state], self.numbers[target]))
        good = {*self.flow.accepts, self.flow.last}
        accepting = tuple(sorted(n for state, n in self.numbers.items() if state in good))
        return Accepted(tuple(guards), tuple(edges), accepting)

    def steps(self, state: int) -> Iterator[tuple[Expr, int]]:
        """What the claim can do while the system is in one state: the condition, and the claim's next state."""
        if state == self.flow.last:
            yield conjunction([]), state
            return
        yield from self.walk(state, [], 0)

    def walk(self, state: int, passed: list[Expr], depth: int) -> Iterator[tuple[Expr, int]]:
        """Steps inside atomic are taken at one state of the system."""
        if depth > LONGEST_ATOMIC:
            raise UserError(self.flow.proctype.span, "an atomic section of this claim never ends")
        edges = self.flow.edges.get(state, ())
        for edge in edges:
            condition = self.condition(edge, edges)
            guard = conjunction([*passed, condition])
            if isinstance(edge.first, Assertion):
                yield conjunction([*passed, negation(condition)]), self.flow.last
            target = edge.target or self.flow.last
            if edge.keeps and target != self.flow.last:
                yield from self.walk(target, [*passed, condition], depth + 1)
            else:
                yield guard, target

    def condition(self, edge: Edge, edges: tuple[Edge, ...]) -> Expr:
        match edge.first:
            case Guard(condition) | Assertion(condition):
                return truth(self.view, condition)
            case Else():
                others = [self.condition(e, edges) for e in edges if not isinstance(e.first, Else)]
                return conjunction([negation(e) for e in others], edge.span)
            case Nothing() | Goto() | Break() | Print() | End():
                return truth(self.view, Constant(1))
            case _:
                raise UserError(edge.span, "a never claim may only look at the state, not change it")
