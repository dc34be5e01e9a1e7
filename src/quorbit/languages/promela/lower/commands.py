"""The edges of the control-flow graphs as commands of the System."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from quorbit.languages.promela.lower.channels import Choice, handshakes, receive_choices, send_choices
from quorbit.languages.promela.lower.control_flow import Edge, Flow, Step
from quorbit.languages.promela.lower.expressions import channel, converted, index_inside, place, probe, truth, value
from quorbit.languages.promela.lower.faults import evaluations, goes_wrong, may_go_wrong
from quorbit.languages.promela.lower.places import COUNT, LAST, OWNER, PRIORITY, Placement, pc_name
from quorbit.languages.promela.lower.prints import lower_print, performed
from quorbit.languages.promela.lower.processes import RELEASE_RANK, death_steps, dying_with, may_die, run_steps
from quorbit.languages.promela.lower.remote import expressions_of
from quorbit.languages.promela.lower.trace_events import event_allowed_at_end
from quorbit.languages.promela.lower.values import View, as_truth, belongs, is_alive, own_pid, pid_of, possible_shapes
from quorbit.languages.promela.parse.program import (
    Assertion,
    Assignment,
    Constant,
    DataType,
    End,
    Guard,
    Kind,
    Poll,
    Predefined,
    Print,
    Receive,
    Reference,
    Run,
    Send,
    SetPriority,
    Statement,
    Variable,
)
from quorbit.languages.promela.parse.show import show_statement
from quorbit.languages.promela.parse.walk import walk
from quorbit.languages.promela.reduce.overwritten import without_overwritten
from quorbit.languages.promela.reduce.unread import is_unread_after
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.system.command import Assign, Command, Require, Together, assign
from quorbit.model.system.command import Print as Printing
from quorbit.model.system.command import Step as Effect
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Enabled,
    Expr,
    Fresh,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE
from quorbit.source.frozen import replace
from quorbit.source.span import NOWHERE

O = Operator
TIMEOUT_RANK = RELEASE_RANK + 256  # after everything else, whatever its priority
ME, YOU = Bound("me"), Bound("you")
BYTE = DataType(Kind.BYTE)
MEETS_INSIDE = "a d_step sends on a rendezvous channel"


def process_commands(placement: Placement, left_out: Collection[str] = ()) -> list[Command]:
    """All commands of all processes, but for some proctypes; a process of lower priority has the higher rank."""
    found: list[Command] = []
    highest = max((n for name in placement.slots if placement.slots[name] for n in placement.levels[name]), default=0)
    for name, flow in placement.flows.items():
        if placement.slots[name] and name not in left_out:
            levels = placement.levels[name]
            for command in Lowering(placement, name, flow).commands():
                if placement.count_like == "own":
                    command = replace(command, effect=without_overwritten(command.effect))
                found.extend(at_priority(command, highest, n, len(levels) > 1) for n in levels)
    return found


def at_priority(command: Command, highest: int, priority: int, one_of_many: bool) -> Command:
    """The command of a process that has this priority now."""
    if one_of_many:
        has_it = equal(Read(PRIORITY, (ME,)), number(priority))
        command = replace(command, guard=conjunction([command.guard, has_it], command.guard.span))
    return replace(command, rank=command.rank + highest - priority)


def preempt_commands(placement: Placement) -> Iterator[Command]:
    """A process in an atomic section loses control when one of higher priority can move; that state is stored."""
    if len({n for name in placement.slots if placement.slots[name] for n in placement.levels[name]}) < 2:
        return
    parts: list[Expr] = []
    for name, flow in placement.flows.items():
        if placement.slots[name]:
            lowering = Lowering(placement, name, flow)
            can_move = disjunction([lowering.can_move(state, edges) for state, edges in flow.edges.items()])
            body = conjunction([higher(placement, name), can_move])
            parts.append(Quantify(Quantifier.SOME, Parameter("me", Atoms(placement.slots[name])), body))
    held = negation(equal(Read(OWNER), atom(NONE)))
    yield Command("a process of higher priority can move", conjunction([held, disjunction(parts)]),
                  (assign((Read(OWNER), atom(NONE))),), rank=-1)  # fmt: skip


def higher(placement: Placement, name: str) -> Expr:
    """The process has a higher priority than the one in control."""
    mine = priority_place(placement, name, ME)
    return disjunction([
        conjunction([
            equal(Read(OWNER), atom(slot)), Apply(O.LESS, (priority_place(placement, other, atom(slot)), mine))
        ])
        for other, slots in placement.slots.items() for slot in slots
    ])  # fmt: skip


def priority_place(placement: Placement, name: str, process: Expr) -> Expr:
    return Read(PRIORITY, (process,)) if len(placement.levels[name]) > 1 else number(placement.levels[name][0])


class Lowering:
    """The commands of one proctype."""

    def __init__(self, placement: Placement, name: str, flow: Flow) -> None:
        self.placement, self.name, self.flow = placement, name, flow
        self.view = View(placement, name, ME)
        self.parameter = Parameter("me", Atoms(placement.slots[name]))

    def commands(self) -> Iterator[Command]:
        opened: set[int] = set()  # a d_step that an escape or a selection leads to is an edge of several states
        for state, edges in self.flow.edges.items():
            turns = turns_of(self, edges)
            for k, edge in enumerate(edges):
                yield from self.edge_commands(state, edges, k, turns[k])
                if edge.inner is not None and edge.number not in opened:
                    opened.add(edge.number)
                    yield from self.inner_commands(edge)

    # Guards.

    def here(self, state: int, view: View | None = None) -> list[Expr]:
        """The process is in this state and may move."""
        view = view or self.view
        parts = [equal(Read(pc_name(view.proctype), (view.me,)), number(state))]
        return [*parts, *self.may_move(state)]

    def can_move(self, state: int, edges: tuple[Edge, ...]) -> Expr:
        """The process is in this state and some edge can run, whoever is in control."""
        here = equal(Read(pc_name(self.name), (ME,)), number(state))
        parts = [TRUE if edge.is_else else self.may_take(edge) for edge in edges]
        provided = self.flow.proctype.provided
        also = [] if provided is None else [truth(self.view, provided)]
        return conjunction([here, *also, disjunction(parts)])

    def may_take(self, edge: Edge) -> Expr:
        if not isinstance(edge.first, End):
            return self.condition(self.view, edge)
        if is_over(self.placement, self.name, edge.number):
            return FALSE
        if self.placement.counts_processes:
            return is_youngest(self.placement, self.name)
        slots = self.placement.slots[self.name]
        return disjunction([conjunction([equal(ME, atom(s)), may_die(self.placement, s)]) for s in slots])

    def may_move(self, state: int) -> list[Expr]:
        parts: list[Expr] = []
        if self.placement.has_atomic:
            free = equal(Read(OWNER), atom(NONE))
            held = state in self.placement.held[self.name]
            parts.append(disjunction([free, equal(Read(OWNER), ME)]) if held else free)
        if self.flow.proctype.provided is not None:
            parts.append(truth(self.view, self.flow.proctype.provided))
        return parts

    def condition(self, view: View, edge: Edge) -> Expr:
        """Whether an edge can run, as far as the process itself can tell (no rendezvous)."""
        if edge.inner is not None:
            entry = edge.inner.edges[edge.inner.entry]
            if any(inner.is_else for inner in entry):
                return TRUE
            return disjunction([self.statement_condition(view, inner.first) for inner in entry])
        return self.statement_condition(view, edge.first)

    def statement_condition(self, view: View, statement: Statement) -> Expr:
        match statement:
            case Guard(Run()):
                return TRUE
            case Guard(condition):
                return truth(view, condition)
            case Send():
                return disjunction([choice.guard for choice in send_choices(view, statement)])
            case Receive():
                poll = Poll(statement.channel, statement.patterns, statement.random, statement.span)
                return as_truth(probe(view, poll))
            case _:
                return TRUE

    def otherwise(self, view: View, edges: tuple[Edge, ...], k: int) -> Expr:
        """else: no edge before this one can run; of two, the first always can if the second could."""
        if any(edge.is_else for edge in edges[:k]):
            return FALSE
        return conjunction([negation(self.condition(view, edge)) for edge in edges[:k]])

    def no_escape(self, edges: tuple[Edge, ...], k: int) -> list[Expr]:
        """Where an escape can be taken nobody looks at what it leaves, which may go wrong."""
        escapes = [e for e in edges[:k] if e.escape and e.escape != edges[k].escape]
        inner = edges[k].inner
        first = [edges[k]] if inner is None else inner.edges[inner.entry]
        parts = [part for edge in first for part in expressions_of(edge.first)]
        if not escapes or not any(may_go_wrong(self.view, part) for part in parts):
            return []
        return [negation(disjunction([TRUE if e.is_else else self.condition(self.view, e) for e in escapes]))]

    # Edges.

    def edge_commands(self, state: int, edges: tuple[Edge, ...], k: int, turn: int) -> Iterator[Command]:
        edge = edges[k]
        if isinstance(edge.first, End):
            yield from self.death(state, edge, turn)
            return
        if edge.inner is not None:
            before = [self.otherwise(self.view, edges, k)] if edge.is_else else self.no_escape(edges, k)
            for command in self.inner_state(state, edge, edge.inner.entry, before):
                yield replace(command, turn=turn)
            return
        for view, rank in self.timings(edge.first):
            before = self.here(state)
            if edge.is_else:
                before.append(self.otherwise(view, edges, k))
            else:
                before.extend(self.no_escape(edges, k))
            if rank and edge.escape:
                before.append(negation(Enabled(None, edge.span)))
            for choice in ways(view, edge.first):
                guard = conjunction([*before, choice.guard], edge.span)
                if guard == FALSE:
                    continue
                demands = self.determinism(view, edges, k)
                effect = (*demands, *choice.effect, *self.rest(view, edge, choice), *self.arrive(edge))
                parameters = apart((self.parameter, *choice.parameters, *self.extra_parameters(edge)))
                yield Command(
                    label_of(edge), guard, effect, parameters, (ME,), rank, turn,
                    prints=self.prints(view, edge, len(demands) + len(choice.effect)),
                    performs=performed(self.name, edge), span=edge.span,
                )  # fmt: skip
        yield from self.rendezvous(state, edge, turn)

    def determinism(self, view: View, edges: tuple[Edge, ...], k: int) -> list[Effect]:
        """Of a D_proctype: when an edge runs, none before it can."""
        if not self.flow.proctype.deterministic or edges[k].is_else:
            return []
        earlier = [self.condition(view, e) for e in edges[:k] if not e.is_else]
        return [Require(negation(disjunction(earlier)), "non-determinism in a D_proctype", span=edges[k].span)]

    def timings(self, statement: Statement) -> list[tuple[View, int]]:
        """A condition on timeout is looked at twice: as it is, and when nothing else can move."""
        asks = isinstance(statement, Guard) and any(
            isinstance(e, Predefined) and e.name == "timeout" for e in walk(statement.condition)
        )
        both = [(self.view, 0), (replace(self.view, timeout=TRUE), TIMEOUT_RANK)]
        return both if asks else both[:1]

    def rest(self, view: View, edge: Edge, choice: Choice) -> list[Effect]:
        """What follows the first statement: resets, and the merged statements."""
        effect = list(self.resets(view, edge, 0))
        for number_, step in enumerate(edge.steps[1:]):
            effect.extend(plain_effect(view, step.statement, f"new{number_ + 2}"))
            effect.extend(self.resets(view, edge, number_ + 1))
        return effect

    def prints(self, view: View, edge: Edge, done: int) -> tuple[Printing, ...]:
        """What the statements print, when the first has done this many steps."""
        found: list[Printing] = []
        for number_, step in enumerate(edge.steps):
            if number_:
                done += len(plain_effect(view, step.statement, f"new{number_ + 1}"))
            if isinstance(step.statement, Print):
                found.append(lower_print(view, step.statement, done))
            done += len(step.dead)
        return tuple(found)

    def extra_parameters(self, edge: Edge) -> list[Parameter]:
        found = []
        for number_, step in enumerate(edge.steps[1:]):
            match step.statement:
                case Assignment(_, Run() as run):
                    found.append(run_steps(self.view, run, f"new{number_ + 2}")[1])
        return found

    def resets(self, view: View, edge: Edge, k: int) -> list[Effect]:
        """Dead variables go back to 0, or by our own counting to what they were at the start."""
        found: list[Effect] = []
        own, unread = self.placement.count_like == "own", self.placement.unread[view.proctype]
        for variable in edge.steps[k].dead:
            forgets = self.may_forget(view, variable) and is_unread_after(edge, k, variable, unread)
            found.append(Together((self.set_back(view, variable, own, forgets),)))
        return found

    def may_forget(self, view: View, variable: Variable) -> bool:
        name = self.placement.leaf((variable,)).name
        return variable in self.placement.tidy[view.proctype] or name in self.placement.forgettable

    def set_back(self, view: View, variable: Variable, own: bool, forgets: bool) -> Assign:
        initial, place = variable.initial, Read(self.placement.leaf((variable,)).name, (view.me,))
        value = converted(view, initial, variable.type) if own and isinstance(initial, Constant) else number(0)
        return Assign(place, value, forgets)

    def forget(self, edge: Edge, name: str, process: Expr) -> list[Effect]:
        """What nobody reads behind the edge is set back."""
        view = View(self.placement, name, process)
        return [Together(tuple(self.set_back(view, v, True, True) for v in edge.forgets))] if edge.forgets else []

    def arrive(self, edge: Edge) -> list[Effect]:
        return [*self.forget(edge, self.name, ME), *self.arrive_at(edge.target, edge.keeps, self.name, ME)]

    def arrive_at(self, target: int, keeps: bool, name: str, process: Expr) -> list[Effect]:
        """The next state, and who is in control then."""
        placement = self.placement
        pairs: list[tuple[Read, Expr]] = [(Read(pc_name(name), (process,)), number(target))]
        if placement.has_atomic:
            pairs.append((Read(OWNER), process if keeps else atom(NONE)))
        if LAST in placement.predefined:
            pairs.append((Read(LAST), own_pid(View(placement, name, process), self.flow.proctype.span)))
        if is_over(placement, name, target) and not keeps:
            steps = death_steps(placement, name, process, self.flow.proctype.end)
            return [assign(*pairs[1:]), *steps] if len(pairs) > 1 else list(steps)
        return [assign(*pairs)]

    def death(self, state: int, edge: Edge, turn: int) -> Iterator[Command]:
        """The youngest process goes first."""
        placement = self.placement
        if is_over(placement, self.name, state):
            return
        if placement.counts_processes:
            youngest = [is_youngest(placement, self.name)]
            yield self.death_command(state, edge, youngest, self.parameter, ME, turn)
            return
        for slot in placement.slots[self.name]:
            gone = may_die(placement, slot)
            if gone != FALSE:
                yield self.death_command(state, edge, [gone], Parameter("me", Atoms((slot,))), ME, turn)

    def death_command(
        self, state: int, edge: Edge, youngest: list[Expr], parameter: Parameter, me: Expr, turn: int
    ) -> Command:
        effect = [
            step
            for name, process in dying_with(self.placement, self.name, parameter, me)
            for step in death_steps(self.placement, name, process, edge.span)
        ]
        if LAST in self.placement.predefined:
            effect.insert(0, assign((Read(LAST), own_pid(self.view, edge.span))))
        guard = conjunction([*self.here(state), *youngest])
        done = performed(self.name, edge)
        return Command("end", guard, tuple(effect), (parameter,), (me,), turn=turn, performs=done, span=edge.span)

    # Rendezvous.

    def rendezvous(self, state: int, edge: Edge, turn: int) -> Iterator[Command]:
        """A send meets every receive of every process on a channel without a buffer."""
        send = edge.first
        if not isinstance(send, Send) or not may_meet(self.view, send):
            return
        yield from self.spoiled_message(state, edge, send, turn)
        for name, flow in self.placement.flows.items():
            for you_state, edges in flow.edges.items():
                for k, other in enumerate(edges if self.placement.slots[name] else ()):
                    escapes = [r for e in edges[:k] if e.escape and e.escape != other.escape for r in receiving(e)]
                    for receive in receiving(other):
                        yield from self.meeting(state, edge, send, name, you_state, other, receive, escapes, turn)

    def spoiled_message(self, state: int, edge: Edge, send: Send, turn: int) -> Iterator[Command]:
        """The message is computed before somebody is sought who takes it; that may go wrong."""
        fails = goes_wrong(self.view, send.arguments, send.span)
        if fails == FALSE:
            return
        guard = conjunction([*self.here(state), self.unbuffered(send), fails], edge.span)
        yield Command(
            label_of(edge), guard, tuple(evaluations(self.view, send.arguments)), (self.parameter,), (ME,), 0, turn,
            performs=performed(self.name, edge), span=edge.span,
        )  # fmt: skip

    def unbuffered(self, send: Send) -> Expr:
        """Whether the channel is one on which somebody has to meet the send."""
        where = channel(self.view, send.channel)
        atoms = [a for shape in possible_shapes(self.view, where) if not shape.capacity for a in shape.atoms]
        return belongs(where, tuple(atoms))

    def meeting(
        self, state: int, edge: Edge, send: Send, name: str, you_state: int, other: Edge, receive: Edge,
        escapes: list[Edge], turn: int,
    ) -> Iterator[Command]:  # fmt: skip
        """``escapes``: the receives that go before this one wherever they fit."""
        placement, flow = self.placement, self.placement.flows[name]
        receiver = View(placement, name, YOU)
        there = Lowering(placement, name, flow)
        there.view = receiver
        apart = [negation(equal(ME, YOU))] if name == self.name else []
        you_here = [equal(Read(pc_name(name), (YOU,)), number(you_state))]
        if flow.proctype.provided is not None:
            you_here.append(truth(receiver, flow.proctype.provided))
        escaped = [h.guard for e in escapes for h in handshakes(self.view, send, receiver, received(e))]
        left = [negation(disjunction(escaped))] if escaped else []
        for handshake in handshakes(self.view, send, receiver, received(receive)):
            guard = conjunction([*self.here(state), *you_here, *apart, *left, handshake.guard], edge.span)
            effect = [
                *handshake.effect,
                *self.forget(edge, self.name, ME),
                *there.rest(receiver, receive, Choice(TRUE)),
            ]
            effect.append(assign((Read(pc_name(self.name), (ME,)), number(edge.target))))
            if is_over(placement, self.name, edge.target):
                effect[-1:] = death_steps(placement, self.name, ME, self.flow.proctype.end)
            effect.extend(there.arrive_inside(other, receive, YOU))
            parameters = (self.parameter, Parameter("you", Atoms(placement.slots[name])))
            yield Command(
                f"{label_of(edge)} / {label_of(receive)}", guard, tuple(effect), parameters, (ME, YOU), 0, turn,
                prints=there.prints(receiver, receive, len(handshake.effect)),
                performs=(*performed(self.name, edge), *performed(name, receive, 1, other.number)), span=edge.span,
            )  # fmt: skip

    # Inside d_step.

    def inner_commands(self, edge: Edge) -> Iterator[Command]:
        assert edge.inner is not None
        for state in edge.inner.edges:
            if state != edge.inner.entry or is_reentered(edge):
                yield from self.inner_state(state, edge, state)

    def inner_state(
        self, state: int, edge: Edge, inner_state: int, before: list[Expr] | None = None
    ) -> Iterator[Command]:
        """Of the options inside a d_step the first that can run is taken; if none can, that is an error.  ``before``:
        what else must hold for the d_step to be entered here; None: it was entered earlier."""
        assert edge.inner is not None
        first = before is not None
        edges = edge.inner.edges[inner_state]
        conditions = [TRUE if e.is_else else self.statement_condition(self.view, e.first) for e in edges]
        for k, inner in enumerate(edges):
            earlier = [negation(c) for c in conditions[:k]]
            for choice in ways(self.view, inner.first):
                guard = conjunction([*self.here(state), *(before or ()), *earlier, choice.guard], inner.span)
                effect = (*choice.effect, *self.arrive_inside(edge, inner, ME))
                if guard != FALSE:
                    parameters = (self.parameter, *choice.parameters)
                    yield Command(
                        label_of(inner), guard, effect, parameters, (ME,), prints=self.prints(self.view, inner, 0),
                        performs=performed(self.name, inner, number=edge.number if first else None), span=inner.span,
                    )  # fmt: skip
            if first and isinstance(inner.first, Send) and may_meet(self.view, inner.first):
                where = self.unbuffered(inner.first)
                failing = self.failing(inner, [*self.here(state), *(before or ()), *earlier, where], MEETS_INSIDE)
                yield replace(failing, performs=performed(self.name, inner, number=edge.number))
        blocked = conjunction([negation(c) for c in conditions])
        if not first and blocked != FALSE:
            yield replace(self.failing(edge, [*self.here(state), blocked], "a d_step blocks"), label="blocked")

    def failing(self, edge: Edge, guard: list[Expr], message: str) -> Command:
        fault = Require(FALSE, message, FAULTS, edge.span)
        return Command(label_of(edge), conjunction(guard), (fault,), (self.parameter,), (ME,), span=edge.span)

    def arrive_inside(self, outer: Edge, inner: Edge, process: Expr) -> list[Effect]:
        """The next state inside a d_step, or the one after it."""
        if outer.inner is not None and inner.target in outer.inner.edges:
            return self.arrive_at(inner.target, True, self.name, process)
        left = self.forget(outer, self.name, process)
        return [*left, *self.arrive_at(outer.target, outer.keeps, self.name, process)]


def apart(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Processes that one step creates are different ones."""
    found: list[Parameter] = []
    for p in parameters:
        if isinstance(p.domain, Fresh):
            taken = [q.name for q in found if isinstance(q.domain, Fresh) and q.domain.atoms == p.domain.atoms]
            others = [negation(equal(Bound(p.name), Bound(name))) for name in taken]
            p = replace(p, domain=Fresh(p.domain.atoms, conjunction([p.domain.free, *others])))
        found.append(p)
    return tuple(found)


def is_reentered(edge: Edge) -> bool:
    assert edge.inner is not None
    return any(e.target == edge.inner.entry for edges in edge.inner.edges.values() for e in edges)


def is_over(placement: Placement, name: str, target: int) -> bool:
    """Whether a process that has come here is gone at once."""
    return placement.buries and target == placement.flows[name].last


def is_youngest(placement: Placement, name: str) -> Expr:
    """ME has the highest number of all processes."""
    return equal(pid_of(placement, name, ME, NOWHERE), Apply(O.SUBTRACT, (Read(COUNT), number(1))))


def receiving(edge: Edge) -> list[Edge]:
    """The receives an edge offers to a rendezvous: its own, or those at the beginning of a d_step."""
    edges = [edge] if edge.inner is None else list(edge.inner.edges[edge.inner.entry])
    return [e for e in edges if isinstance(e.first, Receive) and not e.first.keep]


def received(edge: Edge) -> Receive:
    assert isinstance(edge.first, Receive)
    return edge.first


def may_meet(view: View, send: Send) -> bool:
    return any(shape.capacity == 0 for shape in possible_shapes(view, channel(view, send.channel)))


def turns_of(lowering: Lowering, edges: tuple[Edge, ...]) -> list[int]:
    """Escapes go first, group by group; an else after a rendezvous send goes last."""
    turns: list[int] = []
    turn = 0
    for k, edge in enumerate(edges):
        if k and edge.escape != edges[k - 1].escape:
            turn += 1
        turns.append(turn)
    for k, edge in enumerate(edges):
        if edge.is_else and any(isinstance(e.first, Send) and may_meet(lowering.view, e.first) for e in edges[:k]):
            turns[k] = turn + 1
    return turns


def ways(view: View, statement: Statement) -> list[Choice]:
    """The ways a statement can run."""
    match statement:
        case Guard(Run() as run):
            steps, parameter = run_steps(view, run, "new")
            return [Choice(TRUE, steps, (parameter,))]
        case Guard(condition):
            return [Choice(truth(view, condition))]
        case Assignment(_, Run() as run):
            parameter = run_steps(view, run, "new")[1]
            return [Choice(TRUE, tuple(plain_effect(view, statement, "new")), (parameter,))]
        case Send():
            return send_choices(view, statement)
        case Receive():
            return receive_choices(view, statement)
        case _:
            return [Choice(TRUE, tuple(plain_effect(view, statement, "new")))]


def plain_effect(view: View, statement: Statement, name: str) -> list[Effect]:
    """The effect of a statement that never blocks."""
    match statement:
        case Assignment(target, Run() as run):
            steps, _ = run_steps(view, run, name)
            pid = Apply(O.SUBTRACT, (Read(COUNT), number(1)), run.span)
            if view.placement.is_hidden(target.variable):
                return list(steps)
            return [*steps, assign((place(view, target), pid))]
        case Assignment(target, assigned):
            if target.last.type.kind is Kind.STRUCT:
                return []
            if view.placement.is_hidden(target.variable):
                return [*evaluations(view, (assigned,)), *index_checks(view, target)]
            return [assign((place(view, target), converted(view, assigned, view.placement.leaf_of(target).type)))]
        case Assertion(condition):
            text = " ".join(statement.span.text.split())
            return [Require(truth(view, condition), f"assertion violated: {text}", span=statement.span)]
        case SetPriority():
            return set_priority(view, statement)
        case Print(_, arguments):
            return evaluations(view, arguments)
        case _:
            return []


def set_priority(view: View, statement: SetPriority) -> list[Effect]:
    """The process with this number, if there is one, gets another priority."""
    assert isinstance(statement.priority, Constant)
    if not view.placement.keeps_priorities:  # every process has this one already
        return evaluations(view, (statement.process,))
    new = number(statement.priority.value, statement.span)
    if statement.own:
        return [assign((Read(PRIORITY, (view.me,)), new))]
    placement, pid = view.placement, value(view, statement.process)
    found: list[Effect] = []
    for name, slots in placement.slots.items():
        for slot in slots:
            now = Read(PRIORITY, (atom(slot),))
            here = conjunction(
                [is_alive(name, atom(slot)), equal(pid_of(placement, name, atom(slot), statement.span), pid)]
            )
            found.append(assign((now, Condition(here, new, now, statement.span))))
    return found


def index_checks(view: View, target: Reference) -> list[Effect]:
    """A variable that is not stored must still be indexed inside its bounds."""
    length, index = target.last.length, target.path[-1].index
    if length is None or index is None or not may_go_wrong(view, target):
        return []
    inside = index_inside(value(view, index), length, target.span)
    return [Require(inside, f"{target.last.name}: index out of range", FAULTS, target.span)]


def label_of(edge: Edge) -> str:
    """The text of the statements, after preprocessing."""
    texts = [show_statement(step.statement) for step in edge.steps if shows(step)]
    return "; ".join(texts) or "goto"


def shows(step: Step) -> bool:
    return type(step.statement).__name__ not in {"Nothing", "Goto", "Break"}


def allowed_at_end(placement: Placement) -> Expr:
    """Valid end states: every process is gone, at its end, or at a label that begins with end."""
    parts: list[Expr] = []
    for name, slots in placement.slots.items():
        if slots:
            flow = placement.flows[name]
            states = sorted({0, *(n for n in flow.ends if n in flow.edges)})
            pc = Read(pc_name(name), (Bound("p"),))
            body = disjunction([equal(pc, number(state)) for state in states])
            parts.append(Quantify(Quantifier.ALL, Parameter("p", Atoms(slots)), body))
    return conjunction([*parts, event_allowed_at_end(placement)])
