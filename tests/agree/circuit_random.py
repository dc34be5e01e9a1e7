"""Random small netlists and random CTL* formulas over their nets."""

from __future__ import annotations

import random

from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Release,
    SomePath,
    Truth,
    Until,
    WeakUntil,
)
from quorbit.netlists.netlist import (
    ANYTHING,
    Among,
    Domain,
    Entry,
    Latch,
    Netlist,
    Row,
    Same,
    Table,
    range_domain,
)
from quorbit.netlists.propositions import NetIs


def random_netlist(rng: random.Random) -> Netlist:
    """Two or three latches, an input, a few tables; some multi-valued, some with a choice."""
    domains: dict[str, Domain] = {}
    latches = [f"l{i}" for i in range(rng.randint(1, 3))]
    inputs = [f"i{i}" for i in range(rng.randint(0, 2))]
    for net in [*latches, *inputs]:
        if rng.random() < 0.3:
            domains[net] = range_domain(3)
    nets = [*latches, *inputs]
    tables = []
    for k in range(rng.randint(0, 3)):
        net = f"t{k}"
        if rng.random() < 0.3:
            domains[net] = range_domain(3)
        tables.append(random_table(rng, domains, nets, net))
        nets.append(net)
    made = []
    for latch in latches:
        source = f"n{latch}"
        if latch in domains:
            domains[source] = domains[latch]
        tables.append(random_table(rng, domains, nets, source))
        reset = None if rng.random() < 0.2 else random_table(rng, domains, inputs if rng.random() < 0.3 else [], latch)
        made.append(Latch(source, latch, reset))
    watched = tuple(rng.sample(nets, min(2, len(nets))))
    return Netlist("random", tuple(inputs), watched, tuple(tables), tuple(made), domains)


def random_table(rng: random.Random, domains: dict[str, Domain], nets: list[str], output: str) -> Table:
    inputs = tuple(rng.sample(nets, min(len(nets), rng.randint(0, 3))))
    size = len(domains.get(output, "01"))
    rows = tuple(
        Row(
            tuple(random_entry(rng, domains, inputs, net) for net in inputs),
            (random_answer(rng, domains, inputs, output),),
        )
        for _ in range(rng.randint(0 if inputs else 1, 3))
    )
    default = (Among((rng.randrange(size),)),)
    return Table(inputs, (output,), rows, default)


def random_entry(rng: random.Random, domains: dict[str, Domain], inputs: tuple[str, ...], net: str) -> Entry:
    size = len(domains.get(net, "01"))
    alike = [other for other in inputs if other != net and domains.get(other) == domains.get(net)]
    if alike and rng.random() < 0.15:
        return Same(rng.choice(alike))
    return ANYTHING if rng.random() < 0.2 else Among(tuple(sorted(rng.sample(range(size), rng.randint(1, size - 1)))))


def random_answer(rng: random.Random, domains: dict[str, Domain], inputs: tuple[str, ...], net: str) -> Entry:
    size = len(domains.get(net, "01"))
    alike = [other for other in inputs if domains.get(other) == domains.get(net)]
    if alike and rng.random() < 0.2:
        return Same(rng.choice(alike))
    if rng.random() < 0.15:
        return ANYTHING
    return Among(tuple(sorted(rng.sample(range(size), 2 if rng.random() < 0.15 and size > 2 else 1))))


def random_formula(rng: random.Random, netlist: Netlist, depth: int, is_path: bool = False) -> Formula:
    """A state formula, or a path formula where one may stand."""
    if depth == 0 or rng.random() < 0.1:
        net = rng.choice(netlist.outputs)
        size = len(netlist.domain(net))
        values = tuple(sorted(rng.sample(range(size), rng.randint(1, size - 1))))
        return Truth(rng.random() < 0.5) if rng.random() < 0.05 else Proposition(NetIs(net, values))

    def below(path: bool = is_path) -> Formula:
        return random_formula(rng, netlist, depth - 1, path)

    kinds = ["not", "and", "or", "implies", "iff", "quantify", "quantify", "quantify"]
    kinds += ["next", "eventually", "always", "until", "weak", "release"] * 2 if is_path else []
    match rng.choice(kinds):
        case "not":
            return Not(below())
        case "and":
            return And((below(), below()))
        case "or":
            return Or((below(), below()))
        case "implies":
            return Implies(below(), below())
        case "iff":
            return Iff(below(), below())
        case "next":
            return Next(below())
        case "eventually":
            return Eventually(below())
        case "always":
            return Always(below())
        case "until":
            return Until(below(), below())
        case "weak":
            return WeakUntil(below(), below())
        case "release":
            return Release(below(), below())
    quantifier = rng.choice((AllPaths, SomePath))
    return quantifier(random_formula(rng, netlist, depth - 1, True))
