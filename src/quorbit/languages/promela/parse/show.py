"""Statements and expressions as text again: as they stand after preprocessing, with the arguments of inlines in."""

from __future__ import annotations

from collections.abc import Sequence as Items

from quorbit.languages.promela.parse.expressions import POWER
from quorbit.languages.promela.parse.program import (
    Assertion,
    Assignment,
    Binary,
    Break,
    Conditional,
    Constant,
    Else,
    End,
    Eval,
    Expression,
    Goto,
    Guard,
    Labelled,
    Nothing,
    OfProcess,
    Pattern,
    Poll,
    Predefined,
    Print,
    Probe,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Selection,
    Send,
    Sequence,
    SetPriority,
    Statement,
    Temporal,
    Unary,
    Unless,
)

__all__ = ["show_statement"]

WORDS = {"true": 1, "false": 0, "skip": 1}
UNARY_POWER = 14


def show_statement(statement: Statement) -> str:
    match statement:
        case Assignment(target, value, step=True):
            assert isinstance(value, Binary)
            return show(target) + 2 * value.operator
        case Assignment(target, value):
            return f"{show(target)} = {show(value)}"
        case SetPriority(process, priority, own=own):
            return f"_priority = {show(priority)}" if own else f"set_priority({show(process)}, {show(priority)})"
        case Guard(Constant() as constant):
            return "skip" if constant.value == 1 and constant.span.text not in WORDS else show(constant)
        case Guard(condition):
            return show(condition)
        case Assertion(condition):
            return f"assert({show(condition)})"
        case Print("", (argument,)):
            return f"printm({show(argument)})"
        case Print(text, arguments):
            return f"printf({', '.join([text, *map(show, arguments)])})"
        case Send(channel, arguments, is_sorted):
            return f"{show(channel)}{'!!' if is_sorted else '!'}{listed(arguments)}"
        case Receive(channel, patterns, random, keep):
            inside = f"<{listed(patterns)}>" if keep else listed(patterns)
            return f"{show(channel)}{'??' if random else '?'}{inside}"
        case Goto(label):
            return f"goto {label}"
        case Else() | Break():
            return type(statement).__name__.lower()
        case Nothing(why):
            return why
        case End():
            return "end"
        case Labelled(body=body) | Unless(body=body):
            return show_statement(body)
        case Selection(loop=loop):
            return "if" if loop is None else "do"
        case Sequence(how):
            return how or "{ ... }"


def listed(parts: Items[Expression | Pattern]) -> str:
    return ", ".join(map(show, parts))


def show(e: Expression | Pattern, least: int = 0) -> str:
    """An expression; in brackets if it binds less strongly than ``least``."""
    match e:
        case Constant(value, span, mtype):
            written = span.text
            is_written = WORDS.get(written) == value or (len(written) > 2 and written[0] == written[-1] == "'")
            return mtype or (written if is_written else str(value))
        case Reference(path):
            return ".".join(s.variable.name + ("" if s.index is None else f"[{show(s.index)}]") for s in path)
        case Predefined(name):
            return name
        case Unary(operator, operand):
            return operator + show(operand, UNARY_POWER)
        case Binary(operator, left, right):
            power = POWER.get(operator, 1)
            chained = operator in ("&&", "||")
            return bracketed(
                f"{show(left, power)} {operator} {show(right, power if chained else power + 1)}", power < least
            )
        case Conditional(test, then, other):
            return f"({show(test)} -> {show(then)} : {show(other)})"
        case Run(proctype, arguments):
            return f"run {proctype}({listed(arguments)})"
        case Probe(operator, channel):
            return f"{operator}({show(channel)})"
        case Poll(channel, patterns, random):
            return f"{show(channel)}{'??' if random else '?'}[{listed(patterns)}]"
        case OfProcess(operator, process):
            return f"{operator}({show(process)})"
        case RemoteLabel(proctype, process, label):
            return f"{proctype}{numbered(process)}@{label}"
        case RemoteVariable(proctype, process, name, index):
            return f"{proctype}{numbered(process)}:{name}{numbered(index)}"
        case Temporal(operator, operands):
            parts = [show(operand, UNARY_POWER) for operand in operands]
            return f"{operator} {parts[0]}" if len(parts) == 1 else bracketed(f" {operator} ".join(parts), least > 0)
        case Eval(value):
            return f"eval({show(value)})"


def numbered(e: Expression | None) -> str:
    return "" if e is None else f"[{show(e)}]"


def bracketed(text: str, needed: bool) -> str:
    return f"({text})" if needed else text
