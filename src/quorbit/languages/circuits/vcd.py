"""Write a trace as VCD (value change dump, IEEE 1364-2005, 18), the format every waveform viewer reads.

One time unit per step.  Latches, inputs and the wires that have a definition are shown under their own names; a dot in
a name opens a scope.  Values of an enumeration are written as strings; vectors stay single bits, as in the netlist.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.expression import Bound, Expr, Use, atom
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Number, Value
from quorbit.model.system.walk import walk
from quorbit.result.outcome import Trace

FIRST, LAST = 33, 126  # the printable characters an identifier is made of


def write_vcd(system: System, trace: Trace) -> str:
    """The text of the VCD file."""
    rows = [values_at(system, trace, k) for k in range(len(trace.steps) + 1)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    codes = {name: identifier(i) for i, name in enumerate(names)}
    lines = ["$version Quorbit $end", "$timescale 1 ns $end", *declarations(system.name, names, codes, rows)]
    before: dict[str, str] = {}
    for time, row in enumerate(rows):
        lines.append(f"#{time}")
        lines += [change(row[name], codes[name]) for name in names if name in row and before.get(name) != row[name]]
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
        named = bool(definition.owners) and not system.atom_name(definition.owners[0]).startswith("$")
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


def declarations(top: str, names: list[str], codes: dict[str, str], rows: list[dict[str, str]]) -> Iterator[str]:
    """Scopes and variables; the scopes of neighbours in the sorted list are shared."""
    open_scopes: list[str] = []
    yield f"$scope module {clean(top)} $end"
    for name in sorted(names, key=lambda n: (n.split(".")[:-1], n)):
        *path, last = name.split(".")
        common = 0
        while common < min(len(path), len(open_scopes)) and path[common] == open_scopes[common]:
            common += 1
        yield from ["$upscope $end"] * (len(open_scopes) - common)
        yield from (f"$scope module {clean(scope)} $end" for scope in path[common:])
        open_scopes = path
        kind = "wire" if all(is_bit(row.get(name, "0")) for row in rows) else "string"
        yield f"$var {kind} 1 {codes[name]} {clean(last)} $end"
    yield from ["$upscope $end"] * (len(open_scopes) + 1)
    yield "$enddefinitions $end"


def clean(name: str) -> str:
    """Names are words in VCD."""
    return "".join(c if c.isprintable() and not c.isspace() else "_" for c in name) or "_"


def is_bit(value: str) -> bool:
    return value in ("0", "1")


def change(value: str, code: str) -> str:
    return f"{value}{code}" if is_bit(value) else f"s{clean(value)} {code}"
