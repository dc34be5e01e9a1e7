"""Effects of commands to code that makes the next state and its record."""

from __future__ import annotations

from quorbit.machine.compile import queues as lines
from quorbit.machine.compile.instructions import (
    BOUND,
    DROPPED,
    TRANSIENT,
    VIOLATION,
    Instruction,
    Label,
    Op,
    signed,
)
from quorbit.machine.compile.lower.chains import Chains, Way
from quorbit.machine.compile.lower.instances import Instance
from quorbit.machine.compile.lower.scope import Env, View
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.shapes import Ints, Shape, leaves
from quorbit.machine.compile.type_fits import is_within
from quorbit.machine.compile.values import Content, Held, Known, Line, Mask, Never, Parts, Scalar, Shared, flatten
from quorbit.machine.memo import Fits
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together, assignments_in
from quorbit.model.system.expression import (
    FALSE,
    Domain,
    Fresh,
)
from quorbit.model.system.system import BLOCKED, Assertions, Property, System
from quorbit.model.system.types import NONE, AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import frozen


@frozen
class Called:
    """A visible parameter of an operation: the shape its values are told in, and whether all its commands have it."""

    shape: Shape
    always: bool = True

    @property
    def words(self) -> int:
        return len(leaves(self.shape)) + (not self.always)


class Effects(Chains):
    """What a command that runs leaves: a state, a transient state, or a violation on the way."""

    def __init__(self, system: System, layout: StateLayout, properties: tuple[Property, ...]) -> None:
        super().__init__(system, layout)
        self.asked = {FAULTS, *(p.name for p in properties if isinstance(p, Assertions))}
        self.labels = {label: k for k, label in enumerate(dict.fromkeys(c.label for c in system.commands))}
        self.call_words = 0
        self.calls: dict[str, dict[str, Called]] = {}  # of every label: its visible parameters
        self.domains: dict[str, Domain] = {}  # of the parameters of the command being written
        self.blocked = Label()  # behind the command being written

    def write_effect(self, instance: Instance, env: Env) -> None:
        """The record of one command that runs."""
        self.e.buffer.put(Op.COPY)
        past = Label()
        known = {i: Known(value) for i, value in self.asked_places(instance).items()}
        outer, self.view = self.view, View(True, dict(known))
        calls = self.write_call(instance.command, env)
        self.write_link((instance.number,), instance.command, env, calls, past)
        self.e.place(past)
        self.view = outer

    def write_link(self, way: Way, command: Command, env: Env, calls: int, past: Label) -> None:
        """The last command of a way, and what it comes to."""
        fault, dropped = Label(), Label()
        self.blocked = past
        self.domains = {p.name: p.domain for p in command.parameters}
        with self.e.faults_to(fault):
            self.write_steps(command.effect, env, dropped)
            self.write_record(way, calls, past)
        self.write_broken(way, calls, fault, VIOLATION, past)
        self.write_broken(way, calls, dropped, DROPPED, past)

    def write_steps(self, steps: tuple[Step, ...], env: Env, dropped: Label) -> None:
        for step in steps:
            match step:
                case Together():
                    self.write_together(step, env)
                case Require(condition):
                    self.branch(condition, env, self.broken_at(step.property, dropped), False)
                case Branch():
                    self.write_branch(step, env, dropped)
                case Loop():
                    self.write_loop(step, env, dropped)
                case Pick(parameter, body):
                    assert isinstance(parameter.domain, Fresh)
                    self.domains[parameter.name] = parameter.domain
                    found = self.picked(parameter.name, parameter.domain, env)
                    self.write_steps(body, {**env, parameter.name: found}, dropped)

    def broken_at(self, property: str, dropped: Label) -> Label:
        """Where a way goes that breaks what is required in the name of a property."""
        if property in self.asked:
            return self.e.fault
        return self.blocked if property == BLOCKED else dropped

    def picked(self, name: str, domain: Fresh, env: Env) -> Content:
        """The free atom; what is loaded to find it is not there on every way."""
        found: list[Content] = []
        self.scoped(lambda: found.append(self.fresh_atom(name, domain, env)))
        return found[0]

    def write_branch(self, step: Branch, env: Env, dropped: Label) -> None:
        """Both ways; what is known of the state behind them is what both leave.  What the test loads is there only
        where it holds: where it does not, it may have been decided before."""
        otherwise, past, before = Label(), Label(), self.view

        def first() -> None:
            self.branch(step.test, env, otherwise, False)
            self.view = View(True, dict(before.written), set(before.dirty))
            self.write_steps(step.then, env, dropped)

        self.scoped(first)
        then = self.view
        self.e.jump(past)
        self.e.place(otherwise)
        self.view = View(True, dict(before.written), set(before.dirty))
        self.scoped(lambda: self.write_steps(step.other, env, dropped))
        self.e.place(past)
        self.view = self.joined(then, self.view)

    def joined(self, a: View, b: View) -> View:
        same = {i: content for i, content in a.written.items() if b.written.get(i) is content}
        unsure = {self.system.places[i].variable for way in (a, b) for i in way.written if i not in same}
        return View(True, same, a.dirty | b.dirty | unsure)

    def write_loop(self, step: Loop, env: Env, dropped: Label) -> None:
        again, past, rounds = Label(), Label(), self.e.copy(Known(0))
        self.forget(step)
        self.e.place(again)
        self.scoped(lambda: self.branch(step.test, env, past, False))
        self.e.require(Op.LT, Held(rounds.register, 0, step.most), Known(step.most))
        self.e.buffer.put(Op.ADDI, rounds.register, rounds.register, y=1)
        self.scoped(lambda: self.write_steps(step.body, env, dropped))
        self.forget(step)
        self.e.jump(again)
        self.e.place(past)

    def forget(self, step: Loop) -> None:
        """What a loop assigns is read from the state that is made, in every round and after it."""
        assigned = {a.target.variable for a in assignments_in(step.body)}
        written = {i: c for i, c in self.view.written.items() if self.system.places[i].variable not in assigned}
        self.view = View(True, written, self.view.dirty | assigned)

    def write_record(self, way: Way, calls: int, past: Label) -> None:
        transient = False if self.system.transient == FALSE else self.decided(self.system.transient, {})
        if transient is None:
            passing = Label()
            self.scoped(lambda: self.branch(self.system.transient, {}, passing, True))
            self.emit(calls, self.chain(way), past)
            self.e.place(passing)
        if transient is False:
            self.emit(calls, self.chain(way), past)
        elif (link := self.following(way) if transient else None) is not None:
            self.write_link((*way, link.number), link.command, link.env, calls, past)
        else:
            self.emit(calls, self.chain(way) | TRANSIENT, past)

    def write_broken(self, way: Way, calls: int, label: Label, flag: int, past: Label) -> None:
        if label.used:
            self.e.place(label)
            self.emit(calls, self.chain(way) | flag, past)

    def emit(self, calls: int, meta: int, past: Label) -> None:
        self.e.buffer.put(Op.EMIT, b=calls, x=past, y=meta)

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
        """The visible parameters' values, each where all commands of this label have it."""
        own = {p.name for p in command.parameters if p.name not in command.hidden}
        found: list[Scalar] = []
        for name, called in self.calls.get(command.label, {}).items():
            if not called.always:
                found.append(Known(int(name in own)))
            content = lines.coerce(self.e, env[name], called.shape) if name in own else Never()
            leaves_here = flatten(content)
            found += leaves_here or [Known(0)] * len(leaves(called.shape))
        return found

    def write_together(self, step: Together, env: Env) -> None:
        stores: list[tuple[Assign, Scalar, Content]] = []
        for assignment in step.assignments:
            at = self.address(assignment.target, env)
            content = self.value(assignment.value, env, self.room(assignment.target.variable))
            for other, taken, _ in stores:
                if other.target.variable == assignment.target.variable:
                    self.e.jump_if(Op.EQ, *self.same_base(assignment, at, taken), self.e.fault)
            stores.append((assignment, at, self.fitted_or_refused(content, assignment)))
        for assignment, at, content in stores:
            self.store(assignment.target.variable, at, content)

    def same_base(self, assignment: Assign, a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
        """Two places of one variable, both counted within it."""
        first = self.first_place[assignment.target.variable]

        def within(x: Scalar) -> Scalar:
            return Known(x.value - first) if isinstance(x, Known) else x

        return within(a), within(b)

    def room(self, variable: str) -> Shape | None:
        """The shape that a value may be made in: not one that it need not fit."""
        return None if self.system.variable[variable].provisional else self.shape_of(variable)

    def fitted_or_refused(self, content: Content, assignment: Assign) -> Content:
        """As ``fitted``; if the type is provisional, what does not fit it asks for more room."""
        if not self.system.variable[assignment.target.variable].provisional:
            return self.fitted(content, assignment)
        too_large, past = Label(), Label()
        with self.e.faults_to(too_large):
            fitting = self.fitted(content, assignment)
        if too_large.used:
            self.e.jump(past)
            self.e.place(too_large)
            self.e.end(BOUND)
            self.e.place(past)
        return fitting

    def fitted(self, content: Content, assignment: Assign) -> Content:
        """The content in the shape of the target's places, after a fault unless it is of their type."""
        variable = assignment.target.variable
        shape = self.layout.shapes[self.first_place[variable]]
        type = self.system.variable[variable].type
        fitting = lines.coerce(self.e, content, shape)
        self.check_interned(fitting, type)
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
                self.check_type(content, type)

    def check_interned(self, content: Content, type: Type) -> None:
        """Interned values have no bounds of their own."""
        match content, type:
            case Shared(), _:
                self.check_type(content, type)
            case Parts(contents), TupleOf(types):
                for c, t in zip(contents, types, strict=True):
                    self.check_interned(c, t)

    def check_type(self, content: Content, type: Type) -> None:
        """A fault unless the value is of the type."""
        found = lines.call(self.e, Fits(without_texts(type)), [content], Ints(0, 1))
        assert isinstance(found, Held)
        self.e.require(Op.NE, found, Known(0))

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


def without_texts(type: Type) -> Type:
    """A type whose strings are their numbers."""
    match type:
        case Text():
            return Number(0)
        case TupleOf(parts, names):
            return TupleOf(tuple(map(without_texts, parts)), names)
        case SetOf(element):
            return SetOf(without_texts(element))
        case QueueOf(message, capacity):
            return QueueOf(without_texts(message), capacity)
        case Number() | Truth() | AtomOf():
            return type
        case _:
            assert_never(type)


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
        case Number() | Truth() | Text():
            return False
        case _:
            assert_never(type)
