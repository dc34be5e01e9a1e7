"""Netlist -> System: latches are places, a step assigns all of them at once, tables are definitions.

Latches, inputs and named wires are atoms, so a permutation moves them together.  What the inputs are in one step is one
parameter for each bit of them: the *set* of the inputs whose bit is 1, any set being possible.  A choice a table leaves
is such an input too.

A property may speak of a net that depends on inputs (a Mealy output).  The inputs it depends on are then *held*: they
are places too, and every step chooses their next value, so that a state knows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quorbit.languages.circuits.telling import telling_of
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Elements,
    Expr,
    Operator,
    Parameter,
    Read,
    Use,
    atom,
    number,
)
from quorbit.model.system.system import Atom, Definition, Property, System, Variable
from quorbit.model.system.types import AtomOf, Number, SetOf
from quorbit.model.system.walk import parts
from quorbit.netlists.check import Checked, Driver, reads_at_start
from quorbit.netlists.netlist import BOOLEAN, Among, Domain, Latch, Netlist, Same, Table, mentions
from quorbit.netlists.table_expressions import answers, both, cascade, opposite, outputs_of, parity_of
from quorbit.source.frozen import field, mutable, replace

STEP, START, WIRE = "step", "start", "wire"
NOW, NEXT = "inputs", "next inputs"
DEEPEST = 12  # of definitions written into their only user


@mutable
class Lowering:
    """A netlist with its drivers and what has been decided about its nets."""

    netlist: Netlist
    drivers: dict[str, Driver]
    held: tuple[str, ...] = ()  # inputs and choices that are part of the state
    atoms: dict[str, int] = field(default_factory=dict)  # latches, inputs, choices; then the wires that keep a name
    wires: dict[str, int] = field(default_factory=dict)
    choices: dict[int, str] = field(default_factory=dict)  # by identity of the table: the name of its choice
    sizes: dict[str, int] = field(default_factory=dict)  # of every choice
    bodies: dict[str, Expr] = field(default_factory=dict)
    depths: dict[int, tuple[Expr, int]] = field(default_factory=dict)  # of expressions, by identity
    uses: dict[str, int] = field(default_factory=dict)
    kept: dict[str, Expr] = field(default_factory=dict)  # the definitions that stay
    families: dict[Domain, str] = field(default_factory=dict)  # short names of the domains of places
    extra: dict[str, int] = field(default_factory=dict)  # choices that only resets know, with their sizes
    order: list[Table] = field(default_factory=list)  # the tables, each after those it reads

    def domain(self, name: str) -> Domain:
        return self.netlist.domain(name)


def prepare(circuit: Checked, watched: Sequence[str]) -> Lowering:
    """Decide what is in the state when these nets are watched by properties or constraints."""
    low, netlist = with_choices(circuit), circuit.netlist
    low.held = held_inputs(low, watched)
    sources = free_inputs(low, [latch.input for latch in netlist.latches])
    names = [latch.output for latch in netlist.latches] + [*low.held, *(n for n in sources if n not in low.held)]
    low.atoms = {name: i for i, name in enumerate(names)}
    inner = needed_tables(low, [*(latch.input for latch in netlist.latches), *netlist.constraints])
    define_all(low, inner, netlist.constraints)
    done = set(map(id, inner))
    define_all(low, [table for table in needed_tables(low, watched) if id(table) not in done], ())
    return low


def with_choices(circuit: Checked) -> Lowering:
    low = Lowering(circuit.netlist, circuit.drivers, order=circuit.order)
    for table in circuit.netlist.tables:
        if options := answers(circuit.netlist, table):
            name = choice_name(table)
            low.choices[id(table)] = name
            low.sizes[name] = len(options)
    return low


def held_inputs(low: Lowering, watched: Sequence[str]) -> tuple[str, ...]:
    """The inputs and choices that are part of the state when these nets are watched."""
    return tuple(free_inputs(low, [*watched, *low.netlist.constraints]))


def define_all(low: Lowering, tables: Sequence[Table], named: Sequence[str]) -> None:
    """Define tables by how often they are read among themselves.

    The circuit comes before what only properties read, so its wires are the same whatever is asked of it."""
    count_uses(low, tables, named)
    for table in tables:
        define(low, table)


def needed_tables(low: Lowering, nets: Iterable[str]) -> list[Table]:
    """The tables some nets depend on within one step, each after those it reads."""
    found: set[int] = set()
    stack = list(nets)
    while stack:
        driver = low.drivers[stack.pop()]
        if isinstance(driver, Table) and id(driver) not in found:
            found.add(id(driver))
            stack += mentions(driver)
    return [table for table in low.order if id(table) in found]


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


def count_uses(low: Lowering, tables: Sequence[Table], named: Sequence[str]) -> None:
    read = [net for table in tables for net in occurrences(low, table)]
    outputs = {net for table in tables for net in table.outputs}
    read += [latch.input for latch in low.netlist.latches]
    read += [net for net in named for _ in (0, 1)]
    for net in read:
        if net in outputs:
            low.uses[net] = low.uses.get(net, 0) + 1


def occurrences(low: Lowering, table: Table) -> Iterator[str]:
    """The nets a table reads, as often as its expressions will name them; a net named twice keeps a definition."""
    if parity_of(low.netlist, table) is not None:
        yield from table.inputs
        return
    times = 2 if id(table) in low.choices or len(table.outputs) > 1 else 1
    for row in table.rows:
        for net, entry in zip(table.inputs, row.inputs, strict=True):
            size = len(low.domain(net))
            match entry:
                case Same(other):
                    yield from (net, other) * times
                case Among(values):
                    yield from [net] * (times * (1 if size == 2 else min(len(values), size - len(values))))
    for entry in [*(e for row in table.rows for e in row.outputs), *(table.default or ())]:
        if isinstance(entry, Same):
            yield from [entry.net] * (2 * times)  # next to the condition of its row


def define(low: Lowering, table: Table) -> None:
    choice = low.choices.get(id(table))
    chosen = None if choice is None else input_value(low, choice)
    if choice is not None and choice == table.outputs[0] and low.sizes[choice] == len(low.domain(choice)):
        low.bodies[choice] = input_value(low, choice)  # a pseudo-input that may be anything is just an input
        return
    bodies = outputs_of(low.netlist, table, lambda net: value_of(low, net), chosen)
    for net, body in zip(table.outputs, bodies, strict=True):
        low.bodies[net] = body
        if low.uses.get(net, 0) > 1 or depth_of(low, body) > DEEPEST:
            low.kept[net] = body
            low.wires[net] = len(low.atoms) + len(low.wires)


def depth_of(low: Lowering, e: Expr) -> int:
    """How deeply an expression is nested.  What it is made of was measured before: it is kept, so its id stays."""
    known = low.depths.get(id(e))
    if known is None:
        known = low.depths[id(e)] = (e, 1 + max((depth_of(low, part) for part in parts(e)), default=-1))
    return known[1]


def value_of(low: Lowering, net: str) -> Expr:
    """A net within a step."""
    match low.drivers[net]:
        case Latch():
            return read(low, net)
        case None:
            return input_value(low, net)
        case Table():
            return Use(WIRE, (atom(low.wires[net]),)) if net in low.kept else low.bodies[net]


def input_value(low: Lowering, name: str) -> Expr:
    return read(low, name) if name in low.held else among(low, NOW, name)


def among(low: Lowering, prefix: str, name: str) -> Expr:
    """The value of an input from the sets of inputs whose bits are 1."""
    return from_sets(prefix, low.atoms[name], len(domain_of(low, name)))


def from_sets(prefix: str, a: int, count: int) -> Expr:
    """The number below count that the sets say atom a has; codes beyond the last number mean the last."""
    bits = [Apply(Operator.MEMBER, (atom(a), Bound(set_name(prefix, i)))) for i in range(width(count))]
    if count == 1:
        return number(0)
    if count == 2:
        return bits[0]
    cases: list[tuple[Expr, Expr]] = []
    for k in range(count - 1):
        code = [bit if k >> i & 1 else opposite(bit) for i, bit in enumerate(bits)]
        cases.append((both(code), number(k)))
    return cascade(cases, number(count - 1))


def width(count: int) -> int:
    return max(0, (count - 1).bit_length())


def set_name(prefix: str, i: int) -> str:
    return prefix if i == 0 else f"{prefix} ({i})"


def read(low: Lowering, name: str) -> Read:
    """The place of a latch or of a held input."""
    return Read(variable_name(low, name), (atom(low.atoms[name]),))


def variable_name(low: Lowering, name: str) -> str:
    """Places of one domain form one variable, so that they can be exchanged."""
    kind = "latch" if isinstance(low.drivers.get(name), Latch) else "input"
    domain = domain_of(low, name)
    if domain == BOOLEAN:
        return kind
    known = low.families.setdefault(domain, f"{domain.values[0]}..{domain.values[-1]}")
    if list(low.families.values()).count(known) > 1:  # two domains that begin and end alike
        known = low.families[domain] = f"{known} ({list(low.families).index(domain)})"
    return f"{kind} {known}"


def domain_of(low: Lowering, name: str) -> Domain:
    """The domain of a net, or the numbers of a choice."""
    if name in low.sizes and name not in low.drivers:
        return Domain(tuple(str(k) for k in range(low.sizes[name])))
    if name in low.sizes and low.sizes[name] != len(low.domain(name)):
        return Domain(tuple(str(k) for k in range(low.sizes[name])))
    return low.domain(name)


def build_system(low: Lowering, properties: Sequence[Property]) -> System:
    netlist = low.netlist
    places = [latch.output for latch in netlist.latches] + list(low.held)
    families: dict[str, list[str]] = {}
    for name in places:
        families.setdefault(variable_name(low, name), []).append(name)
    variables = tuple(
        Variable(family, type_of(domain_of(low, names[0])), (tuple(low.atoms[name] for name in names),))
        for family, names in families.items()
    )
    definitions = tuple(
        Definition(WIRE, body, (low.wires[net],), span=netlist.span(net)) for net, body in low.kept.items()
    )
    step, start = make_step(low), make_start(low)
    made = System(netlist.name, make_atoms(low), variables, (step,), (start,), definitions, tuple(properties))
    return replace(made, synchronous=True, unread=netlist.notes, telling=telling_of(made, NOW, netlist))


def make_atoms(low: Lowering) -> tuple[Atom, ...]:
    found = []
    for name in low.atoms:
        kind = "latch" if isinstance(low.drivers.get(name), Latch) else "input"
        found.append(Atom(name, kind, ",".join(domain_of(low, name).values), low.netlist.span(name)))
    for net in low.wires:
        found.append(Atom(net, WIRE, ",".join(low.domain(net).values), low.netlist.span(net)))
    found += [Atom(name, "reset", str(count)) for name, count in low.extra.items()]
    return tuple(found)


def type_of(domain: Domain) -> Number:
    return Number(0, len(domain) - 1, domain.values)


def make_step(low: Lowering) -> Command:
    latches = [Assign(read(low, latch.output), value_of(low, latch.input)) for latch in low.netlist.latches]
    changes = [Assign(read(low, name), among(low, NEXT, name)) for name in low.held]
    sources = [name for name in low.atoms if not isinstance(low.drivers.get(name), Latch)]
    sizes = {name: (low.atoms[name], len(domain_of(low, name))) for name in sources}
    parameters = input_sets(NOW, [sizes[name] for name in sources if name not in low.held])
    parameters += input_sets(NEXT, [sizes[name] for name in low.held])
    guard = both([value_of(low, net) for net in low.netlist.constraints]) if low.netlist.constraints else TRUE
    effect = (Together((*latches, *changes)),) if latches or changes else ()
    return Command(STEP, guard, effect, tuple(parameters))


def input_sets(prefix: str, sized: Iterable[tuple[int, int]]) -> list[Parameter]:
    """One parameter for each bit: any set of the atoms whose number of values needs this bit."""
    listed = [(a, width(count)) for a, count in sized]
    found = []
    for i in range(max((bits for _, bits in listed), default=0)):
        atoms = tuple(a for a, bits in listed if bits > i)
        subsets = Apply(Operator.POWERSET, (Apply(Operator.SET, tuple(atom(a) for a in atoms)),))
        found.append(Parameter(set_name(prefix, i), Elements(subsets, SetOf(AtomOf(atoms)))))
    return found


@mutable
class Start:
    """The choices at the start: the atom each belongs to and how many values it has."""

    low: Lowering
    sized: dict[str, tuple[int, int]] = field(default_factory=dict)
    cone: dict[str, Expr] = field(default_factory=dict)

    def own(self, name: str, count: int) -> Expr:
        """The first value of a latch or held input, chosen freely."""
        self.sized[name] = (self.low.atoms[name], count)
        return from_sets(START, self.low.atoms[name], count)

    def other(self, name: str, count: int) -> Expr:
        """A choice that only resets know; it gets an atom of its own."""
        if name not in self.sized:
            a = len(self.low.atoms) + len(self.low.wires) + len(self.low.extra)
            self.low.extra[name] = count
            self.sized[name] = (a, count)
        return from_sets(START, *self.sized[name])


def make_start(low: Lowering) -> Command:
    """Every latch at a value its reset allows; inputs that resets read are not those of the first step."""
    start = Start(low)
    assigns = []
    for latch in low.netlist.latches:
        size = len(low.domain(latch.output))
        value = start.own(latch.output, size) if latch.reset is None else reset_value(start, latch.reset)
        assigns.append(Assign(read(low, latch.output), value))
    for name in low.held:
        assigns.append(Assign(read(low, name), start.own(name, len(domain_of(low, name)))))
    effect = (Together(tuple(assigns)),) if assigns else ()
    return Command(START, effect=effect, parameters=tuple(input_sets(START, start.sized.values())))


def reset_value(start: Start, table: Table) -> Expr:
    for net in mentions(table):
        compute_cone(start, net)
    options = answers(start.low.netlist, table)
    choice = start.own(table.outputs[0], len(options)) if options else None
    return outputs_of(start.low.netlist, table, start.cone.__getitem__, choice)[0]


def compute_cone(start: Start, first: str) -> None:
    """The nets a reset reads, as expressions of the choices at the start."""
    stack = [first]
    while stack:
        net = stack[-1]
        driver = start.low.drivers[net]
        missing = [other for other in reads_at_start(driver) if other not in start.cone]
        if net in start.cone or not missing:
            stack.pop()
            if net not in start.cone:
                add_to_cone(start, net, driver)
        else:
            stack += missing


def add_to_cone(start: Start, net: str, driver: Driver) -> None:
    netlist = start.low.netlist
    if isinstance(driver, Latch):
        own = start.own(net, len(netlist.domain(net))) if driver.reset is None else reset_value(start, driver.reset)
        start.cone[net] = own
        return
    if driver is None:
        start.cone[net] = start.other(f"reset {net}", len(netlist.domain(net)))
        return
    options = answers(netlist, driver)
    choice = start.other(f"reset {choice_name(driver)}", len(options)) if options else None
    start.cone.update(zip(driver.outputs, outputs_of(netlist, driver, start.cone.__getitem__, choice), strict=True))
