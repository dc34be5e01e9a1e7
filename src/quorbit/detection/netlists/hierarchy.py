"""The models of a BLIF or BLIF-MV Program and how they contain each other: each drawn once, whatever its instances.

A *part* is a model with the domains of its ports; all its instances are alike, so it is drawn once ([M97, 6.5.1]).  In
the graph of what contains it an instance is one vertex with a vertex for each port.  Ports that the inside allows to be
permuted freely get one colour; where the inside allows some of these permutations only, it is drawn in place of the
instance.  Latches are numbered as in the flat netlist: those of a model, then those of its instances one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import factorial, prod

from quorbit.detection.netlists.graph import Drawing, draw_input, draw_latch, draw_output, draw_reset, draw_table
from quorbit.graphs.automorphisms import automorphisms, automorphisms_on
from quorbit.graphs.graph import Graph
from quorbit.groups.chain import order
from quorbit.groups.group import Group, orbits
from quorbit.netlists.flatten import Flat, Scope, latch_of, table_of
from quorbit.netlists.netlist import BOOLEAN, Domain, Netlist
from quorbit.netlists.program import Instance, Model, Program
from quorbit.source.errors import UserError
from quorbit.source.frozen import distinct, field, frozen, mutable

DEEPEST = 500  # levels of instances


@frozen
class Child:
    """An instance drawn as one vertex: its part, the vertices of its ports, and the number of its first latch."""

    part: Part
    vertex: int
    ports: Mapping[str, int]
    first: int


@frozen
class PartGraph:
    """What is drawn of a part: vertices of ports and latches (with the numbers of these), and instances."""

    graph: Graph = field(repr=False)
    ports: Mapping[str, int]
    latches: tuple[tuple[int, int], ...]
    children: tuple[Child, ...]


@distinct
class Part:
    """A model with domains for its nets; ``below`` are the parts of its instances."""

    number: int
    model: Model
    domains: Mapping[str, Domain]
    below: tuple[Part, ...]

    @cached_property
    def width(self) -> int:
        """How many latches it has with all that it contains."""
        return len(self.model.latches) + sum(part.width for part in self.below)

    @cached_property
    def drawn(self) -> PartGraph:
        return draw_part(self)

    @cached_property
    def group(self) -> Group:
        """The automorphisms of what is drawn; found once for all instances."""
        return automorphisms(self.drawn.graph)

    @cached_property
    def fixing_ports(self) -> Group:
        """The automorphisms that leave every port in place."""
        colours = list(self.drawn.graph.colours)
        for k, v in enumerate(self.drawn.ports.values()):
            colours[v] = max(self.drawn.graph.colours) + 1 + k
        return automorphisms(Graph(tuple(colours), self.drawn.graph.arcs))

    @cached_property
    def port_classes(self) -> Mapping[str, int] | None:
        """Ports of one class are permuted freely by the inside; None if it allows some of that only."""
        names = list(self.drawn.ports)
        action = automorphisms_on(self.drawn.graph, list(self.drawn.ports.values()))
        found = orbits(action)
        if order(action) != prod(factorial(len(orbit)) for orbit in found):
            return None
        return {names[i]: k for k, orbit in enumerate(found) for i in orbit}


@mutable
class Library:
    program: Program
    parts: dict[tuple[object, ...], Part] = field(default_factory=dict)
    said: dict[str, dict[str, Domain]] = field(default_factory=dict)  # by model: the domains that it gives its ports

    def root(self) -> Part:
        model = self.program.models.get(self.program.root)
        if model is None:
            raise UserError(None, f"there is no model {self.program.root}")
        return self.part(model, {}, ())

    def part(self, model: Model, given: Mapping[str, Domain], above: tuple[str, ...]) -> Part:
        """The part for a model whose ports have some domains from outside."""
        key = (model.name, tuple(sorted((net, domain.values) for net, domain in given.items())))
        if key not in self.parts:
            domains = self.local_domains(model, given, above)
            below = []
            for instance in model.instances:
                inner = self.model_of(instance, (*above, model.name))
                bound = {f.text: domains[a.text] for f, a in instance.bindings if a.text in domains}
                below.append(self.part(inner, bound, (*above, model.name)))
            self.parts[key] = Part(len(self.parts), model, domains, tuple(below))
        return self.parts[key]

    def model_of(self, instance: Instance, above: tuple[str, ...]) -> Model:
        model = self.program.models.get(instance.model.text)
        if model is None:
            raise UserError(instance.model.span, f"there is no model {instance.model.text}")
        if model.name in above or len(above) > DEEPEST:
            raise UserError(instance.model.span, f"the model {model.name} contains itself")
        return model

    def local_domains(self, model: Model, given: Mapping[str, Domain], above: tuple[str, ...]) -> dict[str, Domain]:
        """The domains of a model's nets that are not boolean: its own, those from outside, those of its instances."""
        found = {**self.own_domains(model, above), **given}
        return {net: domain for net, domain in found.items() if domain != BOOLEAN}

    def own_domains(self, model: Model, above: tuple[str, ...]) -> dict[str, Domain]:
        if model.name not in self.said:
            found = {net: Domain(declared.values) for net, declared in model.domains.items()}
            for instance in model.instances:
                inner = self.own_domains(self.model_of(instance, (*above, model.name)), (*above, model.name))
                found.update((a.text, inner[f.text]) for f, a in instance.bindings if f.text in inner)
            self.said[model.name] = found
        return self.said[model.name]


@mutable
class Canvas:
    """A part being drawn, with the insides of instances that cannot be one vertex."""

    flat: Flat
    drawing: Drawing
    latches: list[tuple[int, int]] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)


def draw_part(part: Part) -> PartGraph:
    domains: dict[str, Domain] = {}
    canvas = Canvas(Flat(), Drawing(Netlist(part.model.name, (), (), (), (), domains), True))
    note_domains(canvas, domains, part, Scope(part.model, "", {}))
    ports = {w.text: draw_input(canvas.drawing, w.text) for w in part.model.inputs}
    draw_inside(canvas, domains, part, Scope(part.model, "", {}), 0)
    for w in part.model.outputs:
        ports[f"output {w.text}"] = draw_output(canvas.drawing, w.text)
    builder = canvas.drawing.builder
    for net, vertex in canvas.drawing.reads:
        if net not in canvas.drawing.drivers:
            raise UserError(part.model.span, f"{net} of {part.model.name} is read but nothing drives it")
        builder.arc(canvas.drawing.drivers[net], vertex)
    return PartGraph(builder.build(), ports, tuple(canvas.latches), tuple(canvas.children))


def note_domains(canvas: Canvas, domains: dict[str, Domain], part: Part, scope: Scope) -> None:
    for net, domain in part.domains.items():
        domains[scope.flat(net)] = domain
        canvas.flat.domains[scope.flat(net)] = (domain, part.model.span)


def draw_inside(canvas: Canvas, domains: dict[str, Domain], part: Part, scope: Scope, first: int) -> None:
    """The tables, latches and instances of a part; ``first`` is the number of its first latch."""
    d, model = canvas.drawing, part.model
    for written in model.tables:
        draw_table(d, table_of(canvas.flat, scope, written), None)
    for k, written_latch in enumerate(model.latches):
        latch = latch_of(canvas.flat, scope, written_latch)
        vertex = draw_latch(d, latch)
        draw_reset(d, latch, vertex)
        canvas.latches.append((vertex, first + k))
    first += len(model.latches)
    for instance, inner in zip(model.instances, part.below, strict=True):
        draw_instance(canvas, domains, instance, inner, scope, first)
        first += inner.width


def draw_instance(
    canvas: Canvas, domains: dict[str, Domain], instance: Instance, part: Part, scope: Scope, first: int
) -> None:
    binding = {formal.text: scope.flat(actual.text) for formal, actual in instance.bindings}
    classes = part.port_classes
    if classes is None:
        inner = Scope(part.model, f"{scope.prefix}{instance.name}.", binding)
        note_domains(canvas, domains, part, inner)
        draw_inside(canvas, domains, part, inner, first)
        return
    builder, kind = canvas.drawing.builder, (part.model.name, part.number)
    vertex = builder.vertex(("instance", *kind))
    ports: dict[str, int] = {}
    for name, number in classes.items():
        ports[name] = builder.vertex(("port", *kind, number))
        builder.arc(ports[name], vertex)
        formal = name.removeprefix("output ")
        net = binding.get(formal, f"{scope.prefix}{instance.name}.{formal}")
        if name in part.drawn.ports and name != formal:
            canvas.drawing.drivers[net] = ports[name]
        elif formal in binding:
            canvas.drawing.reads.append((net, ports[name]))
    canvas.children.append(Child(part, vertex, ports, first))
