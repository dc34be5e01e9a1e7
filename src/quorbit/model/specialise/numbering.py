"""Numbers of atoms where they are written in other words.

A number plus or minus a constant (`_pid - 1`) is another numbering of the same atoms; a constant that is different for
every process (`run p(0); run p(1)`) numbers the processes.
"""

from __future__ import annotations

from quorbit.model.system.command import Command
from quorbit.model.system.expression import Apply, Atoms, Bound, Expr, Literal, NumberOf, Operator, Wrap
from quorbit.model.system.system import System
from quorbit.model.system.types import NONE, Number
from quorbit.model.system.walk import map_command, map_parts
from quorbit.source.frozen import replace

__all__ = ["fold_numbers", "numberings"]


def fold_numbers(system: System) -> System:
    """The System with shifted numbers of atoms as ``NumberOf``."""
    return replace(system, commands=tuple(map(fold_command, system.commands)))


def fold_command(command: Command) -> Command:
    domains = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}

    def change(e: Expr) -> Expr:
        return numbered(map_parts(e, change), domains)

    return map_command(command, change)


def numbered(e: Expr, domains: dict[str, tuple[int, ...]]) -> Expr:
    match e:
        case NumberOf(Bound(name)) if name in domains:
            return limited(e, domains[name])
        case Apply(Operator.ADD, (NumberOf() as n, Literal(int(k)))):
            return shifted(n, k)
        case Apply(Operator.ADD, (Literal(int(k)), NumberOf() as n)):
            return shifted(n, k)
        case Apply(Operator.SUBTRACT, (NumberOf() as n, Literal(int(k)))):
            return shifted(n, -k)
        case Wrap(NumberOf() as n, bits, signed) if fits(n, bits, signed):
            return n
        case _:
            return e


def limited(n: NumberOf, atoms: tuple[int, ...]) -> NumberOf:
    """The numbering without atoms that cannot be meant."""
    numbers = [n.first + k for k, a in enumerate(n.numbering) if a in atoms and a != NONE]
    if not numbers:
        return n
    low, high = min(numbers), max(numbers)
    kept = tuple(a if a in atoms else NONE for a in n.numbering[low - n.first : high - n.first + 1])
    return n if kept == n.numbering else NumberOf(n.atom, kept, low, n.none, n.span)


def shifted(n: NumberOf, k: int) -> NumberOf:
    return NumberOf(n.atom, n.numbering, n.first + k, None if n.none is None else n.none + k, n.span)


def fits(n: NumberOf, bits: int, signed: bool) -> bool:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return low <= n.first and n.first + len(n.numbering) - 1 <= high and (n.none is None or low <= n.none <= high)


def numberings(system: System) -> dict[str, dict[int, int]]:
    """The definitions that give each of several owners a number of its own: number -> owner."""
    values: dict[str, dict[int, int] | None] = {}
    for d in system.definitions:
        known = values.setdefault(d.name, {})
        if known is None:
            continue
        match d.body, d.owners:
            case Literal(int(n), Number(names=())), (owner,) if owner != NONE and n not in known:
                known[n] = owner
            case _:
                values[d.name] = None
    return {name: known for name, known in values.items() if known is not None and len(known) > 1}
