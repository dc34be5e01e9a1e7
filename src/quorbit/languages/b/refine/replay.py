"""A run of a pair once more, on both machines, with the reference meaning of B, which shares nothing with the product.

Every step must be one of the concrete machine and one of the abstract machine (or none, for a new event); the last one
must be one of the concrete machine that no abstract step matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quorbit.languages.b.eventb.build import primed
from quorbit.languages.b.lower.loops import STEP
from quorbit.languages.b.meaning.evaluator import Env, IllDefined
from quorbit.languages.b.meaning.execute import Changes, Frame
from quorbit.languages.b.meaning.explore import SETUP, START, Animator
from quorbit.languages.b.meaning.query import type_formula
from quorbit.languages.b.refine.joint import Joint, Match, Pairing
from quorbit.languages.b.refine.load import read_pair
from quorbit.languages.b.refine.product import labels_of, unmatched
from quorbit.languages.b.syntax.formulas import Formula
from quorbit.languages.b.types.typed import TypedMachine, TypedOperation
from quorbit.languages.b.types.types import INTEGER
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Trace

__all__ = ["confirm"]


def confirm(path: Path, options: LoadOptions, system: System, trace: Trace) -> str:
    """What is wrong with a run that is said to show that a refinement fails; "" if nothing is."""
    joint, machine, universe = read_pair(path, options)
    replay = Replay(joint, machine, Animator(machine, universe), system)
    before = trace.start
    for k, step in enumerate(trace.steps, 1):
        last = k == len(trace.steps)
        if reason := replay.step(before, step.firings, step.state, last):
            return f"step {k}: {reason}"
        before = step.state
    return ""


class Replay:
    def __init__(self, joint: Joint, machine: TypedMachine, animator: Animator, system: System) -> None:
        self.joint, self.machine, self.animator, self.system = joint, machine, animator, system
        self.pairings = {label: p for p in joint.pairings for label in (*dict(labels_of(p)), unmatched(p))}
        self.matches = {
            label: m for p in joint.pairings for (label, _), m in zip(labels_of(p), p.matches, strict=False)
        }
        self.own = [v.name for v in joint.concrete_variables]
        self.theirs = [v.name for v in joint.abstract_variables]

    def env(self, s: State) -> Env:
        """The values of all names in a state of the product."""
        found = dict(self.animator.globals)
        for place, value in zip(self.system.places, s, strict=True):
            found[place.address[0]] = value
        for c in self.machine.constants:
            if c.name not in found:
                found.update(self.fixed())
                break
        return found

    def fixed(self) -> Env:
        """Constants that have one value; those that are places are in the state."""
        for values in self.animator.setups():
            return {
                c.name: v for c, v in zip(self.machine.constants, values, strict=True) if c.name not in self.placed()
            }
        return {}

    def placed(self) -> frozenset[str]:
        return frozenset(p.address[0] for p in self.system.places)

    def step(self, before: State, firings: tuple[Firing, ...], after: State, last: bool) -> str:
        command = self.system.commands[firings[-1].command]
        if command.label == SETUP:
            return ""
        old, new = self.env(before), self.env(after)
        is_start = command.label == START
        pairing = Pairing(START, (self.joint.start,)) if is_start else self.pairings[command.label.partition(" (of")[0]]
        given = {} if is_start else self.arguments(pairing, firings)
        fails = last and (before == after or is_start or bool(new.get(STEP)))
        steps = list(self.concrete(pairing, given, old))
        if not fails and not any(self.leads(c, old, new, self.own) for c in steps):
            return f"{pairing.operation} does not lead there in {self.joint.concrete}"
        if not fails:
            known = [self.matches[command.label]] if command.label in self.matches else list(pairing.matches)
            return "" if self.is_matched(pairing, known, given, old, new) else f"not a step of {self.joint.abstract}"
        return self.refuted(pairing, given, old, steps)

    def arguments(self, pairing: Pairing, firings: tuple[Firing, ...]) -> Env:
        values: Env = {}
        for firing in firings:
            parameters = self.system.commands[firing.command].parameters
            values.update(zip((p.name for p in parameters), firing.binding, strict=True))
        return {p.name: values[p.name] for p in self.machine.callable[pairing.operation].parameters}

    def concrete(self, pairing: Pairing, given: Env, old: Env) -> Iterator[Changes]:
        if pairing.operation == START:
            assert self.machine.initialisation is not None
            blank = {n: v for n, v in old.items() if n not in {x.name for x in self.machine.variables}}
            yield from self.animator.runner.run(self.machine.initialisation, Frame(blank, {}))
            return
        yield from self.run(self.machine.callable[pairing.operation], given, old)

    def run(self, o: TypedOperation, given: Env, old: Env) -> Iterator[Changes]:
        scope = frozenset(n.name for n in (*o.parameters, *o.results))
        values = {p.name: given[p.name] for p in o.parameters}
        try:
            yield from self.animator.runner.run(o.body, Frame(old, values, scope), top=True)
        except IllDefined:
            return

    def leads(self, c: Changes, old: Env, new: Env, names: list[str]) -> bool:
        return all(c.g.get(n, old.get(n)) == new[n] for n in names)

    def abstract(self, match: Match, given: Env, old: Env) -> Iterator[Changes]:
        if match is self.joint.start:
            old = {n: v for n, v in old.items() if n not in {x.name for x in self.machine.variables}}
        yield from self.run(self.machine.callable[match.operation], given, old)

    def is_matched(self, pairing: Pairing, known: list[Match], given: Env, old: Env, new: Env) -> bool:
        if not pairing.matches:
            return all(old[n] == new[n] for n in self.theirs)
        return any(self.leads(a, old, new, self.theirs) for m in known for a in self.abstract(m, given, old))

    def refuted(self, pairing: Pairing, given: Env, old: Env, steps: list[Changes]) -> str:
        """Some concrete outcome has no match, or does not decrease the variant."""
        for c in steps:
            if not self.some_match(pairing, given, old, c) or not self.decreases(pairing, old, c):
                return ""
        if self.has_no_meaning(pairing, given, old):
            return ""
        return f"{pairing.operation} of {self.joint.concrete} is matched after all"

    def has_no_meaning(self, pairing: Pairing, given: Env, old: Env) -> bool:
        """Whether the concrete operation is ill-defined here, which is not a refinement of anything."""
        if pairing.operation == START:
            return False
        o = self.machine.callable[pairing.operation]
        scope = frozenset(n.name for n in (*o.parameters, *o.results))
        try:
            list(self.animator.runner.run(o.body, Frame(old, given, scope), top=True))
        except IllDefined:
            return True
        return False

    def some_match(self, pairing: Pairing, given: Env, old: Env, c: Changes) -> bool:
        if not pairing.matches:
            return self.fits(None, given, old, c, Changes({}, {}))
        return any(self.fits(m, given, old, c, a) for m in pairing.matches for a in self.abstract(m, given, old))

    def fits(self, match: Match | None, given: Env, old: Env, c: Changes, a: Changes) -> bool:
        shared = set(self.joint.shared)
        if any(c.g.get(n, old.get(n)) != a.g.get(n, old.get(n)) for n in shared):
            return False
        if any(n in a.l and n in c.l and a.l[n] != c.l[n] for n in c.l if n not in given):
            return False
        new = {**old, **{n: v for n, v in a.g.items() if n in self.theirs}, **c.g}
        news = {primed(v.name): new[v.name] for v in self.machine.variables}
        gluing = self.machine.invariant[: len(self.joint.gluing)]
        return self.all_hold(gluing, new) and self.witnesses(match, {**old, **news, **given})

    def all_hold(self, formulas: tuple[Formula, ...], env: Env) -> bool:
        try:
            return all(self.animator.reference.holds(p, env) for p in formulas)
        except IllDefined:
            return False

    def witnesses(self, match: Match | None, env: Env) -> bool:
        if match is None or not match.demands:
            return True
        types = {**self.machine.globals, **{primed(v.name): v.type for v in self.machine.variables}}
        for o in self.machine.callable.values():
            types.update({p.name: p.type for p in o.parameters})
        return self.all_hold(tuple(type_formula(p, types) for p in match.demands), env)

    def decreases(self, pairing: Pairing, old: Env, c: Changes) -> bool:
        if pairing.status == "ordinary" or not self.joint.variants:
            return True
        typed = [type_formula(v, self.machine.globals) for v in self.joint.variants]
        pairs = [(v, self.value(v, old), self.value(v, {**old, **c.g})) for v in typed]
        for v, before, after in pairs:
            if before != after:
                return after < before and (v.type != INTEGER or before >= 0)
        return pairing.status == "anticipated"

    def value(self, f: Formula, env: Env) -> Any:
        return self.animator.reference.value(f, env)
