"""Expressions of Promela as expressions of the System, seen by one process."""

from __future__ import annotations

from quorbit.languages.promela.lower.places import LAST, PRIORITY, Placement, Shape, is_fixed_channel, pc_name
from quorbit.languages.promela.lower.ranges import INT_BITS, interval, may_leave_int
from quorbit.languages.promela.lower.values import (
    View,
    as_channel,
    as_number,
    as_truth,
    belongs,
    contents,
    cut,
    home,
    is_alive,
    is_channel,
    matches_something,
    own_pid,
    pid_of,
    possible_shapes,
    process_count,
)
from quorbit.languages.promela.parse.program import (
    Binary,
    Conditional,
    Constant,
    DataType,
    Eval,
    Expression,
    Kind,
    OfProcess,
    Pattern,
    Poll,
    Predefined,
    Probe,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Temporal,
    Unary,
    Variable,
)
from quorbit.languages.promela.parse.walk import walk
from quorbit.model.system.expression import (
    FALSE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Enabled,
    Expr,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    Read,
    Wrap,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["value"]

O = Operator
MOST_LISTED = 16
COMPARED = {"==", "!=", "<", ">", "<=", ">="}
ARITHMETIC = {
    "+": O.ADD,
    "-": O.SUBTRACT,
    "*": O.MULTIPLY,
    "/": O.DIVIDE,
    "%": O.MODULO,
    "&": O.BIT_AND,
    "|": O.BIT_OR,
    "^": O.BIT_XOR,
    "<<": O.SHIFT_LEFT,
    ">>": O.SHIFT_RIGHT,
}


def truth(view: View, expression: Expression) -> Expr:
    """0 or 1: whether the expression is not 0."""
    return as_truth(value(view, expression))


def value(view: View, expression: Expression) -> Expr:
    """The number an expression stands for; a channel counts as its number."""
    span = expression.span
    match expression:
        case Constant(known):
            return number(known, span)
        case Reference():
            return (
                as_number(view, channel(view, expression), span) if is_channel(expression) else read(view, expression)
            )
        case Predefined():
            return predefined(view, expression)
        case Unary():
            return unary(view, expression)
        case Binary():
            return binary(view, expression)
        case Conditional(test, then, other):
            return Condition(truth(view, test), value(view, then), value(view, other), span)
        case Probe() | Poll():
            return probe(view, expression)
        case OfProcess() | RemoteLabel() | RemoteVariable():
            return of_process(view, expression)
        case Run():
            raise UserError(span, "run may only stand alone or as the whole right side of an assignment")
        case Temporal():
            raise UserError(span, "a temporal operator outside an ltl formula")


def unary(view: View, e: Unary) -> Expr:
    if e.operator == "!":
        return negation(truth(view, e.operand), e.span)
    sign = {"-": O.NEGATE, "~": O.BIT_NOT}[e.operator]
    if e.operator == "-" and isinstance(e.operand, Constant):
        return as_int(view, e, number(-e.operand.value, e.span))
    return as_int(view, e, Apply(sign, (value(view, e.operand),), e.span))


def as_int(view: View, e: Unary | Binary, exact: Expr) -> Expr:
    """The result of an operation cut to 32 bits, where it may need more."""
    return Wrap(exact, INT_BITS, True, e.span) if may_leave_int(e, view.placement.uses.wide) else exact


def binary(view: View, e: Binary) -> Expr:
    operator, left, right, span = e.operator, e.left, e.right, e.span
    if operator == "&&":
        return conjunction([truth(view, left), truth(view, right)], span)
    if operator == "||":
        return disjunction([truth(view, left), truth(view, right)], span)
    if operator in {"==", "!="} and is_channel(left) and is_channel(right):
        assert isinstance(left, Reference)
        assert isinstance(right, Reference)
        same = equal(channel(view, left), channel(view, right), span)
        return same if operator == "==" else negation(same, span)
    if operator in COMPARED:
        return compared(operator, side(view, left, right), side(view, right, left), span)
    a, b = value(view, left), value(view, right)
    match operator:
        case "<<" | ">>" if isinstance(left, Constant) and isinstance(right, Constant) and right.value >= INT_BITS:
            return number(0, span)
        case "<<" | ">>":
            return as_int(view, e, Apply(ARITHMETIC[operator], (a, shift_count(view, right, b)), span))
        case "/" | "%" if (folded := folded_division(operator, left, right)) is not None:
            return number(folded, span)
        case _:
            return as_int(view, e, Apply(ARITHMETIC[operator], (a, b), span))


def compared(operator: str, a: Expr, b: Expr, span: Span) -> Expr:
    match operator:
        case "==":
            return equal(a, b, span)
        case "!=":
            return negation(equal(a, b, span), span)
        case "<":
            return Apply(O.LESS, (a, b), span)
        case ">":
            return Apply(O.LESS, (b, a), span)
        case "<=":
            return Apply(O.LESS_EQUAL, (a, b), span)
        case _:
            return Apply(O.LESS_EQUAL, (b, a), span)


def side(view: View, e: Expression, other: Expression) -> Expr:
    """A side of a comparison.  ``x + 1 < 9`` is ``x < 8`` to a C compiler, which takes it that sums do not overflow: so
    where a constant is added or multiplied and the result compared with a constant, it is exact."""
    found = value(view, e)
    linear = isinstance(e, Unary) or (
        isinstance(e, Binary) and e.operator in {"+", "-", "*"} and is_constant(e.left) != is_constant(e.right)
    )
    return found.operand if isinstance(found, Wrap) and linear and is_constant(other) else found


def is_constant(e: Expression) -> bool:
    return all(isinstance(part, Constant | Unary | Binary) for part in walk(e))


def shift_count(view: View, right: Expression, count: Expr) -> Expr:
    """The machine looks at five bits of the count."""
    low, high = interval(right, view.placement.uses.wide)
    if low >= 0 and high < INT_BITS:
        return count
    return Apply(O.BIT_AND, (count, number(INT_BITS - 1)), count.span)


def folded_division(operator: str, left: Expression, right: Expression) -> int | None:
    """What C compilers make of a division whose result does not depend on the divisor, as if that could not be 0."""
    if right == Constant(0) or not all(isinstance(e, Constant | Reference | Unary | Binary) for e in walk(right)):
        return None
    if any(isinstance(e, Reference) and any(step.index is not None for step in e.path) for e in walk(right)):
        return None
    if left == Constant(0):
        return 0
    if left == right and not isinstance(left, Constant):
        return 1 if operator == "/" else 0
    return None


def predefined(view: View, expression: Predefined) -> Expr:
    match expression.name:
        case "_pid":
            return own_pid(view, expression.span)
        case "_nr_pr":
            return process_count(view.placement, expression.span)
        case "_last":
            return Read(LAST, span=expression.span)
        case "_priority":
            return Read(PRIORITY, (view.me,), span=expression.span)
        case "timeout":
            return view.timeout
        case "np_":  # pan takes it for false while nothing but the claim moves
            return FALSE if view.stopped else negation(at_progress(view.placement))
        case name:
            raise UserError(expression.span, f"{name} is not supported")


def at_progress(placement: Placement) -> Expr:
    """Some process is at a label that begins with progress."""
    return at_states(placement, {name: flow.progresses for name, flow in placement.flows.items()})


def at_states(placement: Placement, states: dict[str, frozenset[int]]) -> Expr:
    """Some process is in one of the states of its proctype."""
    parts: list[Expr] = []
    for name, slots in placement.slots.items():
        wanted = sorted(states[name] & placement.flows[name].edges.keys())
        if slots and wanted:
            pc = Read(pc_name(name), (Bound("p"),))
            body = disjunction([equal(pc, number(state)) for state in wanted])
            parts.append(Quantify(Quantifier.SOME, Parameter("p", Atoms(slots)), body))
    return disjunction(parts)


def place(view: View, reference: Reference) -> Read:
    """The place a reference names."""
    leaf = view.placement.leaf_of(reference)
    owners = () if leaf.variables[0].owner is None else (view.me,)
    indices = tuple(
        number(0, reference.span) if step.index is None else value(view, step.index)
        for step in reference.path
        if step.variable.length is not None
    )
    return Read(leaf.name, owners, indices, reference.span)


def read(view: View, reference: Reference) -> Expr:
    if not view.placement.is_hidden(reference.variable):
        return place(view, reference)
    zero, index, length = number(0, reference.span), reference.path[-1].index, reference.last.length
    if index is None or length is None:
        return zero  # only printing looks at it
    return Condition(index_inside(value(view, index), length, reference.span), zero, no_value(reference.span))


def index_inside(index: Expr, length: int, span: Span) -> Expr:
    """Whether an index is in range; written out for short arrays, since an order would look inside an identity."""
    if length <= MOST_LISTED:
        return disjunction([equal(index, number(k)) for k in range(length)], span)
    return conjunction([Apply(O.LESS_EQUAL, (number(0), index)), Apply(O.LESS, (index, number(length)))], span)


def no_value(span: Span) -> Expr:
    """What cannot be computed."""
    return NumberOf(atom(NONE), (), span=span)


def channel(view: View, reference: Reference) -> Expr:
    """The channel a reference names, as an atom."""
    leaf = view.placement.leaf_of(reference)
    if not is_fixed_channel(view.placement, leaf):
        return place(view, reference)
    return home(view, leaf, place(view, reference).indices, reference.span)


def converted(view: View, expression: Expression, data: DataType) -> Expr:
    """The value of an expression as it is stored in a place of this type."""
    if data.kind is Kind.CHAN:
        if is_channel(expression):
            assert isinstance(expression, Reference)
            return channel(view, expression)
        return as_channel(view, value(view, expression), expression.span)
    return cut(value(view, expression), data, view.placement)


def probe(view: View, expression: Probe | Poll) -> Expr:
    """len, full, empty, polls: asked of each kind of channel it may be."""
    where = channel(view, expression.channel)
    answers = [(shape, answer(view, expression, shape, where)) for shape in possible_shapes(view, where)]
    looks = bool(answers) and (answers[-1][0].capacity > 0 or isinstance(where, Literal))  # in vain, if it is not there
    found = answers.pop()[1] if looks else no_value(expression.span)
    for shape, one in reversed(answers):
        found = Condition(belongs(where, shape.atoms), one, found, expression.span)
    return found


def may_be_missing(where: Expr) -> bool:
    return not isinstance(where, Literal) and not hasattr(where, "numbering")


def answer(view: View, expression: Probe | Poll, shape: Shape, where: Expr) -> Expr:
    capacity = shape.capacity
    span = expression.span
    if isinstance(expression, Poll):
        return poll(view, expression, shape, where)
    if capacity == 0:  # a rendezvous channel is empty in every state that can be looked at
        return number({"len": 0, "full": 0, "nfull": 1, "empty": 1, "nempty": 0}[expression.operator], span)
    size = Apply(O.SIZE, (contents(shape, where, span),), span)
    match expression.operator:
        case "len":
            return size
        case "full":
            return equal(size, number(capacity), span)
        case "nfull":
            return Apply(O.LESS, (size, number(capacity)), span)
        case "empty":
            return equal(size, number(0), span)
        case _:
            return Apply(O.LESS, (number(0), size), span)


def poll(view: View, expression: Poll, shape: Shape, where: Expr) -> Expr:
    """Whether a receive could run now; SPIN's verifier reports an error if the channel is a rendezvous."""
    capacity = shape.capacity
    if capacity == 0:
        return no_value(expression.span)
    queue = contents(shape, where, expression.span)
    size = Apply(O.SIZE, (queue,), expression.span)
    if not expression.random or not any(matches_something(p) for p in expression.patterns):
        first = Apply(O.FIRST, (queue,), expression.span)
        filled = Apply(O.LESS, (number(0), size), expression.span)
        return conjunction([filled, fits(view, expression.patterns, first, shape)], expression.span)
    k = Bound("k")
    known = [value(view, p.value) for p in expression.patterns if isinstance(p, Eval)]  # even if the channel is empty
    message = Apply(O.ELEMENT, (queue, k), expression.span)
    inside = Apply(O.LESS, (k, size), expression.span)
    body = conjunction([inside, fits(view, expression.patterns, message, shape)])
    found = Quantify(Quantifier.SOME, Parameter("k", Interval(0, capacity - 1)), body, span=expression.span)
    return conjunction([*(equal(e, e) for e in known if not isinstance(e, Literal)), found], expression.span)


def of_process(view: View, expression: OfProcess | RemoteLabel | RemoteVariable) -> Expr:
    match expression:
        case OfProcess("enabled", process):
            return enabled(view, value(view, process), expression.span)
        case OfProcess("pc_value", process):
            return pc_value(view, value(view, process), expression.span)
        case RemoteLabel():
            return remote_label(view, expression)
        case RemoteVariable():
            return remote_variable(view, expression)
        case OfProcess(_, process):
            return priority_of(view, value(view, process), expression.span)


def enabled(view: View, pid: Expr, span: Span) -> Expr:
    parts = [
        Quantify(
            Quantifier.SOME,
            Parameter("p", Atoms(slots)),
            conjunction(
                [
                    is_alive(name, Bound("p")),
                    equal(pid_of(view.placement, name, Bound("p"), span), pid),
                    Enabled(Bound("p"), span),
                ]
            ),
            span=span,
        )
        for name, slots in view.placement.slots.items()
        if slots
    ]
    return disjunction(list(parts), span)


def pc_value(view: View, pid: Expr, span: Span) -> Expr:
    found: Expr = number(0, span)
    for name, slots in view.placement.slots.items():
        for slot in slots:
            here = equal(pid_of(view.placement, name, atom(slot), span), pid, span)
            pc = Read(pc_name(name), (atom(slot),), span=span)
            alive = negation(equal(pc, number(0)))
            found = Condition(conjunction([alive, here]), pc, found, span)
    return found


def priority_of(view: View, pid: Expr, span: Span) -> Expr:
    """The priority of the process with a number, 0 if there is none."""
    found: Expr = number(0, span)
    for name, slots in view.placement.slots.items():
        for slot in slots:
            here = equal(pid_of(view.placement, name, atom(slot), span), pid, span)
            priority = Read(PRIORITY, (atom(slot),), span=span)
            found = Condition(conjunction([negation(equal(priority, number(0))), here]), priority, found, span)
    return found


def remote_label(view: View, expression: RemoteLabel) -> Expr:
    name, span = expression.proctype, expression.span
    states = view.placement.flows[name].labels[expression.label][:1]
    slots = view.placement.slots[name]
    if not slots:
        return FALSE

    def at_label(process: Expr) -> Expr:
        pc = Read(pc_name(name), (process,), span=span)
        return disjunction([equal(pc, number(state), span) for state in states], span)

    if expression.process is None:
        return at_label(atom(slots[0], span))
    pid = value(view, expression.process)
    here = equal(pid_of(view.placement, name, Bound("p"), span), pid, span)
    body = conjunction([at_label(Bound("p")), here], span)
    return Quantify(Quantifier.SOME, Parameter("p", Atoms(slots)), body, span=span)


def remote_variable(view: View, expression: RemoteVariable) -> Expr:
    name, span = expression.proctype, expression.span
    slots = view.placement.slots[name]
    proctype = view.placement.flows[name].proctype
    indices = () if expression.index is None else (value(view, expression.index),)

    def seen(process: Expr) -> Expr:
        if expression.name in {"_p", "_pid"}:
            return (
                Read(pc_name(name), (process,), span=span)
                if expression.name == "_p"
                else pid_of(view.placement, name, process, span)
            )
        variable: Variable = next(v for v in proctype.variables if v.name == expression.name)
        leaf = view.placement.leaf((variable,))
        if is_fixed_channel(view.placement, leaf):
            return as_number(view, home(View(view.placement, name, process), leaf, indices, span), span)
        found = Read(leaf.name, (process,), indices, span)
        return as_number(view, found, span) if variable.type.kind is Kind.CHAN else found

    if expression.process is None:
        return seen(atom(slots[0], span)) if slots else number(0, span)
    pid = value(view, expression.process)
    result: Expr = number(0, span)
    for slot in slots:
        here = conjunction(
            [is_alive(name, atom(slot)), equal(pid_of(view.placement, name, atom(slot), span), pid, span)]
        )
        result = Condition(here, seen(atom(slot)), result, span)
    return result


def field_equals(view: View, pattern: Pattern, message: Expr, k: int, data: DataType) -> Expr:
    """Whether field k of a message equals a constant or an eval()."""
    part = Part(message, k, pattern.span)
    wanted: Expression = pattern.value if isinstance(pattern, Eval) else pattern
    if data.kind is not Kind.CHAN:
        return equal(part, value(view, wanted), pattern.span)
    if is_channel(wanted):
        assert isinstance(wanted, Reference)
        return equal(part, channel(view, wanted), pattern.span)
    return equal(as_number(view, part, pattern.span), value(view, wanted), pattern.span)


def fits(view: View, patterns: tuple[Pattern, ...], message: Expr, shape: Shape) -> Expr:
    """Whether a message has the constants and eval() values of the patterns."""
    parts = [
        field_equals(view, pattern, message, k, shape.fields[k])
        for k, pattern in enumerate(patterns)
        if matches_something(pattern) and k < len(shape.fields)
    ]
    return conjunction(parts)
