"""A System to a program with three entries: next, check (invariants) and stuck (is this end allowed?).

``next`` writes one record for every command that can run: the state it leads to, or a violation on the way.  Commands
with constant parameter domains are written out for every value while the program stays small, else they are loops.
Commands that first ask for the same place (a program counter) share one jump through a table.

[turns and ranks: model/command.py.]  Commands are tried rank by rank; where turns differ, a first pass notes the least
turn of every mover.  A guard without a value ends ``next`` with FAULT: the state then has no other moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from quorbit.engines.explicit import lines
from quorbit.engines.explicit.instructions import (
    DROPPED,
    FAULT,
    TRANSIENT,
    VIOLATION,
    Instruction,
    Label,
    Op,
    Program,
    signed,
)
from quorbit.engines.explicit.layout import StateLayout
from quorbit.engines.explicit.lower_expression import ExpressionLowering
from quorbit.engines.explicit.lower_scope import Env, View
from quorbit.engines.explicit.shapes import Ints, Shape, Unshaped, leaves
from quorbit.engines.explicit.values import Content, Held, Known, Line, Mask, Parts, Scalar, flatten
from quorbit.engines.explicit.within import is_within
from quorbit.model.command import Assign, Command, Require, Together
from quorbit.model.evaluate import FAULTS, asks_enabled
from quorbit.model.expression import (
    FALSE,
    Apply,
    Atoms,
    Bound,
    Domain,
    Elements,
    Expr,
    Interval,
    Literal,
    Operator,
    Parameter,
    Quantify,
    Read,
    Use,
)
from quorbit.model.system import Assertions, Invariant, NoDeadlock, Property, System
from quorbit.model.types import NONE, AtomOf, QueueOf, SetOf, TupleOf, Type
from quorbit.model.walk import expressions_of, walk

LARGEST_WRITTEN_OUT = 12_000  # nodes of expressions, over all values of the parameters
LARGEST_SWITCH = 256
NO_TURN = 1 << 31


@dataclass
class Instance:
    """A command with values for some of its parameters; the others are loops."""

    number: int
    command: Command
    env: Env
    loops: list[Parameter]
    conjuncts: list[Expr]


@dataclass
class Switch:
    """Instances that ask for one place first, by the value they ask for."""

    place: int
    cases: dict[int, list[Instance]] = field(default_factory=dict)


def lower(system: System, layout: StateLayout, properties: tuple[Property, ...]) -> Program:
    """The program of a System."""
    return SystemLowering(system, layout, properties).program()


class SystemLowering(ExpressionLowering):
    def __init__(self, system: System, layout: StateLayout, properties: tuple[Property, ...]) -> None:
        super().__init__(system, layout)
        self.properties = properties
        self.asked = {FAULTS, *(p.name for p in properties if isinstance(p, Assertions))}
        self.labels = {label: k for k, label in enumerate(dict.fromkeys(c.label for c in system.commands))}
        self.free: dict[int, frozenset[str]] = {}
        self.held: list[Expr] = []  # whose ids are keys of ``free``
        self.instances: list[Instance] = []
        self.marks: int | None = None  # the first register of the least turns
        self.call_words = 0
        self.domains: dict[str, Domain] = {}  # of the parameters of the command being written
        self.written_out = count_written_out(system)
        mentioned = {p.name for d in system.definitions for p in walk(d.body) if isinstance(p, Bound)}
        self.definition_names = frozenset(mentioned)  # what uses a definition waits for these parameters

    def program(self) -> Program:
        self.instances = [i for n, c in enumerate(self.system.commands) for i in self.specialise(n, c)]
        self.call_words = self.count_call_words() if self.system.count_once else 0
        entries = {"next": Label(), "check": Label(), "stuck": Label()}
        self.write_entry(entries["next"], self.write_next)
        self.write_entry(entries["check"], self.write_check)
        self.write_entry(entries["stuck"], self.write_stuck)
        return self.assemble(entries)

    def write_entry(self, entry: Label, write: Callable[[], None]) -> None:
        self.e.place(entry)
        self.e.fault = Label()
        self.view = View()
        self.loaded = [{}]
        self.e.next = 2 * self.layout.words
        write()
        self.e.place(self.e.fault)
        self.e.end(FAULT)

    # Specialising.

    def specialise(self, number: int, command: Command) -> list[Instance]:
        conjuncts = list(flat_conjuncts(command.guard))
        envs: list[Env] = [{}]
        loops = []
        for k, parameter in enumerate(command.parameters):
            values = constant_domain(parameter)
            if values is None or not self.is_written_out(k):
                loops.append(parameter)
            else:
                envs = [{**env, parameter.name: Known(v)} for env in envs for v in values]
        return [Instance(number, command, env, loops, conjuncts) for env in envs]

    def is_written_out(self, k: int) -> bool:
        """Whether parameter number k of the commands is written out for every value."""
        return k < self.written_out

    # Next.

    def write_next(self) -> None:
        self.prepare_enabled()
        self.write_turns()
        ranks = sorted({i.command.rank for i in self.instances})
        for k, rank in enumerate(ranks):
            self.write_rank([i for i in self.instances if i.command.rank == rank])
            if k + 1 < len(ranks):
                self.stop_after_rank([i for i in self.instances if i.command.rank > rank])
        self.e.end(0)

    def stop_after_rank(self, later: list[Instance]) -> None:
        """If a command ran, the later ranks are only asked whether their guards have values."""
        r, onward = self.e.fresh(), Label()
        self.e.buffer.put(Op.CNT, r)
        self.e.buffer.put(Op.JEQI, r, x=onward, y=0)
        for instance in later:
            if not self.is_safe_instance(instance):
                self.write_instance(instance, None, lambda env: None)
        self.e.end(0)
        self.e.place(onward)

    def is_safe_instance(self, instance: Instance) -> bool:
        fault = Label()
        with self.e.scratch(), self.e.faults_to(fault):
            self.write_instance(instance, None, lambda env: None)
        return not fault.used

    def write_rank(self, instances: list[Instance]) -> None:
        for group in self.group(instances):
            if isinstance(group, Switch):
                self.write_switch(group)
            else:
                self.write_instance(group, None, self.effect_of(group))

    def effect_of(self, instance: Instance) -> Callable[[Env], None]:
        return lambda env: self.write_effect(instance.number, instance.command, env)

    def write_switch(self, switch: Switch) -> None:
        """Jump on the value of a place to the commands that ask for it."""
        shape, (f,) = self.layout.shapes[switch.place], self.layout.fields[switch.place]
        assert isinstance(shape, Ints)
        cases = {value: Label() for value in switch.cases}
        past = Label()

        def write() -> None:
            code = self.e.load(0, f)
            assert isinstance(code, Held)
            index = self.e.subtract(code, Known(shape.low))
            targets = tuple(cases.get(v, past) for v in range(shape.low, shape.high + 1))
            self.e.buffer.put(Op.SWITCH, self.e.register(index), x=targets)
            self.e.jump(past)
            for value, instances in switch.cases.items():
                self.e.place(cases[value])
                for instance in instances:
                    self.write_instance(instance, (switch.place, value), self.effect_of(instance))
                self.e.jump(past)

        self.scoped(write)
        self.e.place(past)

    def group(self, instances: list[Instance]) -> Iterable[Switch | Instance]:
        """Instances gathered by the place they ask for, where several ask for one."""
        asked = [self.asked_places(instance) for instance in instances]
        popularity: dict[int, int] = {}
        for places in asked:
            for place in places:
                popularity[place] = popularity.get(place, 0) + 1
        groups: dict[object, Switch | Instance] = {}
        for k, (instance, places) in enumerate(zip(instances, asked, strict=True)):
            place = max(places, key=lambda p: (popularity[p], -p), default=-1)
            if popularity.get(place, 0) < 3:
                groups["alone", k] = instance
            else:
                switch = groups.setdefault(place, Switch(place))
                assert isinstance(switch, Switch)
                switch.cases.setdefault(places[place], []).append(instance)
        return groups.values()

    def asked_places(self, instance: Instance) -> dict[int, int]:
        """Places that must have a certain value, asked before anything that may fault."""
        found: dict[int, int] = {}
        if any(isinstance(p.domain, Elements) for p in instance.loops):
            return found  # its domain is evaluated first
        for e in instance.conjuncts:
            asked = self.asked_place(e, instance.env)
            if asked is not None:
                found.setdefault(*asked)
            elif not self.names(e) <= instance.env.keys() or not self.is_safe(e, instance.env):
                break
        return found

    def asked_place(self, e: Expr, env: Env) -> tuple[int, int] | None:
        """(place, value) if e says that a constant place has a constant value."""
        match e:
            case Apply(Operator.EQUAL, (Read() as a, (Literal() | Bound()) as b)):
                pass
            case Apply(Operator.EQUAL, ((Literal() | Bound()) as b, Read() as a)):
                pass
            case _:
                return None
        if not self.names(e) <= env.keys():
            return None
        i, n = self.constant_place(a, env), self.value(b, env)
        if i is None or not isinstance(n, Known):
            return None
        shape = self.layout.shapes[i]
        small = isinstance(shape, Ints) and shape.high - shape.low < LARGEST_SWITCH
        return (i, n.value) if small and shape.low <= n.value <= shape.high else None  # type: ignore[union-attr]

    # One command.

    def write_instance(self, instance: Instance, given: tuple[int, int] | None, effect: Callable[[Env], None]) -> None:
        """Guard and loops, then ``effect`` for every binding.  ``given``: a place whose value is known already."""
        conjuncts = [e for e in instance.conjuncts if given is None or self.asked_place(e, instance.env) != given]
        first_register = self.e.next
        self.scoped(lambda: self.write_level(instance, dict(instance.env), list(instance.loops), conjuncts, effect))
        self.e.next = first_register

    def write_level(
        self, instance: Instance, env: Env, loops: list[Parameter], pending: list[Expr], effect: Callable[[Env], None]
    ) -> None:
        skip = Label()
        now, later = self.split(env, loops, pending)
        for e in now:
            self.branch(e, env, skip, False)
        if loops:
            parameter, *inner = loops
            self.each(
                parameter.name,
                parameter.domain,
                env,
                lambda v: self.write_level(instance, {**env, parameter.name: v}, inner, later, effect),
                unrolled=0,
            )
        else:
            self.skip_unless_first(instance.command, env, skip)
            effect(env)
        self.e.place(skip)

    def split(self, env: Env, loops: list[Parameter], pending: list[Expr]) -> tuple[list[Expr], list[Expr]]:
        """What of the guard can be asked before the loops without changing which faults are met."""
        if not loops:
            return pending, []
        may_be_empty = any(isinstance(p.domain, Elements) for p in loops)
        now: list[Expr] = []
        later: list[Expr] = []
        blocked = False
        for e in pending:
            ready = self.names(e) <= env.keys() and not blocked
            safe = ready and self.is_safe(e, env)
            if ready and (safe or (not may_be_empty and not later)):
                now.append(e)
            else:
                later.append(e)
                blocked = blocked or not (ready or self.is_safe_later(e))
        return now, later

    def is_safe_later(self, e: Expr) -> bool:
        """A conjunct that waits for parameters: only plain comparisons of parameters are known to be safe."""
        return all(isinstance(part, Literal | Bound | Apply) for part in walk(e)) and all(
            part.operator in (Operator.EQUAL, Operator.NOT, Operator.AND, Operator.OR, Operator.LESS)
            for part in walk(e)
            if isinstance(part, Apply)
        )

    def names(self, e: Expr) -> frozenset[str]:
        """The parameters that must be bound before e can be evaluated."""
        if id(e) not in self.free:
            self.held.append(e)
            self.free[id(e)] = self.find_names(e)
        return self.free[id(e)]

    def find_names(self, e: Expr) -> frozenset[str]:
        found: set[str] = set()
        for part in walk(e):
            if isinstance(part, Bound):
                found.add(part.name)
            elif isinstance(part, Use):
                found |= self.definition_names
        return frozenset(found - {p.parameter.name for p in walk(e) if isinstance(p, Quantify)})

    # Effects.

    def write_effect(self, number: int, command: Command, env: Env) -> None:
        """The record of one command that runs."""
        self.e.buffer.put(Op.COPY)
        fault, dropped, past = Label(), Label(), Label()
        outer, self.view = self.view, View(makes=True)
        self.domains = {p.name: p.domain for p in command.parameters}
        calls = self.write_call(command, env)
        with self.e.faults_to(fault):
            for step in command.effect:
                if isinstance(step, Together):
                    self.write_together(step, env)
                else:
                    self.write_require(step, env, fault, dropped)
            self.write_record(number, calls, past)
        self.write_broken(number, calls, fault, VIOLATION, past)
        self.write_broken(number, calls, dropped, DROPPED, past)
        self.e.place(past)
        self.view = outer

    def write_require(self, step: Require, env: Env, fault: Label, dropped: Label) -> None:
        self.branch(step.condition, env, fault if step.property in self.asked else dropped, False)

    def write_record(self, number: int, calls: int, past: Label) -> None:
        if self.system.transient != FALSE:
            passing = Label()
            self.scoped(lambda: self.branch(self.system.transient, {}, passing, True))
            self.emit(calls, number)
            self.e.jump(past)
            self.e.place(passing)
            self.emit(calls, number | TRANSIENT)
        else:
            self.emit(calls, number)
        self.e.jump(past)

    def write_broken(self, number: int, calls: int, label: Label, flag: int, past: Label) -> None:
        if label.used:
            self.e.place(label)
            self.emit(calls, number | flag)
            self.e.jump(past)

    def emit(self, calls: int, meta: int) -> None:
        self.e.buffer.put(Op.EMIT, b=calls, y=meta)

    def write_call(self, command: Command, env: Env) -> int:
        """The registers that say what the user calls this move."""
        if not self.call_words:
            return 0
        block = self.e.fresh(self.call_words)
        shown = [Known(self.labels[command.label]), *self.visible(command, env)]
        for k in range(self.call_words):
            self.e.assign(block + k, shown[k] if k < len(shown) else Known(0))
        return block

    def visible(self, command: Command, env: Env) -> list[Scalar]:
        return [a for p in command.parameters if p.name not in command.hidden for a in flatten(env[p.name])]

    def count_call_words(self) -> int:
        most = [0]
        for instance in self.instances:

            def note(env: Env, instance: Instance = instance) -> None:
                most[0] = max(most[0], len(self.visible(instance.command, env)))

            with self.e.scratch():
                self.write_instance(instance, None, note)
        return 1 + most[0]

    def write_together(self, step: Together, env: Env) -> None:
        stores: list[tuple[Assign, Scalar, Content]] = []
        for assignment in step.assignments:
            at = self.address(assignment.target, env)
            shape = self.layout.shapes[self.first_place[assignment.target.variable]]
            content = self.value(assignment.value, env, shape)
            for other, taken, _ in stores:
                if other.target.variable == assignment.target.variable:
                    self.e.jump_if(Op.EQ, *self.same_base(assignment, at, taken), self.e.fault)
            stores.append((assignment, at, self.fitted(content, assignment)))
        for assignment, at, content in stores:
            self.store(assignment.target.variable, at, content)

    def same_base(self, assignment: Assign, a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
        """Two places of one variable, both counted within it."""
        first = self.first_place[assignment.target.variable]

        def within(x: Scalar) -> Scalar:
            return Known(x.value - first) if isinstance(x, Known) else x

        return within(a), within(b)

    def fitted(self, content: Content, assignment: Assign) -> Content:
        """The content in the shape of the target's places, after a fault unless it is of their type."""
        variable = assignment.target.variable
        shape = self.layout.shapes[self.first_place[variable]]
        type = self.system.variable[variable].type
        fitting = lines.coerce(self.e, content, shape)
        if not is_within(self.system, assignment.value, type, self.domains):
            self.check_atoms(fitting, type)
        return fitting

    def check_atoms(self, content: Content, type: Type) -> None:
        """Atoms between the bounds that the type does not list."""
        match content, type:
            case (Known() | Held()) as a, AtomOf(atoms, optional):
                listed = sorted({*atoms, *((NONE,) if optional else ())})
                if any(n not in listed for n in range(a.low, a.high + 1)):
                    self.e.look_up({n: n for n in listed}, a)
            case Parts(contents), TupleOf(types):
                for c, t in zip(contents, types, strict=True):
                    self.check_atoms(c, t)
            case ((Mask() | Line()), (SetOf(inner) | QueueOf(inner))) if has_gaps(inner):
                raise Unshaped("sets and queues of atoms that are not consecutive cannot be laid out")

    def store(self, variable: str, at: Scalar, content: Content) -> None:
        if isinstance(at, Known):
            self.store_place(at.value, content)
            return
        for k, (leaf, a) in enumerate(zip(leaves(self.shape_of(variable)), flatten(content), strict=True)):
            if leaf.width:
                r = self.e.register(a)
                table = self.entries(variable, k)
                self.e.buffer.put(Op.STX, self.layout.words, at.register, r, table, signed(leaf.low))
        self.view.dirty.add(variable)
        for i in [i for i in self.view.written if self.system.places[i].variable == variable]:
            del self.view.written[i]

    def shape_of(self, variable: str) -> Shape:
        return self.layout.shapes[self.first_place[variable]]

    def store_place(self, i: int, content: Content) -> None:
        base = self.layout.words
        for f, a in zip(self.layout.fields[i], flatten(content), strict=True):
            if isinstance(a, Known):
                mask = (1 << f.width) - 1
                self.store_constant(base + f.word, mask << f.shift, ((a.value - f.low) & mask) << f.shift)
            else:
                self.e.store(base, f, a)
        self.view.written[i] = content

    def store_constant(self, word: int, mask: int, bits: int) -> None:
        """Constants that go into one word one after the other are stored at once."""
        last = self.e.buffer.lines[-1] if self.e.buffer.lines else None
        if isinstance(last, Instruction) and last.op is Op.STC and last.a == word and isinstance(last.x, int):
            last.x, last.y = signed(last.x & ~mask), signed((last.y & ~mask) | bits)
        elif mask:
            self.e.buffer.put(Op.STC, word, x=signed(~mask), y=signed(bits))

    # Turns and Enabled.

    def mover(self, command: Command, env: Env) -> Scalar | None:
        return self.scalar(command.actors[0], env) if command.actors else None

    def write_turns(self) -> None:
        """Note the least turn of every mover, where turns differ."""
        turns = sorted({i.command.turn for i in self.instances})
        if len(turns) < 2:
            return
        n = len(self.system.atoms) + 1
        self.marks = self.e.fresh(n)
        for k in range(n):
            self.e.assign(self.marks + k, Known(NO_TURN))
        for turn in turns[-2::-1]:
            for instance in self.instances:
                if instance.command.turn == turn and instance.command.actors:
                    self.write_instance(instance, None, self.marker(instance.command, Known(turn), self.marks))

    def marker(self, command: Command, mark: Known, block: int) -> Callable[[Env], None]:
        def write(env: Env) -> None:
            mover = self.mover(command, env)
            if mover is not None:
                self.write_block(block, mover, mark)

        return write

    def write_block(self, block: int, mover: Scalar, value: Known) -> None:
        n = len(self.system.atoms) + 1
        if isinstance(mover, Known):
            self.e.assign(block + mover.value + 1, value)
        else:
            at = self.e.wrapping_add(mover, 1)
            self.e.buffer.put(Op.STR, block, self.e.register(at), self.e.register(value), n)

    def read_block(self, block: int, mover: Scalar) -> Scalar:
        n = len(self.system.atoms) + 1
        if isinstance(mover, Known):
            return Held(block + mover.value + 1)
        r, at = self.e.fresh(), self.e.wrapping_add(mover, 1)
        self.e.buffer.put(Op.LDR, r, self.e.register(at), block, n)
        return Held(r)

    def skip_unless_first(self, command: Command, env: Env, skip: Label) -> None:
        """A mover whose command of an earlier turn can run does not run this one."""
        mover = self.mover(command, env) if self.marks is not None else None
        if mover is not None and self.marks is not None and command.turn > self.least_turn:
            self.e.jump_if(Op.LT, self.read_block(self.marks, mover), Known(command.turn), skip)

    @property
    def least_turn(self) -> int:
        return min(i.command.turn for i in self.instances)

    def prepare_enabled(self) -> None:
        """If a guard asks for Enabled, find out once who can move."""
        if any(asks_enabled(c) for c in self.system.commands):
            self.enabled_block()

    def enabled_block(self) -> int:
        """Registers: whether anyone can move, whether NONE can, whether each atom can."""
        n = len(self.system.atoms) + 2
        block = self.e.fresh(n)
        for k in range(n):
            self.e.assign(block + k, Known(0))
        best = min((c.rank for c in self.system.commands), default=0)
        for instance in self.instances:
            if instance.command.rank == best and not asks_enabled(instance.command):
                self.write_instance(instance, None, self.enabler(instance.command, block))
        if not self.view.makes:
            self.loaded[-1][ENABLED] = Held(block)
        return block

    def enabler(self, command: Command, block: int) -> Callable[[Env], None]:
        mark = self.marker(command, Known(1), block + 1)

        def write(env: Env) -> None:
            self.e.assign(block, Known(1))
            mark(env)

        return write

    def enabled(self, actor: Scalar | None) -> Scalar:
        known = None if self.view.makes else self.known_load(ENABLED)
        block = known.register if isinstance(known, Held) else self.enabled_block()
        found = Held(block) if actor is None else self.read_block(block + 1, actor)
        return self.e.copy(Held(found.register, 0, 1)) if isinstance(found, Held) else found

    # Properties.

    def write_check(self) -> None:
        self.write_conditions([p.condition for p in self.properties if isinstance(p, Invariant)])

    def write_stuck(self) -> None:
        self.write_conditions([p.allowed for p in self.properties if isinstance(p, NoDeadlock)])

    def write_conditions(self, conditions: list[Expr]) -> None:
        """Return how many do not hold."""
        total = self.e.copy(Known(0))
        for e in conditions:
            broken, past = Label(), Label()

            def write(e: Expr = e, broken: Label = broken) -> None:
                with self.e.faults_to(broken):
                    self.branch(e, {}, broken, False)

            self.scoped(write)
            self.e.jump(past)
            self.e.place(broken)
            self.e.buffer.put(Op.ADDI, total.register, total.register, y=1)
            self.e.place(past)
        self.e.buffer.put(Op.RET, total.register)

    # Assembly.

    def assemble(self, entries: dict[str, Label]) -> Program:
        at: dict[int, int] = {}
        code: list[Instruction] = []
        for line in self.e.buffer.lines:
            if isinstance(line, Label):
                at[id(line)] = len(code)
            else:
                code.append(line)
        targets: list[int] = []
        rows = [self.resolve(line, at, targets) for line in code]
        where = {name: at[id(label)] for name, label in entries.items()}
        return Program(self.layout.words, self.e.most, self.call_words, rows, self.e.table, targets, where)

    def resolve(self, line: Instruction, at: dict[int, int], targets: list[int]) -> tuple[int, int, int, int, int, int]:
        match line.x:
            case Label():
                x = at[id(line.x)]
            case tuple():
                x = len(targets) | len(line.x) << 32
                targets.extend(at[id(label)] for label in line.x)
            case _:
                x = line.x
        return line.op.code, line.a, line.b, line.c, x, line.y


ENABLED = (-1, -1)  # the key under which the registers of Enabled are remembered


def flat_conjuncts(e: Expr) -> Iterable[Expr]:
    match e:
        case Apply(Operator.AND, operands):
            for operand in operands:
                yield from flat_conjuncts(operand)
        case _:
            yield e


def constant_domain(parameter: Parameter) -> tuple[int, ...] | None:
    match parameter.domain:
        case Atoms(atoms):
            return atoms
        case Interval(low, high):
            return tuple(range(low, high + 1))
        case _:
            return None


def count_written_out(system: System) -> int:
    """How many of the commands' parameters, from the left, can be written out."""
    sizes = [(sum(1 for e in expressions_of(c) for _ in walk(e)), c) for c in system.commands]
    most = max((len(c.parameters) for c in system.commands), default=0)
    for k in range(most, 0, -1):
        if sum(size * values_of(c, k) for size, c in sizes) <= LARGEST_WRITTEN_OUT:
            return k
    return 0


def values_of(command: Command, k: int) -> int:
    """How many values the first k parameters have together, as far as they are constant."""
    n = 1
    for parameter in command.parameters[:k]:
        match parameter.domain:
            case Atoms(atoms):
                n *= len(atoms)
            case Interval(low, high):
                n *= max(0, high - low + 1)
    return n


def has_gaps(type: Type) -> bool:
    """Whether the shape of a type has atoms that the type has not."""
    match type:
        case AtomOf(atoms, optional):
            listed = {*atoms, *((NONE,) if optional else ())}
            return len(listed) != max(listed, default=0) - min(listed, default=0) + 1
        case TupleOf(types):
            return any(map(has_gaps, types))
        case SetOf(inner) | QueueOf(inner):
            return has_gaps(inner)
        case _:
            return False
