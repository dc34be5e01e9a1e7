"""Elaborate a Verilog design: instances become prefixes of names, blocks become gates and latches of one netlist.

All registers belong to one clock; a step of the netlist is one of its ticks.  An asynchronous reset decides what is
seen of a register in the very step in which it is active.  What nothing drives is a free pseudo-input; a register
without an initial value starts with any value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from quorbit.languages.circuits.covers import reached, shown_label
from quorbit.languages.circuits.telling import STORED
from quorbit.languages.circuits.verilog.buses import join_bus, lets_go, passed_on, resolve, when_driven, without_z
from quorbit.languages.circuits.verilog.elaboration import Elaboration, declared, drive, touched_bits
from quorbit.languages.circuits.verilog.evaluate import CHOICES, Elements, Evaluator, Values, constant_bits, converted
from quorbit.languages.circuits.verilog.execute import Executor
from quorbit.languages.circuits.verilog.expressions import Cursor, expression
from quorbit.languages.circuits.verilog.gates import drive_gate, outputs_of
from quorbit.languages.circuits.verilog.implicit import read_names
from quorbit.languages.circuits.verilog.primitives import drive_by_table
from quorbit.languages.circuits.verilog.registers import (
    add_register,
    check_clocks,
    hold,
    latch,
    note_clock,
    under_reset,
)
from quorbit.languages.circuits.verilog.scope import Constant, Scope, Signal, make_signal, merge_declarations
from quorbit.languages.circuits.verilog.tokens import Token, place_of, raw_tokens
from quorbit.languages.circuits.verilog.tree import (
    Always,
    Assign,
    Block,
    Call,
    Case,
    Check,
    Declaration,
    Design,
    Expr,
    For,
    Gate,
    GenerateFor,
    GenerateIf,
    If,
    Index,
    Instance,
    Join,
    Module,
    ModuleBody,
    Name,
    Range,
    Repeat,
    Slice,
    Statement,
    UserPrimitive,
    While,
)
from quorbit.netlists import words
from quorbit.netlists.builder import ONE, ZERO, Builder
from quorbit.netlists.netlist import Claim, Domain, Netlist, mentions
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import Source, Span
from quorbit.source.suggest import did_you_mean

DEEPEST, MOST_ROUNDS = 60, 4096
FOLLOWS = "$follows"  # ends the name of the register that knows whether an assign inside a block has run


@frozen
class Bound:
    """What a port is connected to: nets, and whether their top bit is a sign."""

    nets: tuple[str, ...]
    signed: bool
    span: Span


def elaborate(
    design: Design, top: str = "", parameters: Sequence[tuple[str, str]] = (), dialect: str = "auto"
) -> Netlist:
    """The circuit whose outermost module is ``top``, or the first that no other contains."""
    chosen, *others = top_modules(design, top)
    b = Builder(chosen.name, as_vis=design.is_vis if dialect == "auto" else dialect == "vis")
    x = Elaboration(b, design)
    scope = open_instance(x, chosen, "", given_values(x, parameters), {}, 0)
    for name in chosen.ports:
        signal = scope.signals.get(name)
        if signal is None:
            raise UserError(chosen.span, f"the port {name} of {chosen.name} is not declared")
        direction = next((d.direction for d in chosen.body.declarations if d.name == name and d.direction), "")
        if direction == "input":
            b.inputs += signal.elements[0]
            x.driven |= set(signal.elements[0])
        else:
            b.outputs += signal.elements[0]
    resolve(x)
    check_clocks(x)
    close(x)
    keep_integers(x)
    notes = [several_tops(chosen, others)] if others and not top else []
    return replace(b.finish(), notes=(*notes, *x.b.notes))


def given_values(x: Elaboration, parameters: Sequence[tuple[str, str]]) -> dict[str, Constant]:
    """What the command line sets parameters of the top module to."""
    found = {}
    for name, text in parameters:
        source = Source(f"-P {name}", text)
        value = expression(Cursor([*(t for t in raw_tokens(source) if t.kind != "blank"), end_of(source)]))
        found[name] = constant_bits(evaluator(x, Scope("", {})), value)
    return found


def end_of(source: Source) -> Token:
    return Token("end", "", Span(source, len(source.text), len(source.text)))


def several_tops(top: Module, others: list[Module]) -> str:
    named = ", ".join(module.name for module in others)
    return f"the circuit is the module {top.name}; {named} are in the file, too, but not part of it (--top chooses)"


def top_modules(design: Design, top: str = "") -> list[Module]:
    """The modules that no other contains; the first, or the one that was asked for, is the circuit."""
    if top:
        if top not in design.modules:
            raise UserError(None, f"there is no module {top}{did_you_mean(top, list(design.modules))}")
        return [design.modules[top]]
    inner = {i.module for m in design.modules.values() for i in all_instances(m.body)}
    tops = [m for m in design.modules.values() if m.name not in inner]
    if not tops:
        first = next(iter(design.modules.values()))
        raise UserError(first.span, "every module is part of another, so there is no top module")
    return tops


def all_instances(body: ModuleBody) -> Iterator[Instance]:
    yield from body.instances
    for g in body.generates:
        match g:
            case GenerateFor():
                yield from all_instances(g.body)
            case GenerateIf():
                yield from all_instances(g.then)
                if g.other is not None:
                    yield from all_instances(g.other)


def open_instance(
    x: Elaboration, module: Module, prefix: str, given: dict[str, Constant], bound: dict[str, Bound], depth: int
) -> Scope:
    """Elaborate a module; ``given`` are its parameters, ``bound`` the nets of its ports."""
    if depth > DEEPEST:
        raise UserError(module.span, f"the module {module.name} contains itself")
    scope = Scope(prefix, x.design.enumerations)
    for d in module.body.declarations:
        if d.type and d.type not in x.design.enumerations:
            raise UserError(d.span, f"there is no type {d.type}")
    elaborate_body(x, scope, module.body, given, bound, depth)
    return scope


def elaborate_body(
    x: Elaboration, scope: Scope, body: ModuleBody, given: dict[str, Constant], bound: dict[str, Bound], depth: int
) -> None:
    scope.functions.update((f.name, f) for f in body.functions)
    set_parameters(x, scope, body, given)
    scope.tasks.update(body.tasks)
    declare_all(x, scope, body, bound)
    declare_connected(x, scope, body)
    declare_read(x, scope, body)
    run_initial(x, scope, body)
    for target, value, span in body.assigns:
        x.b.span = span
        continuous(x, scope, target, value)
    for gate in body.gates:
        x.b.span = gate.span
        place_gate(x, scope, gate)
    for block in body.always:
        run_always(x, scope, block)
    for check in body.checks:
        note_check(x, scope, check, Evaluator(x.b, scope, Values(), Executor(x.b, scope).call).truth(check.condition))
    for instance in body.instances:
        instantiate(x, scope, body, instance, depth)
    for generate in body.generates:
        run_generate(x, scope, generate, depth)


def evaluator(x: Elaboration, scope: Scope) -> Evaluator:
    return Evaluator(x.b, scope, Values(), Executor(x.b, scope).call)


def set_parameters(x: Elaboration, scope: Scope, body: ModuleBody, given: dict[str, Constant]) -> None:
    names = {p.name for p in body.parameters if not p.local}
    for name in given:
        if name not in names:
            raise UserError(x.b.span, f"there is no parameter {name}")
    for p in body.parameters:
        value = given[p.name] if not p.local and p.name in given else constant_bits(evaluator(x, scope), p.value)
        scope.parameters[p.name] = converted(evaluator(x, scope), p, value)


def declare_all(x: Elaboration, scope: Scope, body: ModuleBody, bound: dict[str, Bound]) -> None:
    merged = merge_declarations(body.declarations)
    for d in local_declarations(body):
        if scope.signal(d.name) is None and scope.parameter(d.name) is None:
            merged.setdefault(d.name, d)
    for d in merged.values():
        declare(x, scope, d, bound.get(d.name))
    for d in merged.values():
        if d.value is not None and d.kind == "wire":
            x.b.span = d.span
            continuous(x, scope, Name(d.name, d.span), d.value)


def declare_connected(x: Elaboration, scope: Scope, body: ModuleBody) -> None:
    """Names that only connections, gates and continuous assignments declare, before expressions read them."""
    for target, _, _ in body.assigns:
        declare_implicit(x, scope, target, "")
    for gate in body.gates:
        for argument in gate.arguments:
            declare_implicit(x, scope, argument, "")
    for instance in body.instances:
        if instance.module in x.design.primitives:
            for wire in (value for _, value in instance.connections if value is not None):
                declare_implicit(x, scope, wire, "")
        elif (module := x.design.modules.get(instance.module)) is not None:
            declarations = merge_declarations(module.body.declarations)
            for port, actual in connected(module, instance):
                if actual is not None and port in declarations:
                    declare_implicit(x, scope, actual, declarations[port].type)


def declare_read(x: Elaboration, scope: Scope, body: ModuleBody) -> None:
    """Names in expressions that nobody declares, where the text is VIS's and does not forbid them."""
    if not x.b.as_vis or not x.design.implicit:
        return
    for name in read_names(body):
        if is_unknown(scope, name.text) and "." not in name.text:
            declare_implicit(x, scope, name, "")
            where = f"{Path(name.span.file).name}:{name.span.line}"
            x.b.notes.append(f"{where}: {name.text} is not declared: it is taken for a wire of one bit")


def declare_implicit(x: Elaboration, scope: Scope, e: Expr, type: str) -> None:
    """A name that is only connected is a wire of one bit, or of the enumeration of its port."""
    if isinstance(e, Name) and is_unknown(scope, e.text):
        declare(x, scope, Declaration(e.text, "wire", type, "", False, None, None, None, e.span), None)


def declare(x: Elaboration, scope: Scope, d: Declaration, bound: Bound | None) -> None:
    bounds, array = range_of(x, scope, d.range), range_of(x, scope, d.array)
    plain = make_signal(d, scope.prefix, bounds, array, None)
    nets = plain.elements[0]
    if bound is not None:
        fitted = tuple(words.extend(list(bound.nets), plain.width, bound.signed)) if not d.type else bound.nets
        if d.direction == "inout" and len(bound.nets) != len(nets):
            raise UserError(bound.span, f"the inout port {d.name} has {len(nets)} bits, not {len(bound.nets)}")
        if d.direction == "input" or len(bound.nets) == len(nets):
            x.b.aliases.update((own, net) for own, net in zip(nets, fitted, strict=True) if own != net)
            nets = fitted
        else:
            for own, net in zip(nets, bound.nets, strict=False):
                x.b.copy(own, net)
                x.driven.add(net)
    signal = make_signal(d, scope.prefix, bounds, array, nets if array is None else None)
    if bounds is not None:
        x.b.vectors[scope.prefix + d.name] = bounds
    scope.signals[d.name] = signal
    domain = Domain(x.design.enumerations[d.type]) if d.type else None
    for net in (net for element in signal.elements for net in element):
        if bound is None or net not in (*bound.nets, ZERO, ONE):
            x.declared[net] = (domain, d.kind)
            if (array is not None and d.kind == "reg") or place_of(d.span) in x.design.constants:
                x.kept.add(net)
            x.b.spans.setdefault(net, d.span)
            if domain is not None:
                x.b.domains[net] = domain


def range_of(x: Elaboration, scope: Scope, r: Range | None) -> tuple[int, int] | None:
    if r is None:
        return None
    e = evaluator(x, scope)
    return e.constant(r.left), e.constant(r.right)


def local_declarations(body: ModuleBody) -> Iterator[Declaration]:
    """Variables declared inside blocks; they belong to the module here.  So do loop variables that nobody declares,
    as vl2mv allows it."""
    stack: list[Statement] = [*(a.body for a in body.always), *body.initial]
    while stack:
        match stack.pop():
            case For(start=Assign(target=Name(text, span)), body=inner_body):
                yield Declaration(text, "integer", "", "", True, None, None, None, span)
                stack.append(inner_body)
            case Block(inner, locals=found):
                yield from found
                stack += inner
            case If(_, then, other):
                stack += [then] if other is None else [then, other]
            case Case(items=items):
                stack += [s for _, s in items]
            case For(body=inner_body) | While(body=inner_body) | Repeat(body=inner_body):
                stack.append(inner_body)


def run_initial(x: Elaboration, scope: Scope, body: ModuleBody) -> None:
    """Initial blocks one after the other; what they leave in a register is its first value."""
    values = Values(unknown=lambda signal: first_values(x, signal))
    executor = Executor(x.b, scope, lambda check, holds: note_first(x, executor, check, holds), True)
    for d in merge_declarations(body.declarations).values():
        if d.value is not None and d.kind != "wire":
            x.b.span = d.span
            executor.assign(Name(d.name, d.span), d.value, values, values)
    for statement in body.initial:
        executor.run(statement, values, Values())
    for signal, k, i in touched_bits(scope, values):
        x.starts[signal.elements[k][i]] = values.get(signal)[k][i]


def first_values(x: Elaboration, signal: Signal) -> Elements:
    """What a register holds that an initial block reads before anyone gave it a value: anything."""
    if signal.kind == "wire":
        return signal.elements
    for net in (net for element in signal.elements for net in element):
        if net not in x.starts:
            x.starts[net] = fresh = x.b.fresh()
            domain = x.b.domains.get(net)
            if domain is not None:
                x.b.domains[fresh] = domain
            x.b.choice(fresh, range(2 if domain is None else len(domain)))
    return tuple(tuple(x.starts[net] for net in element) for element in signal.elements)


def continuous(x: Elaboration, scope: Scope, target: Expr, value: Expr) -> None:
    e = evaluator(x, scope)
    nets, kind = target_nets(x, scope, target)
    if kind:
        drive(x, nets[0], direct_choice(x, e, value, kind, nets[0]) or e.symbol(value, kind))
        return
    if isinstance(value, Call) and value.name in CHOICES and len(nets) == 1 and is_free_bit(e, value):
        x.b.choice(nets[0], (0, 1))
        x.driven.add(nets[0])
        return
    width = max(len(nets), e.width(value))
    if lets_go(value):
        enabled, passed = when_driven(e, value), frozenset(passed_on(e, value))
        for net, bit in zip(nets, e.word(without_z(value), width), strict=False):
            join_bus(x, net, enabled, bit, passed)
        return
    for net, bit in zip(nets, e.word(value, width), strict=False):
        drive(x, net, bit)


def is_free_bit(e: Evaluator, value: Call) -> bool:
    try:
        return sorted(e.constant(a) & 1 for a in value.arguments) == [0, 1]
    except UserError:
        return False


def direct_choice(x: Elaboration, e: Evaluator, value: Expr, kind: str, net: str) -> str | None:
    """``assign state = $ND(A, B)`` makes the net itself the pseudo-input."""
    if not (isinstance(value, Call) and value.name in CHOICES):
        return None
    values = [a for a in value.arguments if e.is_enumerator(a)]
    if len(values) < len(value.arguments):
        return None
    x.b.choice(net, sorted({e.enumerator(a, kind) for a in values}))
    return net


def target_nets(x: Elaboration, scope: Scope, target: Expr) -> tuple[list[str], str]:
    """The nets of a constant target, the lowest bit first, and its enumeration."""
    e = evaluator(x, scope)
    match target:
        case Join(parts):
            return [net for part in reversed(parts) for net in target_nets(x, scope, part)[0]], ""
        case Name(text, span):
            signal = declared(scope, text, span)
            if signal.array is not None:
                raise UserError(span, f"{text} is an array")
            return list(signal.elements[0]), signal.type
        case Index(Name(text, span), index):
            signal = declared(scope, text, span)
            place = signal.bit(e.constant(index)) if signal.array is None else signal.element(e.constant(index))
            if place is None:
                raise UserError(index.span, f"the index of {text} is out of range")
            if signal.array is None:
                return [signal.elements[0][place]], ""
            return list(signal.elements[place]), signal.type
        case Slice(Name(text, span), left, right, kind):
            signal = declared(scope, text, span)
            low = Executor(x.b, scope).lowest(signal, left, right, kind, e)
            return list(signal.elements[0][low : low + e.width(target)]), ""
    raise UserError(target.span, "this cannot be driven")


def place_gate(x: Elaboration, scope: Scope, gate: Gate) -> None:
    """A gate, or one for each bit of its arguments."""
    e, count = evaluator(x, scope), outputs_of(gate.kind, len(gate.arguments))
    targets = [target_nets(x, scope, target)[0] for target in gate.arguments[:count]]
    sources = gate.arguments[count:]
    if gate.range is None:
        drive_gate(x, gate.kind, [nets[0] for nets in targets], [e.truth(source) for source in sources])
        return
    size = len(indices(x, scope, gate.range))
    outputs = [shared_out(nets, 1, size, gate.span) for nets in targets]
    inputs = [shared_out(e.word(source, e.width(source)), 1, size, source.span) for source in sources]
    for k in range(size):
        drive_gate(x, gate.kind, [nets[k][0] for nets in outputs], [nets[k][0] for nets in inputs])


def indices(x: Elaboration, scope: Scope, r: Range) -> list[int]:
    """Those of an array of instances; the first gets the lowest bits."""
    left, right = evaluator(x, scope).constant(r.left), evaluator(x, scope).constant(r.right)
    if abs(left - right) >= MOST_ROUNDS:
        raise UserError(r.left.span, f"this array has more than {MOST_ROUNDS} instances")
    return list(range(right, left + 1)) if left >= right else list(range(right, left - 1, -1))


def shared_out(nets: Sequence[str], width: int, size: int, span: Span) -> list[tuple[str, ...]]:
    """What each instance of an array gets of what a port of some width is connected to: all of it, or its part."""
    if len(nets) == width:
        return [tuple(nets)] * size
    if len(nets) != width * size:
        raise UserError(span, f"{size} instances with {width} bits each cannot share {len(nets)} bits")
    return [tuple(nets[k * width : (k + 1) * width]) for k in range(size)]


def run_always(x: Elaboration, scope: Scope, block: Always) -> None:
    kept = None if block.edges else partial(hold, x)
    now, later = Values(kept=kept), Values(kept=kept)
    executor = Executor(x.b, scope, lambda check, holds: note_check(x, scope, check, holds))
    executor.on_continuous = lambda s, condition: follow(x, scope, block, s, condition)
    set_clock(x, scope, block, now)
    executor.run(block.body, now, later)
    resets = [] if not block.edges else [under_reset(x, scope, block, r) for r in note_clock(x, scope, block)]
    for which, values in enumerate((now, later)):
        for signal, k, i in touched_bits(scope, values):
            net, value = signal.elements[k][i], values.get(signal)[k][i]
            if signal.kind == "integer":
                x.integers.setdefault(net, (value, block.span))
            elif not block.edges:
                drive(x, net, value)
            else:
                acting = [(active, left[which].get(signal)[k][i]) for active, left in resets]
                latch(x, net, value, block.span, [(active, at) for active, at in acting if at != net])


def set_clock(x: Elaboration, scope: Scope, block: Always, now: Values) -> None:
    """A block that runs at an edge of its clock reads 1 from it after posedge, 0 after negedge."""
    if len(block.edges) == 1:
        kind, name = block.edges[0]
        signal = declared(scope, name, block.span)
        if signal.width == 1 and signal.array is None:
            now.current[id(signal)] = (signal, ((ONE if kind == "posedge" else ZERO,),))


def follow(x: Elaboration, scope: Scope, block: Always, s: Assign, condition: str) -> None:
    """assign inside a block: once it has run, its target follows the value whatever happens later."""
    nets, kind = target_nets(x, scope, s.target)
    e = evaluator(x, scope)
    values = [e.symbol(s.value, kind)] if kind else e.word(s.value, max(len(nets), e.width(s.value)))
    if taken := next((net for net in nets if net in x.driven), None):
        raise UserError(s.span, f"{taken} is assigned in two places")
    if not block.edges and condition != ONE:
        raise UserError(s.span, "an assign that may or may not run, in a block without a clock, is not supported")
    since = ONE if not block.edges else nets[0] + FOLLOWS
    if block.edges:
        x.registers[since] = (x.b.disjoin((since, condition)), s.span)
        x.starts[since] = ZERO
    for net, value in zip(nets, values, strict=False):
        drive(x, net, value if since == ONE else before_it(x, net, since, value, s.span))


def before_it(x: Elaboration, net: str, since: str, value: str, span: Span) -> str:
    """The value since the assign has run, before that what the register started with."""
    first = net + STORED
    x.registers[first] = (first, span)
    if net in x.b.domains:
        x.b.domains[first] = x.b.domains[net]
        return x.b.choose_value(since, value, first)
    return x.b.choose(since, value, first)


def note_check(x: Elaboration, scope: Scope, check: Check, holds: str) -> None:
    name = scope.prefix + check.label
    match check.kind:
        case "assume":
            x.b.constraints.append(holds)
        case "fair":
            x.b.fairness.append(holds)
        case "cover":
            x.b.claims.append(reached(x.b, name, holds, check.span))
        case "assert" | "live":
            kind = "never" if check.kind == "assert" else "not always eventually"
            x.b.claims.append(Claim(x.b.claim_name(shown_label(name)), kind, (x.b.invert(holds),), check.span))


def note_first(x: Elaboration, executor: Executor, check: Check, holds: str) -> None:
    """A check in an initial block."""
    if executor.condition != ONE:
        raise UserError(check.span, "a check under a condition inside an initial block is not supported")
    first = x.b.first_state()
    if check.kind == "cover":
        note_check(x, executor.scope, check, x.b.conjoin((first, holds)))
    else:
        note_check(x, executor.scope, check, x.b.disjoin((x.b.invert(first), holds)))


def instantiate(x: Elaboration, scope: Scope, body: ModuleBody, instance: Instance, depth: int) -> None:
    x.b.span = instance.span
    if instance.module in x.design.primitives:
        instantiate_table(x, scope, x.design.primitives[instance.module], instance)
        return
    module = x.design.modules.get(instance.module)
    if module is None:
        raise UserError(instance.span, f"there is no module {instance.module}")
    if not instance.name:
        raise UserError(instance.span, f"this instance of {instance.module} has no name")
    given = parameters_of(x, scope, module, instance)
    for name, parameter, value, _ in body.overrides:
        if name == instance.name:
            given[parameter] = constant_bits(evaluator(x, scope), value)
    bound: dict[str, Bound] = {}
    declarations = merge_declarations(module.body.declarations)
    for port, actual in connected(module, instance):
        d = declarations.get(port)
        if d is None:
            raise UserError(instance.span, f"{module.name} has no port {port}")
        if actual is not None:
            bound[port] = bind(x, scope, d, actual)
    if instance.range is None:
        open_instance(x, module, f"{scope.prefix}{instance.name}.", given, bound, depth + 1)
        return
    numbers = indices(x, scope, instance.range)
    widths = {port: port_width(x, module, given, declarations[port]) for port in bound}
    for k, number in enumerate(numbers):
        own = {
            port: replace(b, nets=shared_out(b.nets, widths[port], len(numbers), b.span)[k])
            for port, b in bound.items()
        }
        open_instance(x, module, f"{scope.prefix}{instance.name}[{number}].", given, own, depth + 1)


def port_width(x: Elaboration, module: Module, given: dict[str, Constant], d: Declaration) -> int:
    """The width of a port of a module with these parameters."""
    inner = Scope("", x.design.enumerations)
    inner.functions.update((f.name, f) for f in module.body.functions)
    set_parameters(x, inner, module.body, given)
    return make_signal(d, "", range_of(x, inner, d.range), None, None).width


def instantiate_table(x: Elaboration, scope: Scope, p: UserPrimitive, instance: Instance) -> None:
    if instance.range is not None:
        raise UserError(instance.span, "arrays of user-defined primitives are not supported")
    given = [value for name, value in instance.connections if value is not None and not name]
    if len(given) != p.inputs + 1 or len(given) != len(instance.connections):
        raise UserError(instance.span, f"{p.name} takes an output and {p.inputs} inputs, in this order")
    e = evaluator(x, scope)
    target, *sources = given
    inputs = [e.word(source, e.width(source))[0] for source in sources]
    drive_by_table(x, p, target_nets(x, scope, target)[0][0], inputs, instance.span)


def bind(x: Elaboration, scope: Scope, d: Declaration, value: Expr) -> Bound:
    e = evaluator(x, scope)
    if d.direction in ("output", "inout"):
        nets, _ = target_nets(x, scope, value)
        return Bound(tuple(nets), False, value.span)
    if d.type:
        return Bound((e.symbol(value, d.type),), False, value.span)
    return Bound(tuple(e.word(value, e.width(value))), e.is_signed(value), value.span)


def is_unknown(scope: Scope, name: str) -> bool:
    return scope.signal(name) is None and scope.parameter(name) is None and not scope.types_with(name)


def parameters_of(x: Elaboration, scope: Scope, module: Module, instance: Instance) -> dict[str, Constant]:
    names = [p.name for p in module.body.parameters if not p.local]
    given: dict[str, Constant] = {}
    for k, (name, value) in enumerate(instance.parameters):
        if not name and k >= len(names):
            raise UserError(instance.span, f"{module.name} has {len(names)} parameters")
        given[name or names[k]] = constant_bits(evaluator(x, scope), value)
    return given


def connected(module: Module, instance: Instance) -> Iterable[tuple[str, Expr | None]]:
    if len(instance.connections) == 1 and instance.connections[0] == ("", None):
        return
    for k, (name, value) in enumerate(instance.connections):
        if name:
            yield name, value
        elif k >= len(module.ports):
            raise UserError(
                instance.span, f"{module.name} has {len(module.ports)} ports, {len(instance.connections)} are connected"
            )
        else:
            yield module.ports[k], value


def run_generate(x: Elaboration, scope: Scope, g: GenerateFor | GenerateIf, depth: int) -> None:
    match g:
        case GenerateIf(test, then, other, label):
            chosen = then if evaluator(x, scope).truth(test) == ONE else other
            if chosen is not None:
                generated(x, scope, chosen, f"{label}." if label else "", {}, depth)
        case GenerateFor():
            loop = Scope(scope.prefix, scope.enumerations, parent=scope)
            loop.parameters[g.variable] = constant_bits(evaluator(x, scope), g.start)
            for _ in range(MOST_ROUNDS):
                if evaluator(x, loop).truth(g.test) == ZERO:
                    return
                i = evaluator(x, loop).constant(Name(g.variable, g.span))
                generated(x, scope, g.body, f"{g.label or 'block'}[{i}].", dict(loop.parameters), depth)
                loop.parameters[g.variable] = constant_bits(evaluator(x, loop), g.step)
            raise UserError(g.span, f"this loop runs more than {MOST_ROUNDS} times")


def generated(
    x: Elaboration, scope: Scope, body: ModuleBody, prefix: str, fixed: dict[str, Constant], depth: int
) -> None:
    inner = Scope(scope.prefix + prefix, scope.enumerations, parent=scope, parameters=fixed)
    elaborate_body(x, inner, body, {}, {}, depth)


def close(x: Elaboration) -> None:
    """Latches for the registers, and for constants and memories that nothing writes: what these hold is unknown, but
    stays; free pseudo-inputs for what else nothing drives."""
    for net, (value, span) in x.registers.items():
        add_register(x, net, value, span)
    for net, (domain, kind) in x.declared.items():
        if net in x.driven:
            continue
        x.b.span = x.b.spans[net]
        if net in x.kept or (kind == "reg" and net in x.starts):
            add_register(x, net, net, x.b.span)
        elif kind != "integer":
            x.b.choice(net, range(2 if domain is None else len(domain)))


def keep_integers(x: Elaboration) -> None:
    """Integers that something reads before it assigns them are registers; gates that nothing reads are dropped."""
    producers = {net: table for table in x.b.tables for net in table.outputs}
    waiting = [net for net in producers if not net.startswith("$")]
    waiting += [*x.b.constraints, *x.b.fairness, *(net for claim in x.b.claims for net in claim.nets)]
    for latch_ in x.b.latches:
        waiting += [latch_.input, *(mentions(latch_.reset) if latch_.reset is not None else ())]
    live: set[str] = set()
    while waiting:
        net = waiting.pop()
        if net in live:
            continue
        live.add(net)
        if net in producers:
            waiting += mentions(producers[net])
        elif x.declared.get(net, (None, ""))[1] == "integer":
            value, span = x.integers.get(net, (net, x.b.spans[net]))
            add_register(x, net, value, span)
            waiting += [value, *([x.starts[net]] if net in x.starts else [])]
        elif net in x.held:
            value, span = x.held[net]
            add_register(x, net, value, span)
            waiting += [value, *([x.starts[value]] if value in x.starts else [])]
    x.b.tables = [table for table in x.b.tables if any(net in live for net in table.outputs)]
