"""Netlist -> System: latches are places, inputs and choices are parameters of one synchronous step, tables definitions.

A property may speak of a net that depends on inputs (a Mealy output).  The inputs it depends on are then *held*: they
are places too, and every step chooses their next value, so that a state knows them.  All other inputs stay
parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from quorbit.languages.circuits.check import Driver, topological
from quorbit.languages.circuits.formulas import answers, outputs_of
from quorbit.languages.circuits.netlist import BOOLEAN, Domain, Latch, Netlist, Table, mentions
from quorbit.model.command import Assign, Command, Together
from quorbit.model.expression import TRUE, Bound, Expr, Interval, Parameter, Read, Use, atom, conjunction
from quorbit.model.system import Atom, Definition, Property, System, Variable
from quorbit.model.types import Number

STEP, START = "step", "start"
DEEPEST = 40  # of definitions written into their only user


@dataclass
class Lowering:
    """A netlist with its drivers and what has been decided about its nets."""

    netlist: Netlist
    drivers: dict[str, Driver]
    held: tuple[str, ...] = ()  # inputs and choices that are part of the state
    atoms: dict[str, int] = field(default_factory=dict)
    choices: dict[int, str] = field(default_factory=dict)  # by identity of the table: the name of its choice
    sizes: dict[str, int] = field(default_factory=dict)  # of every choice
    bodies: dict[str, Expr] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)
    kept: dict[str, Expr] = field(default_factory=dict)  # the definitions that stay

    def domain(self, name: str) -> Domain:
        return self.netlist.domain(name)


def prepare(netlist: Netlist, drivers: dict[str, Driver], watched: Iterable[str]) -> Lowering:
    """Decide what is in the state when these nets are watched by properties or constraints."""
    low = Lowering(netlist, drivers)
    for table in netlist.tables:
        if options := answers(netlist, table):
            name = choice_name(table)
            low.choices[id(table)] = name
            low.sizes[name] = len(options)
    low.held = tuple(free_inputs(low, [*watched, *netlist.constraints]))
    names = [latch.output for latch in netlist.latches] + list(low.held)
    low.atoms = {name: i for i, name in enumerate(names)}
    count_uses(low, watched)
    for table in topological(netlist, drivers):
        define(low, table)
    return low


def choice_name(table: Table) -> str:
    """A pseudo-input is called like the net it drives; another choice is called after its table's first output."""
    return table.outputs[0] if not table.inputs and len(table.outputs) == 1 else f"{table.outputs[0]}?"


def free_inputs(low: Lowering, nets: Iterable[str]) -> list[str]:
    """The inputs and choices that nets depend on within one step, in the order of the netlist."""
    seen: set[str] = set()
    found: set[str] = set()
    stack = list(nets)
    while stack:
        net = stack.pop()
        if net in seen:
            continue
        seen.add(net)
        match low.drivers[net]:
            case None:
                found.add(net)
            case Table() as table:
                stack += mentions(table)
                if (choice := low.choices.get(id(table))) is not None:
                    found.add(choice)
    order = [*low.netlist.inputs, *low.sizes]
    return [name for name in order if name in found]


def count_uses(low: Lowering, watched: Iterable[str]) -> None:
    read = [net for table in low.netlist.tables for net in mentions(table)]
    read += [latch.input for latch in low.netlist.latches]
    read += [net for net in (*watched, *low.netlist.constraints) for _ in (0, 1)]  # a watched net keeps its name
    for net in read:
        low.uses[net] = low.uses.get(net, 0) + 1


def define(low: Lowering, table: Table) -> None:
    choice = low.choices.get(id(table))
    chosen = None if choice is None else input_value(low, choice)
    if choice is not None and choice == table.outputs[0] and low.sizes[choice] == len(low.domain(choice)):
        low.bodies[choice] = input_value(low, choice)  # a pseudo-input that may be anything is just an input
        low.depths[choice] = 0
        return
    bodies = outputs_of(low.netlist, table, lambda net: value_of(low, net), chosen)
    depth = 1 + max((low.depths.get(net, 0) for net in mentions(table)), default=0)
    for net, body in zip(table.outputs, bodies, strict=True):
        low.bodies[net] = body
        shared = low.uses.get(net, 0) > 1 or depth > DEEPEST
        low.depths[net] = 0 if shared else depth
        if shared:
            low.kept[net] = body


def value_of(low: Lowering, net: str) -> Expr:
    """A net within a step."""
    match low.drivers[net]:
        case Latch():
            return read(low, net)
        case None:
            return input_value(low, net)
        case Table():
            return Use(net) if net in low.kept else low.bodies[net]


def input_value(low: Lowering, name: str) -> Expr:
    return read(low, name) if name in low.atoms else Bound(name)


def read(low: Lowering, name: str) -> Read:
    """The place of a latch or of a held input."""
    return Read(variable_name(low, name), (atom(low.atoms[name]),))


def variable_name(low: Lowering, name: str) -> str:
    """Places of one domain form one variable, so that they can be exchanged."""
    kind = "latch" if isinstance(low.drivers.get(name), Latch) else "input"
    size = domain_of(low, name)
    return kind if size == BOOLEAN else f"{kind} {{{','.join(size.values)}}}"


def domain_of(low: Lowering, name: str) -> Domain:
    """The domain of a net, or the numbers of a choice."""
    if name in low.sizes and name not in low.drivers:
        return Domain(tuple(str(k) for k in range(low.sizes[name])))
    if name in low.sizes and low.sizes[name] != len(low.domain(name)):
        return Domain(tuple(str(k) for k in range(low.sizes[name])))
    return low.domain(name)


def build_system(low: Lowering, properties: Sequence[Property]) -> System:
    netlist = low.netlist
    atoms = tuple(make_atom(low, name) for name in low.atoms)
    families: dict[str, list[int]] = {}
    for name, a in low.atoms.items():
        families.setdefault(variable_name(low, name), []).append(a)
    names = list(low.atoms)
    variables = tuple(
        Variable(family, type_of(domain_of(low, names[owners[0]])), (tuple(owners),))
        for family, owners in families.items()
    )
    step = make_step(low)
    definitions = tuple(Definition(net, body, span=netlist.span(net)) for net, body in low.kept.items())
    return System(netlist.name, atoms, variables, (step,), (make_start(low),), definitions, tuple(properties))


def make_atom(low: Lowering, name: str) -> Atom:
    kind = "latch" if isinstance(low.drivers.get(name), Latch) else "input"
    return Atom(name, kind, ",".join(domain_of(low, name).values), low.netlist.span(name))


def type_of(domain: Domain) -> Number:
    return Number(0, len(domain) - 1, domain.values)


def make_step(low: Lowering) -> Command:
    latches = [Assign(read(low, latch.output), value_of(low, latch.input)) for latch in low.netlist.latches]
    changes = [Assign(read(low, name), Bound(f"next {name}")) for name in low.held]
    used = free_inputs(low, [latch.input for latch in low.netlist.latches])
    parameters = [parameter(low, name, name) for name in used if name not in low.atoms]
    parameters += [parameter(low, f"next {name}", name) for name in low.held]
    guard = conjunction([value_of(low, net) for net in low.netlist.constraints]) if low.netlist.constraints else TRUE
    effect = (Together((*latches, *changes)),) if latches or changes else ()
    return Command(STEP, guard, effect, tuple(parameters))


def parameter(low: Lowering, name: str, net: str) -> Parameter:
    return Parameter(name, Interval(0, len(domain_of(low, net)) - 1))


def make_start(low: Lowering) -> Command:
    """Every latch at a value its reset allows; the inputs that resets read are chosen apart from those of the first
    step.
    """
    parameters: dict[str, Parameter] = {}

    def fresh(name: str, size: int) -> Bound:
        parameters.setdefault(name, Parameter(name, Interval(0, size - 1)))
        return Bound(name)

    cone: dict[str, Expr] = {}
    assigns = []
    for latch in low.netlist.latches:
        target = read(low, latch.output)
        if latch.reset is None:
            assigns.append(Assign(target, fresh(f"start {latch.output}", len(low.domain(latch.output)))))
        else:
            assigns.append(Assign(target, reset_value(low, latch.reset, cone, fresh)))
    for name in low.held:
        assigns.append(Assign(read(low, name), fresh(f"start {name}", len(domain_of(low, name)))))
    return Command(START, effect=(Together(tuple(assigns)),) if assigns else (), parameters=tuple(parameters.values()))


def reset_value(low: Lowering, table: Table, cone: dict[str, Expr], fresh: Callable[[str, int], Bound]) -> Expr:
    for net in mentions(table):
        compute_cone(low, net, cone, fresh)
    options = answers(low.netlist, table)
    choice = fresh(f"start {table.outputs[0]}", len(options)) if options else None
    return outputs_of(low.netlist, table, cone.__getitem__, choice)[0]


def compute_cone(low: Lowering, start: str, cone: dict[str, Expr], fresh: Callable[[str, int], Bound]) -> None:
    """The nets a reset reads, as expressions of the parameters of the start."""
    stack = [start]
    while stack:
        net = stack[-1]
        driver = low.drivers[net]
        assert not isinstance(driver, Latch)  # check.check_reset
        missing = [other for other in mentions(driver) if other not in cone] if driver is not None else []
        if net in cone or not missing:
            stack.pop()
            if net not in cone:
                add_to_cone(low, net, driver, cone, fresh)
        else:
            stack += missing


def add_to_cone(
    low: Lowering, net: str, driver: Table | None, cone: dict[str, Expr], fresh: Callable[[str, int], Bound]
) -> None:
    if driver is None:
        cone[net] = fresh(f"reset {net}", len(low.domain(net)))
        return
    options = answers(low.netlist, driver)
    choice = fresh(f"reset {choice_name(driver)}", len(options)) if options else None
    cone.update(zip(driver.outputs, outputs_of(low.netlist, driver, cone.__getitem__, choice), strict=True))
