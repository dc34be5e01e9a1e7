"""Write a trace as VCD (value change dump, IEEE 1364-2005, 18), the format every waveform viewer reads.

One time unit per step.  Latches, inputs and the wires that have a definition are shown under their own names; a dot in
a name opens a scope.  The bits of a vector are one bus.  VCD has no names for values, so a value of an enumeration is
its position, and a comment lists the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.languages.circuits.telling import Vectors, declared, is_internal, word_and_bit, written
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.expression import Bound, Expr, Use, atom
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Number, Value
from quorbit.model.system.walk import walk
from quorbit.result.outcome import Trace
from quorbit.source.frozen import frozen

BOOLEAN = ("0", "1")
FIRST, LAST = 33, 126  # the printable characters an identifier is made of


def write_vcd(system: System, trace: Trace) -> str:
    """The text of the VCD file."""
    plain = [values_at(system, trace, k) for k in range(len(trace.steps) + 1)]
    names = dict.fromkeys(name for row in plain for name in row)
    buses = buses_of(names, domains_of(system), dict(system.telling.vectors))
    rows = [{bus.name: value for bus in buses if (value := bus.value(row)) is not None} for row in plain]
    codes = {bus.name: identifier(i) for i, bus in enumerate(buses)}
    lines = [
        "$version Quorbit $end",
        *comments(buses),
        "$timescale 1 ns $end",
        *declarations(system.name, buses, codes),
    ]
    before: dict[str, str] = {}
    for time, row in enumerate(rows):
        lines.append(f"#{time}")
        changed = [bus for bus in buses if bus.name in row and before.get(bus.name) != row[bus.name]]
        lines += [change(row[bus.name], codes[bus.name], bus.width) for bus in changed]
        before.update(row)
    if trace.loop is not None:
        lines.insert(1, f"$comment from time {len(trace.steps)} on it goes on as from time {trace.loop} $end")
    return "\n".join([*lines, f"#{len(rows)}", ""])


def values_at(system: System, trace: Trace, k: int) -> dict[str, str]:
    """What is known at time k: the state, and the inputs and wires of the step that follows."""
    s = trace.start if k == 0 else trace.steps[k - 1].state
    row = {place_name(system, i): shown(system, i, value) for i, value in enumerate(s)}
    env: dict[str, Value] = {}
    if k < len(trace.steps):
        firing = trace.steps[k].firings[0]
        command = system.commands[firing.command]
        env = {p.name: v for p, v in zip(command.parameters, firing.binding, strict=True)}
        row.update(input_values(system, env))
    row.update(wire_values(system, s, env))
    return row


def place_name(system: System, i: int) -> str:
    place = system.places[i]
    return system.atom_name(place.owners[0]) if place.owners else place.variable


def shown(system: System, i: int, value: Value) -> str:
    match system.places[i].type:
        case Number(low, _, names) if names and names != ("0", "1"):
            assert isinstance(value, int)
            return names[value - (low or 0)]
    return str(value)


def input_values(system: System, env: dict[str, Value]) -> Iterator[tuple[str, str]]:
    """The inputs of a step, from the sets of those whose bits are 1."""
    held = {place.owners[0] for place in system.places if place.owners}
    for a, described in enumerate(system.atoms):
        if described.sort == "input" and a not in held:
            sets = [v for name, v in env.items() if name.startswith("inputs") and isinstance(v, frozenset)]
            domain = described.colour.split(",")
            code = sum((a in members) << i for i, members in enumerate(sets))
            yield described.name, domain[min(code, len(domain) - 1)]


def wire_values(system: System, s: State, env: dict[str, Value]) -> Iterator[tuple[str, str]]:
    """The wires with names of the user's that can be evaluated with what is known."""
    meaning = SharingMeaning(system)
    for definition in system.definitions:
        named = bool(definition.owners) and not is_internal(system.atom_name(definition.owners[0]))
        if named and names_needed(system, definition.body) <= set(env):
            (owner,) = definition.owners
            value = meaning.value_of(Use(definition.name, (atom(owner),)))(s, env)
            domain = system.atoms[owner].colour.split(",")
            yield system.atom_name(owner), str(value) if domain == ["0", "1"] else domain[value]


def names_needed(system: System, body: Expr) -> set[str]:
    """The parameters an expression reads, through definitions."""
    found: set[str] = set()
    entered: set[int] = set()
    stack = [body]
    while stack:
        for part in walk(stack.pop()):
            if isinstance(part, Bound):
                found.add(part.name)
            elif isinstance(part, Use):
                key = system.definition[part.definition, tuple(getattr(o, "value", 0) for o in part.owners)]
                if id(key) not in entered:
                    entered.add(id(key))
                    stack.append(key)
    return found


def identifier(i: int) -> str:
    """The i-th short name."""
    base = LAST - FIRST + 1
    text = chr(FIRST + i % base)
    while i >= base:
        i = i // base - 1
        text = chr(FIRST + i % base) + text
    return text


@frozen
class Bus:
    """What one line of waves shows: bits, the lowest first, or a net with named values."""

    name: str
    bits: tuple[str, ...]
    bounds: tuple[int, int] = (0, 0)  # the indices of the highest and the lowest bit
    values: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        return max(1, (len(self.values) - 1).bit_length()) if self.values else len(self.bits)

    @property
    def is_vector(self) -> bool:
        return bool(self.values) or self.bits != (self.name,)

    def value(self, row: dict[str, str]) -> str | None:
        """Its bits at one time, the highest first; None where one is not known."""
        if any(bit not in row for bit in self.bits):
            return None
        if self.values:
            return f"{self.values.index(row[self.bits[0]]):0{self.width}b}"
        return "".join(row[bit] for bit in reversed(self.bits))


def domains_of(system: System) -> dict[str, tuple[str, ...]]:
    return {described.name: tuple(described.colour.split(",")) for described in system.atoms}


def buses_of(names: Iterable[str], domains: dict[str, tuple[str, ...]], vectors: Vectors) -> list[Bus]:
    """Bits of a vector, or of one name with numbers that follow each other, are a bus; what a tool made is left out."""
    found: dict[str, dict[int, str]] = {}
    for name in (name for name in names if not is_internal(name)):
        base, k = word_and_bit(name) if domains.get(name, BOOLEAN) == BOOLEAN else (name, -1)
        found.setdefault(base, {})[k] = name
    buses = []
    for base, by_bit in found.items():
        low, high = min(by_bit), max(by_bit)
        if low >= 0 and high - low + 1 == len(by_bit):
            left, right = declared(vectors, base) or (high, low)
            left, right = (high, low) if left >= right else (low, high)  # of what is there of it
            order = range(right, left + 1) if left >= right else range(right, left - 1, -1)
            buses.append(Bus(written(base), tuple(by_bit[k] for k in order), (left, right)))
            continue
        for name in by_bit.values():
            values = domains.get(name, BOOLEAN)
            size = max(1, (len(values) - 1).bit_length())
            buses.append(Bus(written(name), (name,), (size - 1, 0), () if values == BOOLEAN else values))
    return buses


def comments(buses: list[Bus]) -> Iterator[str]:
    for bus in buses:
        if bus.values:
            listed = ", ".join(f"{k} {clean(value)}" for k, value in enumerate(bus.values))
            yield f"$comment {clean(bus.name)}: {listed} $end"


def declarations(top: str, buses: list[Bus], codes: dict[str, str]) -> Iterator[str]:
    """Scopes and variables; the scopes of neighbours in the sorted list are shared."""
    open_scopes: list[str] = []
    yield f"$scope module {clean(top)} $end"
    for bus in sorted(buses, key=lambda bus: (bus.name.split(".")[:-1], bus.name)):
        *path, last = bus.name.split(".")
        common = 0
        while common < min(len(path), len(open_scopes)) and path[common] == open_scopes[common]:
            common += 1
        yield from ["$upscope $end"] * (len(open_scopes) - common)
        yield from (f"$scope module {clean(scope)} $end" for scope in path[common:])
        open_scopes = path
        bounds = f" [{bus.bounds[0]}:{bus.bounds[1]}]" if bus.is_vector else ""
        yield f"$var wire {bus.width} {codes[bus.name]} {clean(last)}{bounds} $end"
    yield from ["$upscope $end"] * (len(open_scopes) + 1)
    yield "$enddefinitions $end"


def clean(name: str) -> str:
    """Names are words in VCD."""
    return "".join(c if c.isprintable() and not c.isspace() else "_" for c in name) or "_"


def change(value: str, code: str, width: int) -> str:
    return f"{value}{code}" if width == 1 else f"b{value} {code}"
