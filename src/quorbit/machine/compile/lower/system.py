"""A System to a program with three entries: next, check (invariants) and stuck (is this end allowed?).

``next`` writes one record for every command that can run: the state it leads to, or a violation on the way.  Commands
with constant parameter domains are written out for every value while the program stays small, else they are loops.
Commands that first ask for the same place (a program counter) share one jump through a table.

[Turns and ranks: command.py.]  Commands are tried rank by rank; where turns differ, a first pass notes the least
turn of every mover.  A guard without a value ends ``next`` with FAULT: the state then has no other moves.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.machine.compile.instructions import (
    FAULT,
    OVERFLOW,
    Instruction,
    Label,
    Op,
    Program,
    field_code,
)
from quorbit.machine.compile.lower.effects import Called, Effects
from quorbit.machine.compile.lower.instances import Given, Instance, Switch
from quorbit.machine.compile.lower.scope import Env, View
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.shapes import Ints, join
from quorbit.machine.compile.tidy import tidy
from quorbit.machine.compile.values import Held, Known, Scalar, shape_of_content
from quorbit.model.meaning.evaluate import asks_enabled
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    Expr,
)
from quorbit.model.system.system import Invariant, NoDeadlock, Property, System

__all__ = ["lower"]

NO_TURN = 1 << 31
ENABLED = (-1, -1)  # the key under which the registers of Enabled are remembered


def lower(system: System, layout: StateLayout, properties: tuple[Property, ...]) -> Program:
    """The program of a System."""
    return SystemLowering(system, layout, properties).program()


class SystemLowering(Effects):
    """The three entries of a program."""

    def __init__(self, system: System, layout: StateLayout, properties: tuple[Property, ...]) -> None:
        super().__init__(system, layout, properties)
        self.properties = properties
        self.marks: int | None = None  # the first register of the least turns

    def program(self) -> Program:
        self.instances = [i for n, c in enumerate(self.system.commands) for i in self.specialise(n, c)]
        if self.system.count_once:
            self.calls = self.find_calls()
            self.call_words = 1 + max(
                (sum(c.words for c in names.values()) for names in self.calls.values()), default=0
            )
        entries = {"next": Label(), "check": Label(), "stuck": Label()}
        self.write_entry(entries["next"], self.write_next)
        self.write_entry(entries["check"], self.write_check)
        self.write_entry(entries["stuck"], self.write_stuck)
        self.e.place(self.e.never)
        self.e.end(OVERFLOW)
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

    def write_next(self) -> None:
        self.prepare_enabled()
        self.write_turns()
        ranks = sorted({i.command.rank for i in self.instances})
        for k, rank in enumerate(ranks):
            self.write_rank([i for i in self.instances if i.command.rank == rank])
            if k + 1 < len(ranks):
                self.stop_after_rank()
        self.e.end(0)

    def stop_after_rank(self) -> None:
        """If a command ran, nobody looks at the later ranks."""
        r, onward = self.e.fresh(), Label()
        self.e.buffer.put(Op.CNT, r)
        self.e.buffer.put(Op.JEQI, r, x=onward, y=0)
        self.e.end(0)
        self.e.place(onward)

    def write_rank(self, instances: list[Instance]) -> None:
        for group in self.group(instances, ()):
            self.write_group(group, ())

    def write_group(self, group: Switch | Instance, given: Given) -> None:
        if isinstance(group, Switch):
            self.write_switch(group, given)
        else:
            self.write_instance(group, given, self.effect_of(group))

    def effect_of(self, instance: Instance) -> Callable[[Env], None]:
        return lambda env: self.write_effect(instance, env)

    def write_switch(self, switch: Switch, given: Given) -> None:
        """Jump on the value of a place to the commands that ask for it."""
        shape, (f,) = self.layout.shapes[switch.place], self.layout.fields[switch.place]
        assert isinstance(shape, Ints)
        cases = {value: Label() for value in switch.cases}
        past = Label()

        def write() -> None:
            targets = tuple(cases.get(v, past) for v in range(shape.low, shape.high + 1))
            if f.width and f.low == shape.low:
                self.e.buffer.put(Op.SWF, f.word, c=field_code(f.shift, f.width), x=targets)
            else:
                index = self.e.subtract(self.e.load(0, f), Known(shape.low))
                self.e.buffer.put(Op.SWITCH, self.e.register(index), x=targets)
            self.e.jump(past)
            for value, instances in switch.cases.items():
                self.e.place(cases[value])
                within = (*given, (switch.place, value))
                for group in self.group(instances, within):
                    self.write_group(group, within)
                self.e.jump(past)

        self.scoped(write)
        self.e.place(past)

    def find_calls(self) -> dict[str, dict[str, Called]]:
        """How the visible parameters of every label are told: in one shape, whatever way they get their values."""
        found: dict[str, dict[str, Called]] = {}
        ways: dict[str, list[set[str]]] = {}
        for instance in self.instances:
            shown = [p.name for p in instance.command.parameters if p.name not in instance.command.hidden]
            ways.setdefault(instance.command.label, []).append(set(shown))
            of_label = found.setdefault(instance.command.label, {})
            if not shown:
                continue

            def note(env: Env, shown: list[str] = shown, of_label: dict[str, Called] = of_label) -> None:
                for name in shown:
                    shape = shape_of_content(env[name])
                    of_label[name] = Called(join(of_label[name].shape, shape) if name in of_label else shape)

            with self.e.scratch():
                self.write_instance(instance, (), note)
        for label, of_label in found.items():
            for name, called in of_label.items():
                of_label[name] = Called(called.shape, all(name in way for way in ways[label]))
        return found

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
        best = min(i.command.rank for i in self.instances)
        for turn in turns[-2::-1]:
            for instance in self.instances:
                if instance.command.turn == turn and instance.command.actors:
                    self.mark_turn(instance, self.e.fault if instance.command.rank == best else Label())

    def mark_turn(self, instance: Instance, fault: Label) -> None:
        """Note that the command can run; a guard of a later rank without a value is told when that rank is reached."""
        assert self.marks is not None
        with self.e.faults_to(fault):
            self.write_instance(instance, (), self.marker(instance.command, Known(instance.command.turn), self.marks))
        if fault is not self.e.fault:
            self.e.place(fault)

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
        if self.asks_who_moves:
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
                self.write_instance(instance, (), self.enabler(instance.command, block))
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

    def assemble(self, entries: dict[str, Label]) -> Program:
        at: dict[int, int] = {}
        code: list[Instruction] = []
        for line in tidy(self.e.buffer.lines, entries.values(), self.layout.words):
            if isinstance(line, Label):
                at[id(line)] = len(code)
            else:
                code.append(line)
        targets: list[int] = []
        rows = [self.resolve(line, at, targets) for line in code]
        where = {name: at[id(label)] for name, label in entries.items()}
        functions = self.layout.memo.arities()
        return Program(
            self.layout.words,
            self.e.most,
            self.call_words,
            rows,
            self.e.table,
            targets,
            where,
            functions,
            list(self.chains),
        )

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
