"""The meaning of a System whose definitions are worth sharing: each is evaluated once per state and parameters.

The wires of a circuit read each other many times; evaluating them anew at every use takes time exponential in their
depth.  They are evaluated in the order in which they are listed, so that none is entered from within another.
Requires: a definition is listed after those it uses, and no quantifier binds what a definition reads.
"""

from __future__ import annotations

from typing import Any

from quorbit.model.meaning.evaluate import Env, Evaluate, Fault, Meaning
from quorbit.model.system.expression import Literal, Use
from quorbit.model.system.system import State, System

__all__ = ["SharingMeaning"]


class SharingMeaning(Meaning):
    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.at: tuple[State, Env] | None = None  # what the shared values are for
        self.shared: dict[tuple[str, tuple[Any, ...]], Any] = {}

    def compile_use(self, e: Use) -> Evaluate:
        plain = super().compile_use(e)
        if not all(isinstance(owner, Literal) for owner in e.owners):
            return plain
        key = (e.definition, tuple(owner.value for owner in e.owners if isinstance(owner, Literal)))

        def evaluate(s: State, env: Env) -> Any:
            self.share(s, env)
            return self.shared[key] if key in self.shared else plain(s, env)

        return evaluate

    def share(self, s: State, env: Env) -> None:
        if self.at is not None and self.at[0] is s and self.at[1] is env:
            return
        self.at, self.shared = (s, env), {}
        for definition in self.system.definitions:
            try:
                value = self.value_of(definition.body)(s, env)
            except (Fault, KeyError):  # it reads inputs that are not given here; who uses it will say so
                continue
            self.shared[definition.name, definition.owners] = value
