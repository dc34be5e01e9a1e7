"""Random circuits as texts in four formats, formulas as texts of VIS, and what both mean by their definitions.

Nothing of the package is used here but the shapes of formulas for ``naive_ctlstar``: circuits are plain expressions
that are evaluated, states are listed, formulas are tuples that are written with as few brackets as VIS's grammar needs.
A state holds the latches and the inputs that a proposition of the formula or of the fairness depends on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from naive_ctlstar import states_of

from quorbit.model.system import formula as shapes

Tree = tuple[Any, ...]
State = tuple[int, ...]


@dataclass
class Circuit:
    """inputs: size of each; latches: size, first value (None: any), next value; wires: size, value, in order."""

    inputs: dict[str, int] = field(default_factory=dict)
    latches: dict[str, tuple[int, int | None, Tree]] = field(default_factory=dict)
    wires: dict[str, tuple[int, Tree]] = field(default_factory=dict)

    def size(self, net: str) -> int:
        if net in self.inputs:
            return self.inputs[net]
        return self.latches[net][0] if net in self.latches else self.wires[net][0]


def random_circuit(rng: random.Random, many_valued: bool, most: int = 3) -> Circuit:
    c = Circuit()
    size = lambda: rng.choice([2, 2, 3]) if many_valued else 2  # noqa: E731
    c.inputs = {f"i{k}": size() for k in range(rng.randint(1, most - 1))}
    c.latches = {f"l{k}": (size(), None, ()) for k in range(rng.randint(1, most))}
    make = random_table if many_valued else random_gates
    for k in range(rng.randint(0, 2)):
        width = size()
        c.wires[f"w{k}"] = (width, make(rng, c, width))
    for name, (width, _, _) in list(c.latches.items()):
        first = None if rng.random() < 0.15 else rng.randrange(width)
        c.latches[name] = (width, first, make(rng, c, width))
    return c


def random_gates(rng: random.Random, c: Circuit, width: int, depth: int = 2) -> Tree:
    if depth == 0 or rng.random() < 0.2:
        return ("net", rng.choice([*c.inputs, *c.latches, *c.wires]))
    kind = rng.choice(["and", "or", "xor", "not", "mux"])
    arity = {"not": 1, "mux": 3}.get(kind, 2)
    return (kind, *(random_gates(rng, c, width, depth - 1) for _ in range(arity)))


def random_table(rng: random.Random, c: Circuit, width: int) -> Tree:
    nets = rng.sample([*c.inputs, *c.latches, *c.wires], rng.randint(1, 2))
    rows = {values: rng.randrange(width) for values in product(*(range(c.size(net)) for net in nets))}
    return ("table", tuple(nets), rows)


def value(e: Tree, env: dict[str, int]) -> int:
    match e:
        case ("net", name):
            return env[name]
        case ("not", a):
            return 1 - value(a, env)
        case ("and", a, b):
            return value(a, env) & value(b, env)
        case ("or", a, b):
            return value(a, env) | value(b, env)
        case ("xor", a, b):
            return value(a, env) ^ value(b, env)
        case ("mux", a, b, d):
            return value(b, env) if value(a, env) else value(d, env)
        case ("table", nets, rows):
            return int(rows[tuple(env[net] for net in nets)])
    raise AssertionError(e)


# The formats.


def as_blif(c: Circuit) -> str:
    lines = [".model m", f".inputs {' '.join(c.inputs)}", f".outputs {' '.join(c.wires)}".rstrip()]
    count = [0]

    def gate(e: Tree) -> str:
        if e[0] == "net":
            return str(e[1])
        parts = [gate(part) for part in e[1:]]
        count[0] += 1
        name = f"g{count[0]}"
        rows = [values for values in product((0, 1), repeat=len(parts)) if value_of_gate(e[0], values)]
        lines.append(f".names {' '.join(parts)} {name}")
        lines.extend("".join(map(str, row)) + " 1" for row in rows)
        return name

    for name, (_, e) in c.wires.items():
        lines += [f".names {gate(e)} {name}", "1 1"]
    for name, (_, first, e) in c.latches.items():
        lines.append(f".latch {gate(e)} {name} {2 if first is None else first}")
    return "\n".join([*lines, ".end", ""])


def value_of_gate(kind: str, values: tuple[int, ...]) -> int:
    names = [f"x{k}" for k in range(len(values))]
    return value((kind, *(("net", n) for n in names)), dict(zip(names, values, strict=True)))


def as_aiger(c: Circuit) -> str:
    numbers = {name: 2 * k for k, name in enumerate([*c.inputs, *c.latches], 1)}
    gates: list[tuple[int, int, int]] = []

    def both(a: int, b: int) -> int:
        gates.append((2 * (len(c.inputs) + len(c.latches) + len(gates) + 1), a, b))
        return gates[-1][0]

    def literal(e: Tree) -> int:
        match e:
            case ("net", name):
                return numbers[name]
            case ("not", a):
                return literal(a) ^ 1
            case ("and", a, b):
                return both(literal(a), literal(b))
            case ("or", a, b):
                return both(literal(a) ^ 1, literal(b) ^ 1) ^ 1
            case ("xor", a, b):
                return literal(("or", ("and", a, ("not", b)), ("and", ("not", a), b)))
            case ("mux", a, b, d):
                return literal(("or", ("and", a, b), ("and", ("not", a), d)))
        raise AssertionError(e)

    for name, (_, e) in c.wires.items():
        numbers[name] = literal(e)
    following = [literal(e) for _, _, e in c.latches.values()]
    outputs = [numbers[name] for name in c.wires]
    most = len(c.inputs) + len(c.latches) + len(gates)
    lines = [f"aag {most} {len(c.inputs)} {len(c.latches)} {len(outputs)} {len(gates)}"]
    lines += [str(numbers[name]) for name in c.inputs]
    for (name, (_, first, _)), after in zip(c.latches.items(), following, strict=True):
        lines.append(f"{numbers[name]} {after} {numbers[name] if first is None else first}")
    lines += [*map(str, outputs), *(f"{g} {max(a, b)} {min(a, b)}" for g, a, b in gates)]
    lines += [f"i{k} {name}" for k, name in enumerate(c.inputs)]
    lines += [f"l{k} {name}" for k, name in enumerate(c.latches)]
    lines += [f"o{k} {name}" for k, name in enumerate(c.wires)]
    return "\n".join([*lines, ""])


def as_verilog(c: Circuit) -> str:
    def text(e: Tree) -> str:
        match e:
            case ("net", name):
                return str(name)
            case ("not", a):
                return f"~{text(a)}"
            case ("mux", a, b, d):
                return f"({text(a)} ? {text(b)} : {text(d)})"
            case (kind, a, b):
                return f"({text(a)} {dict(zip(('and', 'or', 'xor'), '&|^', strict=True))[kind]} {text(b)})"
        raise AssertionError(e)

    lines = [f"module m(clk, {', '.join(c.inputs)}); input clk, {', '.join(c.inputs)};"]
    lines += [f"reg {name};" + ("" if v[1] is None else f" initial {name} = {v[1]};") for name, v in c.latches.items()]
    lines += [f"wire {name}; assign {name} = {text(e)};" for name, (_, e) in c.wires.items()]
    lines += [f"always @(posedge clk) {name} <= {text(e)};" for name, (_, _, e) in c.latches.items()]
    return "\n".join([*lines, "endmodule", ""])


def as_blif_mv(c: Circuit) -> str:
    lines = [".model m", f".inputs {' '.join(c.inputs)}"]
    nets = [*c.inputs, *c.latches, *c.wires]
    lines += [f".mv {net} 3" for net in nets if c.size(net) == 3]
    lines += [f".mv n{net} 3" for net in c.latches if c.size(net) == 3]

    def table(e: Tree, output: str) -> None:
        lines.append(f".table {' '.join(e[1])} -> {output}")
        lines.extend(f"{' '.join(map(str, row))} {result}" for row, result in e[2].items())

    for name, (_, e) in c.wires.items():
        table(e, name)
    for name, (width, first, e) in c.latches.items():
        table(e, f"n{name}")
        lines += [f".latch n{name} {name}", f".r {name}"]
        lines += [str(v) for v in (range(width) if first is None else [first])]
    return "\n".join([*lines, ".end", ""])


FORMATS = {".blif": as_blif, ".aag": as_aiger, ".v": as_verilog, ".mv": as_blif_mv}


# Formulas: ("is", net, value), ("not", f), ("and" "or" "xor" "iff" "implies", f, g), path operators, quantifiers.

BINDING = {"implies": 1, "iff": 2, "xor": 3, "or": 4, "and": 5, "U": 6, "R": 6, "W": 6}
SIGNS = {"implies": "->", "iff": "<->", "xor": "^", "or": "+", "and": "*"}


def random_ctl(rng: random.Random, c: Circuit, depth: int) -> Tree:
    if depth == 0 or rng.random() < 0.15:
        return random_is(rng, c)
    kind = rng.choice(["not", "and", "or", "xor", "iff", "implies"] + 2 * ["X", "F", "G", "U", "W"])
    if kind == "not":
        return (kind, random_ctl(rng, c, depth - 1))
    if kind in BINDING and kind not in "URW":
        return (kind, random_ctl(rng, c, depth - 1), random_ctl(rng, c, depth - 1))
    count = 2 if kind in "UW" else 1
    return (rng.choice("AE"), (kind, *(random_ctl(rng, c, depth - 1) for _ in range(count))))


def random_ltl(rng: random.Random, c: Circuit, depth: int, temporal: int = 3) -> Tree:
    """At most so many temporal operators, for all guesses about them are tried."""
    if depth == 0 or rng.random() < 0.15:
        return random_is(rng, c)
    kind = rng.choice(["not", "and", "or", "implies"] + (2 * ["X", "F", "G", "U", "R", "W"] if temporal else []))
    left = temporal - (kind in "XFGURW")
    if kind in ("not", "X", "F", "G"):
        return (kind, random_ltl(rng, c, depth - 1, left))
    return (kind, random_ltl(rng, c, depth - 1, left // 2), random_ltl(rng, c, depth - 1, left - left // 2))


def random_is(rng: random.Random, c: Circuit) -> Tree:
    net = rng.choice([*c.latches, *c.latches, *c.inputs, *c.wires])
    return ("is", net, rng.randrange(c.size(net)))


def written(f: Tree, within: int = 0) -> str:
    """With as few brackets as the grammar needs; ``within``: how tightly the operator round it binds."""
    match f:
        case ("is", net, k):
            return f"{net}={k}"
        case ("not", g):
            return f"!{written(g, 9)}"
        case ("A" | "E", (("U" | "R" | "W") as kind, g, h)):
            return f"{f[0]}({written(g)} {kind} {written(h)})"
        case ("A" | "E", (kind, g)):
            return f"{f[0]}{kind} {written(g, 8)}"
        case (("X" | "F" | "G") as kind, g):
            return f"{kind} {written(g, 8)}"
        case (kind, g, h):
            own = BINDING[kind]
            text = f"{written(g, own)} {SIGNS.get(kind, kind)} {written(h, own + 1)}"
            return f"({text})" if own < within else text
    raise AssertionError(f)


# What they mean.


@dataclass
class Graph:
    """The states with the truth of each proposition, and where they lead."""

    states: dict[State, dict[tuple[str, int], bool]]
    following: dict[State, list[State]]
    initial: set[State]


def graph_of(c: Circuit, formulas: Sequence[Tree]) -> Graph:
    asked = set().union(*map(propositions_of, formulas))
    held = sorted(inputs_mentioned(c, formulas))
    free = [i for i in c.inputs if i not in held]
    names = [*c.latches, *held]
    states: dict[State, dict[tuple[str, int], bool]] = {}
    following: dict[State, list[State]] = {}
    choices = list(product(*(range(c.inputs[i]) for i in held)))
    for s in product(*(range(c.size(n)) for n in names)):
        known = dict(zip(names, s, strict=True))
        after: dict[State, None] = {}
        for rest in product(*(range(c.inputs[i]) for i in free)):
            env = all_values(c, {**known, **dict(zip(free, rest, strict=True))})
            states[s] = {(net, k): env[net] == k for net, k in asked}
            latches = tuple(value(e, env) for _, _, e in c.latches.values())
            after.update(dict.fromkeys((*latches, *chosen) for chosen in choices))
        following[s] = list(after)
    firsts = [range(w) if first is None else [first] for w, first, _ in c.latches.values()]
    return Graph(states, following, {(*s, *chosen) for s in product(*firsts) for chosen in choices})


def all_values(c: Circuit, env: dict[str, int]) -> dict[str, int]:
    for name, (_, e) in c.wires.items():
        env[name] = value(e, env)
    return env


def inputs_mentioned(c: Circuit, formulas: Iterable[Tree]) -> set[str]:
    """The inputs that one proposition depends on, tried with all values of everything."""
    asked = set().union(*map(propositions_of, formulas))
    sizes = {**c.inputs, **{name: width for name, (width, _, _) in c.latches.items()}}
    found: set[str] = set()
    for i in c.inputs:
        others = [name for name in sizes if name != i]
        for s in product(*(range(sizes[name]) for name in others)):
            known = dict(zip(others, s, strict=True))
            envs = [all_values(c, {**known, i: k}) for k in range(c.inputs[i])]
            if any(len({env[net] == k for env in envs}) > 1 for net, k in asked):
                found.add(i)
                break
    return found


def propositions_of(f: Tree) -> set[tuple[str, int]]:
    return {(f[1], f[2])} if f[0] == "is" else set().union(*(propositions_of(g) for g in f[1:]))


def holds_ctl(c: Circuit, f: Tree, fair: list[Tree]) -> bool:
    g = graph_of(c, [f, *fair])
    constraints = [ctl_states(g, h, []) for h in fair]
    return g.initial <= ctl_states(g, f, constraints)


def ctl_states(g: Graph, f: Tree, fair: list[set[State]]) -> set[State]:
    everything = set(g.states)
    match f:
        case ("is", net, k):
            return {s for s, env in g.states.items() if env[net, k]}
        case ("not", h):
            return everything - ctl_states(g, h, fair)
        case ("A", (kind, *parts)):
            return everything - some_path(g, *dual(kind, parts), fair)
        case ("E", (kind, *parts)):
            return some_path(g, kind, parts, fair)
    left, right = (ctl_states(g, part, fair) for part in f[1:])
    match f[0]:
        case "and":
            return left & right
        case "or":
            return left | right
        case "xor":
            return left ^ right
        case "iff":
            return everything - (left ^ right)
    return (everything - left) | right


def dual(kind: str, parts: list[Tree]) -> tuple[str, list[Tree]]:
    """A p is not E of this."""
    no = [("not", p) for p in parts]
    match kind:
        case "X":
            return "X", no
        case "F":
            return "G", no
        case "G":
            return "F", no
        case "U":
            return "W", [no[1], ("and", no[0], no[1])]
    return "U", [no[1], ("and", no[0], no[1])]


def some_path(g: Graph, kind: str, parts: list[Tree], fair: list[set[State]]) -> set[State]:
    sets = [ctl_states(g, p, fair) for p in parts]
    going = some_always(g, set(g.states), fair)
    match kind:
        case "X":
            return {s for s in g.states if any(t in sets[0] & going for t in g.following[s])}
        case "F":
            return some_until(g, set(g.states), sets[0] & going)
        case "G":
            return some_always(g, sets[0], fair)
        case "U":
            return some_until(g, sets[0], sets[1] & going)
    return some_until(g, sets[0], sets[1] & going) | some_always(g, sets[0], fair)


def some_until(g: Graph, within: set[State], goal: set[State]) -> set[State]:
    found = set(goal)
    while more := {s for s in within - found if any(t in found for t in g.following[s])}:
        found |= more
    return found


def some_always(g: Graph, within: set[State], fair: list[set[State]]) -> set[State]:
    """The greatest set of states of ``within`` from each of which one step leads to every fair set again in it."""
    found = set(within)
    while True:
        kept = set(found)
        for goal in fair or [set(g.states)]:
            near = some_until(g, found, found & goal)
            kept = {s for s in kept if any(t in near for t in g.following[s])}
        if kept == found:
            return found
        found = kept


def holds_ltl(c: Circuit, f: Tree, fair: list[Tree]) -> bool:
    """No fair run from the start breaks it: by guesses about all temporal operators, fairness among them."""
    g = graph_of(c, [f, *fair])
    constraints = [ctl_states(g, h, []) for h in fair]
    often = [shapes.Always(shapes.Eventually(shapes.Proposition(("fair", k)))) for k in range(len(fair))]
    broken = shapes.SomePath(shapes.And((*often, shapes.Not(as_formula(f)))))

    def true_in(e: Any, s: Any) -> bool:
        return s in constraints[e[1]] if e[0] == "fair" else g.states[s][e]

    graph = {s: tuple(after) for s, after in g.following.items()}
    return not g.initial & states_of(graph, broken, true_in)


def as_formula(f: Tree) -> shapes.Formula:
    kinds = {"not": shapes.Not, "X": shapes.Next, "F": shapes.Eventually, "G": shapes.Always}
    kinds |= {"implies": shapes.Implies, "U": shapes.Until, "R": shapes.Release, "W": shapes.WeakUntil}
    match f:
        case ("is", net, k):
            return shapes.Proposition((net, k))
        case ("and", g, h):
            return shapes.And((as_formula(g), as_formula(h)))
        case ("or", g, h):
            return shapes.Or((as_formula(g), as_formula(h)))
    return kinds[f[0]](*map(as_formula, f[1:]))


def holds_ctlstar(c: Circuit, f: Tree, fair: list[Tree]) -> bool:
    """Every quantifier is about fair runs."""
    g = graph_of(c, [f, *fair])
    constraints = [ctl_states(g, h, []) for h in fair]
    often = [shapes.Always(shapes.Eventually(shapes.Proposition(("fair", k)))) for k in range(len(fair))]

    def true_in(e: Any, s: Any) -> bool:
        return s in constraints[e[1]] if e[0] == "fair" else g.states[s][e]

    def quantified(f: Tree) -> shapes.Formula:
        match f:
            case ("A", h):
                return shapes.Not(shapes.SomePath(shapes.And((*often, shapes.Not(quantified(h))))))
            case ("E", h):
                return shapes.SomePath(shapes.And((*often, quantified(h))))
            case ("is", *_):
                return as_formula(f)
        kinds = {"not": shapes.Not, "X": shapes.Next, "F": shapes.Eventually, "G": shapes.Always}
        kinds |= {"U": shapes.Until, "R": shapes.Release}
        parts = [quantified(h) for h in f[1:]]
        match f[0]:
            case "and":
                return shapes.And(tuple(parts))
            case "or":
                return shapes.Or(tuple(parts))
        return kinds[f[0]](*parts)

    graph = {s: tuple(after) for s, after in g.following.items()}
    return g.initial <= states_of(graph, quantified(f), true_in)


def bracketed(f: Tree) -> str:
    """A formula of CTL* with all brackets."""
    match f:
        case ("is", net, k):
            return f"{net}={k}"
        case ("not", h):
            return f"!({bracketed(h)})"
        case (("and" | "or" | "U" | "R") as kind, g, h):
            return f"(({bracketed(g)}) {({'and': '*', 'or': '+'}).get(kind, kind)} ({bracketed(h)}))"
        case (kind, h):
            return f"{kind}({bracketed(h)})"
    raise AssertionError(f)
