"""What a table says, as expressions: one per output, with the choices of a nondeterministic table made explicit.

A table that leaves a choice gets a number c as an extra input.  Its k-th possible answer is taken when c = k and the
rows allow it; when they do not, the first answer that is allowed.  So c is free of any condition and every allowed
answer is reached, which needs no guard and leaves no state without a successor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from quorbit.model.system.expression import FALSE, TRUE, Apply, Condition, Expr, Operator, equal, negation, number
from quorbit.netlists.covers import is_ambiguous
from quorbit.netlists.netlist import Among, Anything, Entry, Netlist, Row, Same, Table
from quorbit.source.errors import UserError

__all__ = ["answers", "both", "cascade", "either", "is_among", "is_copy", "opposite", "outputs_of", "parity_of"]

MOST_ANSWERS = 4096
Value = Callable[[str], Expr]
Answer = tuple[Entry, ...]


def answers(netlist: Netlist, table: Table) -> list[Answer]:
    """The different answers of a table that leaves a choice; [] for one that leaves none."""
    if not is_ambiguous(netlist, table):
        return []
    widths = [len(netlist.domain(net)) for net in table.outputs]
    found: dict[Answer, None] = {}
    for outputs in [row.outputs for row in table.rows] + ([table.default] if table.default else []):
        found.update(dict.fromkeys(single_answers(outputs, widths)))
        if len(found) > MOST_ANSWERS:
            raise UserError(
                table.span, f"the table of {table.outputs[0]} has more than {MOST_ANSWERS} different answers"
            )
    return list(found)


def single_answers(outputs: Answer, widths: Sequence[int]) -> list[Answer]:
    """The answers a row allows, one value each."""
    return list(product(*(members(entry, width) for entry, width in zip(outputs, widths, strict=True))))


def members(entry: Entry, width: int) -> list[Entry]:
    match entry:
        case Same():
            return [entry]
        case Among(values):
            return [Among((k,)) for k in values]
        case Anything():
            return [Among((k,)) for k in range(width)]


def outputs_of(netlist: Netlist, table: Table, value: Value, choice: Expr | None) -> list[Expr]:
    """The value of each output; ``choice`` is the extra input of a table that leaves one."""
    if choice is None:
        return [output(netlist, table, j, value) for j in range(len(table.outputs))]
    options = answers(netlist, table)
    if not table.inputs and options == [(Among((k,)),) for k in range(len(netlist.domain(table.outputs[0])))]:
        return [choice]  # may be anything, whatever the circuit does
    widths = [len(netlist.domain(net)) for net in table.outputs]
    allowed = [condition_of(netlist, table, option, widths, value) for option in options]
    taken = [both([equal(choice, number(k)), a]) for k, a in enumerate(allowed)]
    return [
        cascade([*zip(taken, values, strict=True), *zip(allowed[:-1], values, strict=False)], values[-1])
        for values in ([entry_value(option[j], value) for option in options] for j in range(len(table.outputs)))
    ]


def condition_of(netlist: Netlist, table: Table, option: Answer, widths: Sequence[int], value: Value) -> Expr:
    """When the rows allow an answer."""
    rows = [row for row in table.rows if option in single_answers(row.outputs, widths)]
    conditions = [row_condition(netlist, table, row, value) for row in rows]
    if table.default is not None and option in single_answers(table.default, widths):
        conditions.append(opposite(any_row(netlist, table, table.rows, value)))
    return either(conditions)


def output(netlist: Netlist, table: Table, j: int, value: Value) -> Expr:
    """Output j of a table without choice."""
    if is_copy(netlist, table):
        return value(table.inputs[0])
    groups: dict[Entry, list[Row]] = {}
    for row in table.rows:
        groups.setdefault(row.outputs[j], []).append(row)
    default = table.default[j] if table.default is not None else None
    if is_truth(netlist, table.outputs[j]):
        if (odd := parity_of(netlist, table)) is not None:
            whole = parity([value(net) for net in table.inputs])
            return whole if odd else opposite(whole)
        return truth_output(netlist, table, groups, default, value)
    cases = [(any_row(netlist, table, rows, value), entry_value(entry, value)) for entry, rows in groups.items()]
    if default is not None:
        return cascade(cases, entry_value(default, value))
    return cascade(cases[:-1], cases[-1][1])


def is_copy(netlist: Netlist, table: Table) -> bool:
    """Whether a table hands its only input on."""
    if len(table.inputs) != 1 or len(table.outputs) != 1 or table.default is not None:
        return False
    if netlist.domain(table.inputs[0]) != netlist.domain(table.outputs[0]):
        return False
    same = Same(table.inputs[0])
    return all(row.outputs[0] in (row.inputs[0], same) and is_fixed(row, same) for row in table.rows)


def is_fixed(row: Row, same: Same) -> bool:
    entry = row.inputs[0]
    return row.outputs[0] == same or (isinstance(entry, Among) and len(entry.values) == 1)


def truth_output(
    netlist: Netlist, table: Table, groups: dict[Entry, list[Row]], default: Entry | None, value: Value
) -> Expr:
    """A boolean output as a disjunction or a negated one, so that its symmetries show."""
    one, zero = any_row(netlist, table, groups.get(Among((1,)), []), value), Among((0,))
    copies = [
        both([any_row(netlist, table, rows, value), value(entry.net)])
        for entry, rows in groups.items()
        if isinstance(entry, Same)
    ]
    if default == Among((1,)) and not copies:
        return opposite(any_row(netlist, table, groups.get(zero, []), value))
    if default == Among((1,)) or isinstance(default, Same):
        rest = opposite(any_row(netlist, table, table.rows, value))
        copies.append(both([rest, entry_value(default, value)]))
    return either([one, *copies])


def both(operands: Sequence[Expr]) -> Expr:
    """A conjunction of numbers 0 and 1.  Not the logical one: that looks at its operands from left to right, and their
    order would count where one of them might have no value."""
    return joined(Operator.BIT_AND, operands, TRUE, FALSE)


def either(operands: Sequence[Expr]) -> Expr:
    return joined(Operator.BIT_OR, operands, FALSE, TRUE)


def joined(operator: Operator, operands: Sequence[Expr], neutral: Expr, absorbing: Expr) -> Expr:
    flat = [f for e in operands for f in (e.operands if isinstance(e, Apply) and e.operator is operator else (e,))]
    kept = list({id(e): e for e in flat if e != neutral}.values())  # by identity: to hash an expression costs its size
    if absorbing in kept:
        return absorbing
    return neutral if not kept else kept[0] if len(kept) == 1 else Apply(operator, tuple(kept))


def opposite(e: Expr) -> Expr:
    """The negation of a number 0 or 1, pushed inwards, so that however a chain of gates is written it is one."""
    match e:
        case Apply(Operator.NOT, (operand,)):
            return operand
        case Apply(Operator.BIT_AND, operands):
            return either([opposite(operand) for operand in operands])
        case Apply(Operator.BIT_OR, operands):
            return both([opposite(operand) for operand in operands])
    return negation(e)


def parity(operands: Sequence[Expr]) -> Expr:
    """Whether an odd number of them is 1; negations of operands become one of the whole."""
    flat: list[Expr] = []
    odd = False
    for e in operands:
        if isinstance(e, Apply) and e.operator is Operator.NOT:
            odd, e = not odd, e.operands[0]
        flat += e.operands if isinstance(e, Apply) and e.operator is Operator.BIT_XOR else (e,)
    whole = Apply(Operator.BIT_XOR, tuple(flat))
    return negation(whole) if odd else whole


def parity_of(netlist: Netlist, table: Table) -> bool | None:
    """True for an exclusive or of two bits, False for its opposite, None for another table."""
    if len(table.inputs) != 2 or len(set(table.inputs)) != 2 or not all(is_truth(netlist, n) for n in table.inputs):
        return None
    entries = [e for row in table.rows for e in (*row.inputs, *row.outputs)] + list(table.default or ())
    if len(table.outputs) != 1 or any(isinstance(e, Same) for e in entries):
        return None
    answers = [answer_at(table, values) for values in ((0, 0), (0, 1), (1, 0), (1, 1))]
    return True if answers == [0, 1, 1, 0] else False if answers == [1, 0, 0, 1] else None


def answer_at(table: Table, values: Sequence[int]) -> int | None:
    """The only answer of a table to some inputs."""
    rows = [
        row.outputs[0]
        for row in table.rows
        if all(
            isinstance(e, Anything) or (isinstance(e, Among) and v in e.values)
            for e, v in zip(row.inputs, values, strict=True)
        )
    ]
    if not rows and table.default is not None:
        rows = [table.default[0]]
    found = {e.values if isinstance(e, Among) else None for e in rows}
    single = next(iter(found)) if len(found) == 1 else None
    return single[0] if single is not None and len(single) == 1 else None


def is_truth(netlist: Netlist, net: str) -> bool:
    return len(netlist.domain(net)) == 2


def cascade(cases: Sequence[tuple[Expr, Expr]], last: Expr) -> Expr:
    """The value of the first case whose condition holds, else the last."""
    result = last
    for condition, then in reversed(cases):
        if condition == TRUE:
            result = then
        elif condition != FALSE and then != result:
            result = Condition(condition, then, result)
    return result


def any_row(netlist: Netlist, table: Table, rows: Sequence[Row], value: Value) -> Expr:
    return either([row_condition(netlist, table, row, value) for row in rows])


def row_condition(netlist: Netlist, table: Table, row: Row, value: Value) -> Expr:
    columns = zip(table.inputs, row.inputs, strict=True)
    return both([entry_condition(netlist, net, entry, value) for net, entry in columns])


def entry_condition(netlist: Netlist, net: str, entry: Entry, value: Value) -> Expr:
    match entry:
        case Anything():
            return TRUE
        case Same(other):
            return equal(value(net), value(other))
        case Among(values):
            return is_among(value(net), values, len(netlist.domain(net)))


def is_among(e: Expr, values: Sequence[int], size: int) -> Expr:
    """Whether a value is one of some; the shorter of two ways to say it."""
    if len(values) == size:
        return TRUE
    if not values:
        return FALSE
    if size == 2:
        return e if values[0] == 1 else opposite(e)
    if 2 * len(values) > size:
        return opposite(is_among(e, [k for k in range(size) if k not in values], size))
    return either([Apply(Operator.EQUAL, (e, number(k))) for k in values])


def entry_value(entry: Entry, value: Value) -> Expr:
    match entry:
        case Same(net):
            return value(net)
        case Among(values):
            return number(values[0])
        case Anything():
            return number(0)
