"""The commands of an edge as the search runs them: what can be decided by letters is, the rest on a written-out state.

For an abstract state (s, P) and an edge with partition Q [W07, Algorithm 1, lines 4 to 11]: clauses that tell nobody
apart are tested first, then s is unwound to R = P meet Q, leaving out letters where a clause forbids them, then one
process per cell of R and letter stands for all others like it.

Short names: x a shared part; p, q, r annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.engines.adaptive.bags import Bags, bags_of, replace_letter, total, unwind, vector
from quorbit.engines.adaptive.cells import Cells, on_processes
from quorbit.engines.adaptive.forms import NAME, Form, Formed, form_of, has_local_effect, own_process
from quorbit.engines.adaptive.shape import Shape
from quorbit.engines.adaptive.witness import WitnessMeaning
from quorbit.model.meaning.evaluate import FAULTS, Env, Fault, Firing, Violation
from quorbit.model.system.expression import Atoms, Expr
from quorbit.model.system.partitions import Clause, Edge, Partitions
from quorbit.model.system.system import State
from quorbit.model.system.types import Value
from quorbit.source.frozen import frozen, mutable

BETWEEN_PAUSES = 256  # pieces


@frozen
class Event:
    """A command that runs in the piece (bags, r) of an abstract state: the new state, or what it violates.

    ``firing`` None: a guard cannot be evaluated in this piece."""

    r: int
    piece: Bags
    firing: Firing | None
    shared: int
    bags: Bags
    violation: Violation | None = None


@mutable
class Position:
    """An abstract state while it is worked on; it is written out when somebody asks for it."""

    context: Context
    shared: int
    bags: Bags
    p: int
    _total: Bags = ()

    def __post_init__(self) -> None:
        self._letters: tuple[int, ...] | None = None
        self._state: State | None = None

    @property
    def total(self) -> Bags:
        """The letters of each class: what permutations cannot change."""
        if not self._total:
            self._total = total(self.bags, self.context.cells.homes(self.p))
        return self._total

    @property
    def letters(self) -> tuple[int, ...]:
        if self._letters is None:
            self._letters = vector(self.context.cells, self.p, self.bags)
        return self._letters

    @property
    def state(self) -> State:
        if self._state is None:
            self._state = self.context.shape.decode(self.shared, self.letters)
        return self._state

    def look(self) -> State:
        self.context.meaning.look_at(self.state, self.letters)
        return self.state


class Context:
    """What all rules of a search share: the shape of states, the partitions, the meaning, the clauses met."""

    def __init__(self, shape: Shape, partitions: Partitions, classes: Cells) -> None:
        self.shape = shape
        self.cells = classes
        self.pause: Callable[[], None] = lambda: None  # called now and then while orbits are taken apart
        self.breaths = 0
        self.name_firings = False  # whether every event must name its firing, as traces need
        self.meaning = WitnessMeaning(shape)
        self.has_hiding = len({(c.rank, c.turn) for c in shape.system.commands}) > 1
        self._numbers: dict[Formed, int] = {}
        self._values: dict[tuple[int, int, int], bool] = {}  # clause, shared part, letter
        self.rules = [
            Rule(self, k, c, clauses, edge)
            for k, edge in enumerate(partitions.edges)
            for c, clauses in zip(edge.commands, edge.clauses, strict=True)
        ]
        self._symmetric: dict[tuple[int, int, Bags], bool] = {}  # clause, shared part, letters
        self._fitting: dict[tuple[int, frozenset[int]], list[Rule]] = {}
        self._candidates: dict[tuple[int, Bags], list[Rule]] = {}
        self.by_edge = [[rule for rule in self.rules if rule.edge == k] for k in range(len(partitions.edges))]

    def breathe(self) -> None:
        """Called for each piece of an orbit, of which there may be very many: limits are looked at in between."""
        self.breaths += 1
        if self.breaths % BETWEEN_PAUSES == 0:
            self.pause()

    def number(self, formed: Formed) -> int:
        """Equal clauses of different commands share what is known about them."""
        return self._numbers.setdefault(formed, len(self._numbers))

    def partition(self, clause_or_edge: Clause | Edge) -> int:
        return self.cells.number(on_processes(clause_or_edge.partition, self.shape.atoms))

    def candidates(self, at: Position) -> list[Rule]:
        """The rules that the shared part and the multiset of letters do not rule out, in their order."""
        key = at.shared, at.total
        found = self._candidates.get(key)
        if found is None:
            fitting = self.fitting(at)
            found = self._candidates[key] = [rule for rule in fitting if rule.is_symmetrically_enabled(at)]
        return found

    def fitting(self, at: Position) -> list[Rule]:
        """The rules that the shared part and the letters that occur do not rule out."""
        key = at.shared, frozenset([letter for bag in at.bags for letter, _ in bag])
        found = self._fitting.get(key)
        if found is None:
            found = self._fitting[key] = [rule for rule in self.rules if rule.fits_letters(at, key[1])]
        return found

    def about_letter(self, clause: int, e: Expr, name: str, position: Position, letter: int) -> bool:
        """Whether a clause about one process's local state holds for a letter that occurs in the position."""
        key = clause, position.shared, letter
        if key not in self._values:
            witness = self.shape.atoms[position.letters.index(letter)]
            self._values[key] = bool(self.meaning.value_of(e)(position.state, {name: witness}))
        return self._values[key]

    def about_shared(self, clause: int, e: Expr, position: Position) -> bool:
        key = clause, position.shared, -1
        if key not in self._values:
            self._values[key] = bool(self.meaning.value_of(e)(position.state, {}))
        return self._values[key]

    def about_state(self, clause: int, e: Expr, position: Position) -> bool:
        """A clause that keeps all permutations, so it depends on the shared part and the multiset of letters only."""
        key = clause, position.shared, position.total
        found = self._symmetric.get(key)
        if found is None:
            found = self._symmetric[key] = bool(self.meaning.value_of(e)(position.look(), {}))
        return found


class Rule:
    """One command of an edge."""

    def __init__(self, context: Context, edge: int, c: int, clauses: tuple[Clause, ...], of: Edge) -> None:
        self.context, self.edge, self.c = context, edge, c
        self.command = context.shape.system.commands[c]
        self.q = context.partition(of)
        self.guard = [clause.expression for clause in clauses]
        self.forms: dict[Form, list[tuple[int, Formed]]] = {form: [] for form in Form}
        coarsest = context.cells.coarsest
        for clause in clauses:
            symmetric = context.cells.meet(coarsest, context.partition(clause)) == coarsest
            formed = form_of(context.shape, self.command, clause.expression, symmetric)
            if formed.form is Form.EACH and len(of.commands) > 1:
                formed = Formed(Form.GENERAL, clause.expression)  # one instance demands it, not the edge
            self.forms[formed.form].append((context.number(formed), formed))
        self.symmetric, self.own = self.forms[Form.SYMMETRIC], self.forms[Form.OWN]
        self.name = own_process(context.shape, self.command)
        self.domain = self.static_domain() if self.name is not None else frozenset()
        self.classes = {context.shape.classes[k] for k in self.domain}
        self.is_local = self.name is not None and has_local_effect(context.shape, self.command)
        self.must_check_hiding = context.has_hiding and self.can_be_hidden()
        self._effects: dict[tuple[int, int], tuple[int, int]] = {}
        self._domain_cells: dict[int, tuple[int, ...]] = {}
        self._forbidding: dict[int, tuple[tuple[tuple[int, Formed], ...], ...]] = {}
        self._allowed: dict[tuple[int, int], dict[tuple[int, int], bool]] = {}

    def static_domain(self) -> frozenset[int]:
        """The processes for which the clauses about the parameter alone hold."""
        shape, meaning = self.context.shape, self.context.meaning
        domain = self.command.parameters[0].domain
        assert isinstance(domain, Atoms)
        assert self.name is not None
        kept = []
        try:
            for a in domain.atoms:
                if all(meaning.value_of(f.expression)((), {self.name: a}) for _, f in self.forms[Form.STATIC]):
                    kept.append(shape.process[a])
        except Fault:  # let it show itself where the guard is evaluated
            self.forms[Form.GENERAL] = [*self.forms[Form.STATIC], *self.forms[Form.GENERAL]]
            return frozenset(shape.process[a] for a in domain.atoms)
        return frozenset(kept)

    def can_be_hidden(self) -> bool:
        commands = self.context.shape.system.commands
        return any(d.rank < self.command.rank or d.turn < self.command.turn for d in commands)

    # Running it.

    def events(self, at: Position) -> Iterator[Event]:
        """What the command does in the states that the position represents."""
        if self in self.context.candidates(at):
            yield from self.candidate_events(at)

    def candidate_events(self, at: Position) -> Iterator[Event]:
        """The same for a rule that is known to be a candidate here."""
        context, cells = self.context, self.context.cells
        r = cells.meet(at.p, self.q)
        allowed = self.allowed(r, at) if self.forms[Form.EACH] else None
        if r == at.p:
            if allowed is None or all(allowed(k, letter) for k, bag in enumerate(at.bags) for letter, _ in bag):
                yield from self.events_in(at)
            return
        for bags in unwind(cells, at.p, at.bags, r, allowed):
            context.breathe()
            yield from self.events_in(Position(context, at.shared, bags, r))

    def fits_letters(self, at: Position, letters: frozenset[int]) -> bool:
        """Whether the clauses about the shared part hold, and those about the moving process for some letter."""
        context = self.context
        for number, formed in self.forms[Form.SHARED]:
            if not context.about_shared(number, formed.expression, at):
                return False
        mine = [letter for letter in sorted(letters) if context.shape.locals[letter][2] in self.classes]
        return not self.own or any(self.own_letter(at, letter) for letter in mine)

    def is_symmetrically_enabled(self, at: Position) -> bool:
        """The clauses that tell nobody apart, tested before anything is unwound [W07, section 8]."""
        context = self.context
        return all(context.about_state(number, formed.expression, at) for number, formed in self.symmetric)

    def own_letter(self, at: Position, letter: int) -> bool:
        """Whether a process with this letter passes the clauses about its local state."""
        context = self.context
        assert self.name is not None
        for number, formed in self.own:
            if not context.about_letter(number, formed.expression, self.name, at, letter):
                return False
        return True

    def allowed(self, r: int, at: Position) -> Allowed:
        """Where the EACH clauses allow a letter: what one process of a cell must satisfy, all of the cell must,

        for the guard keeps the permutations of r."""
        return Allowed(self, r, at, self._allowed.setdefault((r, at.shared), {}))

    def forbidding(self, r: int) -> tuple[tuple[tuple[int, Formed], ...], ...]:
        """For each cell of r the EACH clauses about one of its processes, equal ones once."""
        if r not in self._forbidding:
            self._forbidding[r] = tuple(
                tuple(
                    {
                        (self.context.number(Formed(Form.EACH, f.expression)), Formed(Form.EACH, f.expression)): None
                        for _, f in self.forms[Form.EACH]
                        if not f.processes.isdisjoint(cell)
                    }
                )
                for cell in self.context.cells.cells(r)
            )
        return self._forbidding[r]

    def events_in(self, u: Position) -> Iterator[Event]:
        """What the command does in (u, r), whose permutations keep it: one process per cell and letter."""
        try:
            if self.name is None:
                yield from self.general_events(u)
            else:
                for k in self.domain_cells(u.p):
                    for letter, _ in u.bags[k]:
                        if self.own_letter(u, letter):
                            yield from self.process_events(u, k, letter)
        except Fault as fault:
            yield Event(u.p, u.bags, None, u.shared, u.bags, Violation(FAULTS, fault.message, fault.span))

    def domain_cells(self, r: int) -> tuple[int, ...]:
        if r not in self._domain_cells:
            cells = self.context.cells.cells(r)
            self._domain_cells[r] = tuple(k for k, cell in enumerate(cells) if not self.domain.isdisjoint(cell))
        return self._domain_cells[r]

    def process_events(self, u: Position, k: int, letter: int) -> Iterator[Event]:
        """One process of cell k with this letter stands for all of them."""
        general = self.forms[Form.GENERAL]
        effect = self._effects.get((u.shared, letter)) if self.may_look_up() else None
        if effect is not None:
            yield Event(u.p, u.bags, None, effect[0], replace_letter(u.bags, k, letter, effect[1]))
            return
        witness = next(
            (j for j in self.context.cells.cells(u.p)[k] if u.letters[j] == letter and j in self.domain), None
        )
        if witness is None:
            return
        assert self.name is not None
        env: Env = {self.name: self.context.shape.atoms[witness]}
        if general:
            s = u.look()
            if not all(self.context.meaning.value_of(f.expression)(s, env) for _, f in general):
                return
        event = self.fire(u, env)
        if event is not None:
            if self.is_local and event.violation is None:
                after = self.context.shape.encode(self.context.meaning.fire(u.state, event.firing)[0])[1]  # type: ignore[arg-type]
                self._effects[u.shared, letter] = event.shared, after[witness]
            yield event

    def may_look_up(self) -> bool:
        """Whether the letters decide that the command runs, and nobody asks for the firing."""
        return not self.forms[Form.GENERAL] and not self.must_check_hiding and not self.context.name_firings

    def fire(self, u: Position, env: Env) -> Event | None:
        """The effect on the written-out state; None if another command hides this one."""
        context = self.context
        firing = Firing(self.c, tuple(env[p.name] for p in self.command.parameters))
        if self.must_check_hiding and firing not in context.meaning.enabled(u.state):
            return None
        t, violation = context.meaning.fire(u.state, firing)
        if violation is not None:
            return Event(u.p, u.bags, firing, u.shared, u.bags, violation)
        shared, letters = context.shape.encode(t)
        return Event(u.p, u.bags, firing, shared, bags_of(context.cells, u.p, letters))

    def general_events(self, u: Position) -> Iterator[Event]:
        """Any number of parameters: processes that are alike are tried once."""
        s = u.look()
        for env in self.bindings(u, 0, {}):
            u.look()
            if all(self.context.meaning.value_of(e)(s, env) for e in self.guard):
                event = self.fire(u, env)
                if event is not None:
                    yield event

    def bindings(self, u: Position, k: int, env: Env) -> Iterator[Env]:
        if k == len(self.command.parameters):
            yield env
            return
        parameter = self.command.parameters[k]
        values: Iterator[Value]
        if isinstance(parameter.domain, Atoms):
            values = self.different(u, parameter.domain.atoms, env)
        else:
            values = self.context.meaning.domain_values(parameter.name, parameter.domain, u.state, env)
        for value in values:
            yield from self.bindings(u, k + 1, {**env, parameter.name: value})

    def different(self, u: Position, atoms: tuple[int, ...], env: Env) -> Iterator[Value]:
        """One atom for each cell and letter, and those already chosen; all of those that are not permuted."""
        shape, label = self.context.shape, self.context.cells.labels(u.p)
        chosen = set(env.values())
        seen: set[tuple[int, int]] = set()
        for a in atoms:
            process = shape.process.get(a)
            if process is None or a in chosen:
                yield a
                continue
            kind = label[process], u.letters[process]
            if kind not in seen:
                seen.add(kind)
                yield a


@frozen
class Allowed:
    rule: Rule
    r: int
    at: Position
    known: dict[tuple[int, int], bool]

    def __call__(self, k: int, letter: int) -> bool:
        found = self.known.get((k, letter))
        if found is None:
            clauses = self.rule.forbidding(self.r)[k]
            found = self.known[k, letter] = all(
                self.rule.context.about_letter(number, f.expression, NAME, self.at, letter) for number, f in clauses
            )
        return found
