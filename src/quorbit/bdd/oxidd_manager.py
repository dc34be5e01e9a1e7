"""OxiDD behind the interface: complement-edge BDDs, fast, with a fixed variable order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quorbit.bdd.function import Manager, Substitution, Variables
from quorbit.source.compiled_part import load_compiled


def compiled_part() -> Any:
    """Without the package, which asks for its own version when it is loaded; that takes longer than a small circuit."""
    if (compiled := load_compiled("oxidd", "_oxidd")) is not None:
        return compiled
    from oxidd import _oxidd

    return _oxidd


OXIDD = compiled_part()


class OxiddManager(Manager):
    name = "oxidd"

    def __init__(self, nodes: int = 1 << 22, cache: int = 1 << 20, threads: int = 1) -> None:
        self.diagrams = OXIDD.BCDDManager(nodes, cache, threads)
        self.true = self.diagrams.true()
        self.false = self.diagrams.false()

    def add_variables(self, count: int) -> range:
        added: range = self.diagrams.add_vars(count)
        return added

    def variable(self, number: int) -> Any:
        return self.diagrams.var(number)

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return condition.ite(then, otherwise)

    def equivalent(self, f: Any, g: Any) -> Any:
        return f.equiv(g)

    def variables(self, numbers: Iterable[int]) -> Variables:
        chosen = tuple(sorted(set(numbers)))
        cube = self.true
        for v in reversed(chosen):
            cube = self.variable(v) & cube
        return Variables(chosen, cube)

    def exists(self, f: Any, over: Variables) -> Any:
        return f.exists(over.prepared) if over.numbers else f

    def and_exists(self, f: Any, g: Any, over: Variables) -> Any:
        return f.apply_exists(OXIDD.BooleanOperator.AND, g, over.prepared) if over.numbers else f & g

    def substitution(self, replacements: Mapping[int, Any]) -> Substitution:
        return Substitution(OXIDD.BCDDFunction.make_substitution(list(replacements.items())), not replacements)

    def substitute(self, f: Any, by: Substitution) -> Any:
        return f if by.is_identity else f.substitute(by.prepared)

    def count(self, f: Any, variables: int) -> int:
        return int(f.sat_count(variables))

    def size(self, f: Any) -> int:
        return int(f.node_count())

    def support(self, f: Any) -> tuple[int, ...]:
        found: set[int] = set()
        seen = {f}
        stack = [f]
        while stack:
            g = stack.pop()
            parts = g.cofactors()
            if parts is None:
                continue
            found.add(g.node_var())
            for part in parts:
                if part not in seen and ~part not in seen:
                    seen.add(part)
                    stack.append(part)
        return tuple(sorted(found))

    def nodes(self) -> int:
        return int(self.diagrams.num_inner_nodes())
