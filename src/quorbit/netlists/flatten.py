"""Flatten a BLIF or BLIF-MV Program: expand instances, resolve names, domains and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quorbit.netlists.entries import read_entry
from quorbit.netlists.netlist import ANYTHING, BOOLEAN, Among, Domain, Entry, Latch, Netlist, Row, Table
from quorbit.netlists.program import Declared, Model, Program, Word, Written, WrittenLatch
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

__all__ = ["Flat", "Scope", "expand", "flatten", "latch_of", "table_of"]

MOST_INSTANCES = 200_000


@frozen
class Scope:
    """One instance of a model: how its names are called in the flat netlist."""

    model: Model
    prefix: str
    binding: Mapping[str, str]

    def flat(self, name: str) -> str:
        return self.binding.get(name) or self.prefix + name


@mutable
class Flat:
    domains: dict[str, tuple[Domain, Span]] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def domain(self, net: str) -> Domain:
        known = self.domains.get(net)
        return known[0] if known else BOOLEAN


def flatten(program: Program) -> Netlist:
    root = program.models.get(program.root)
    if root is None:
        raise UserError(None, f"there is no model {program.root}")
    scopes = list(expand(program, root))
    flat = Flat()
    for scope in scopes:
        collect_names(flat, scope)
    tables = tuple(table_of(flat, scope, t) for scope in scopes for t in scope.model.tables)
    latches = tuple(latch_of(flat, scope, latch) for scope in scopes for latch in scope.model.latches)
    free = {
        scope.flat(w.text): w.span for scope in scopes[1:] for w in scope.model.inputs if w.text not in scope.binding
    }
    tables += tuple(Table((), (net,), (Row((), (ANYTHING,)),), None, span) for net, span in free.items())
    notes = tuple(f"nothing is connected to the input {net}: it may be anything" for net in free)
    for scope in scopes:
        check_resets(scope.model)
    domains = {net: domain for net, (domain, _) in flat.domains.items() if domain != BOOLEAN}
    names = [w.text for w in root.inputs], [w.text for w in root.outputs]
    inputs, outputs = (tuple(dict.fromkeys(ns)) for ns in names)
    return Netlist(root.name, inputs, outputs, tables, latches, domains, flat.aliases, spans=flat.spans, notes=notes)


def expand(program: Program, root: Model) -> Iterator[Scope]:
    """The instances of all models, the root first, each before its parts."""
    stack: list[tuple[Scope, frozenset[str]]] = [(Scope(root, "", {}), frozenset({root.name}))]
    count = 0
    while stack:
        scope, above = stack.pop()
        yield scope
        count += len(scope.model.instances)
        if count > MOST_INSTANCES:
            raise UserError(scope.model.span, f"more than {MOST_INSTANCES} instances")
        stack += reversed([(part, above | {part.model.name}) for part in parts_of(program, scope, above)])


def parts_of(program: Program, scope: Scope, above: frozenset[str]) -> Iterator[Scope]:
    names: set[str] = set()
    for instance in scope.model.instances:
        model = program.models.get(instance.model.text)
        if model is None:
            raise UserError(instance.model.span, f"there is no model {instance.model.text}")
        if model.name in above:
            raise UserError(instance.model.span, f"the model {model.name} contains itself")
        if instance.name in names:
            raise UserError(instance.span, f"two instances are called {instance.name}")
        names.add(instance.name)
        formals = {w.text for w in (*model.inputs, *model.outputs)}
        for formal, _ in instance.bindings:
            if formal.text not in formals:
                raise UserError(formal.span, f"{formal.text} is not an input or output of the model {model.name}")
        binding = {formal.text: scope.flat(actual.text) for formal, actual in instance.bindings}
        yield Scope(model, f"{scope.prefix}{instance.name}.", binding)


def collect_names(flat: Flat, scope: Scope) -> None:
    model = scope.model
    for formal, actual in scope.binding.items():
        flat.aliases[scope.prefix + formal] = actual
    for name, declared in model.domains.items():
        add_domain(flat, scope.flat(name), name, declared)
    tables = [w for t in (*model.tables, *model.resets.values()) for w in (*t.outputs, *t.inputs)]
    latches = [w for latch in model.latches for w in (latch.output, latch.input)]
    for word in (*tables, *latches, *model.inputs, *model.outputs):
        flat.spans.setdefault(scope.flat(word.text), word.span)


def add_domain(flat: Flat, net: str, name: str, declared: Declared) -> None:
    domain = Domain(declared.values)
    known = flat.domains.get(net)
    if known and known[0] != domain:
        shown = ",".join(known[0].values[:8]), ",".join(domain.values[:8])
        raise UserError(
            declared.span, f"{name} ({net}) has two domains: {{{shown[0]}}} at {known[1]} and {{{shown[1]}}} here"
        )
    flat.domains[net] = (domain, declared.span)


def table_of(flat: Flat, scope: Scope, written: Written) -> Table:
    """A table in flat names."""
    columns = (*written.inputs, *written.outputs)
    nets = [scope.flat(w.text) for w in columns]
    cut = len(written.inputs)
    rows = []
    for row in written.rows:
        cells = tuple(entry_of(flat, scope, word, net) for word, net in zip(row, nets, strict=True))
        rows.append(Row(cells[:cut], cells[cut:]))
    return Table(
        tuple(nets[:cut]), tuple(nets[cut:]), tuple(rows), default_of(flat, scope, written, nets[cut:]), written.span
    )


def default_of(flat: Flat, scope: Scope, written: Written, outputs: list[str]) -> tuple[Entry, ...] | None:
    if written.default is not None:
        return tuple(entry_of(flat, scope, w, net) for w, net in zip(written.default, outputs, strict=True))
    if written.default_value is not None:
        return (Among((written.default_value,)),)
    return None


def entry_of(flat: Flat, scope: Scope, word: Word, net: str) -> Entry:
    return read_entry(word, flat.domain(net), net, lambda name: (scope.flat(name), flat.domain(scope.flat(name))))


def latch_of(flat: Flat, scope: Scope, latch: WrittenLatch) -> Latch:
    source, target = scope.flat(latch.input.text), scope.flat(latch.output.text)
    if flat.domain(source) != flat.domain(target):
        raise UserError(latch.span, f"{latch.input.text} and {latch.output.text} have different domains")
    written = scope.model.resets.get(latch.output.text)
    if written is not None and latch.start is not None and latch.start < 2:
        raise UserError(written.span, f"{latch.output.text} has an initial value and a reset table")
    if written is not None:
        reset: Table | None = table_of(flat, scope, written)
    else:
        reset = start_table(target, flat.domain(target), latch)
    return Latch(source, target, reset, latch.span)


def start_table(net: str, domain: Domain, latch: WrittenLatch) -> Table | None:
    if latch.start is None or latch.start >= 2:  # 2 and 3: don't care, unknown
        return None
    if latch.start >= len(domain):
        raise UserError(latch.span, f"{net} has no value {latch.start}")
    return Table((), (net,), (Row((), (Among((latch.start,)),)),), None, latch.span)


def check_resets(model: Model) -> None:
    latches = {latch.output.text for latch in model.latches}
    for name, reset in model.resets.items():
        if name not in latches:
            raise UserError(reset.outputs[0].span, f"{name} has a reset table but is not a latch")
