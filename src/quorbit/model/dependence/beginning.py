"""The command that begins: in many models one process creates all others, and nothing else can happen before.

If only one command can run in the initial states, and it asks for a value of a place that it changes and that no
command ever brings back, then it runs in initial states only: never in the same state as another command, and never in
the middle of an atomic section.
"""

from __future__ import annotations

from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.chains import pins_of
from quorbit.model.dependence.split import flat_conjuncts
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.system.command import Together, assignments_in, parameters_of
from quorbit.model.system.expression import Literal
from quorbit.model.system.system import System
from quorbit.model.system.types import Value


def beginning(reader: Reader) -> int | None:
    """The number of that command, if there is one."""
    system, meaning = reader.system, Meaning(reader.system)
    if any(command.parameters for command in system.start):
        return None  # there may be very many initial states
    found: set[int] = set()
    for s in meaning.initial_states():
        try:
            found.update(firing.command for firing in meaning.enabled(s))
        except Fault:
            return None
    if len(found) != 1:
        return None
    (first,) = found
    pins = pins_of(reader, tuple(flat_conjuncts(system.commands[first].guard)))
    once = any(never_again(reader, i, value, first) for i, values in pins.items() for value in values)
    return first if once else None


def never_again(reader: Reader, i: int, value: Value, first: int) -> bool:
    """Whether the first command takes this value from the place and nothing gives it back."""
    system = reader.system
    return writes_others(reader, system, first, i, value) is True and all(
        writes_others(reader, system, c, i, value) is not False for c in range(len(system.commands))
    )


def writes_others(reader: Reader, system: System, c: int, i: int, value: Value) -> bool | None:
    """Whether a command gives the place another value; False: perhaps this one, None: it does not write it."""
    command, answer = system.commands[c], None
    domains = {p.name: p.domain for p in parameters_of(command)}
    for step in command.effect:
        for a in assignments_in((step,)):
            if i in reader.targets(a.target, domains):
                is_other = isinstance(a.value, Literal) and a.value.value != value
                is_sure = isinstance(step, Together) and reader.static(a.target) == i
                answer = is_other and is_sure and answer is not False
    return answer
