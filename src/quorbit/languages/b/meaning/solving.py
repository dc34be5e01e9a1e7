"""Values of bound names that satisfy conditions: the steps of a plan, run one inside the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorbit.languages.b.meaning.evaluator import ENDLESS_MAKERS, Endless, Env, Evaluator, IllDefined, Unbounded
from quorbit.languages.b.meaning.growing import early_checks, function_space, grow, sides
from quorbit.languages.b.meaning.operators import subsets, subsets_of_size
from quorbit.languages.b.meaning.plan import Anything, Check, Equal, Member, OneOf, Range, Step, Subset, make_plan
from quorbit.languages.b.solver.puzzle import solve_rest
from quorbit.languages.b.syntax.formulas import Binary, Builtin, Formula, Name, Unary
from quorbit.languages.b.syntax.walk import free_names
from quorbit.model.meaning.operators import sorted_elements
from quorbit.source.frozen import replace

MANY_CANDIDATES = 2_000  # are found together; fewer are quickly tried


class Solving(Evaluator):
    """Finds values for names."""

    def solve(
        self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env, key: object, cut: bool = True
    ) -> Iterator[Env]:
        """The surroundings with values for the names such that all conditions hold, each once, in a fixed order.

        A check that is ill-defined when it comes early is looked at again when all names are known, in the order of the
        text, so that a conjunct is protected by those before it. ``key`` stands for the plan.
        """
        hidden = {n.name for n in names}
        inner = {name: v for name, v in env.items() if name not in hidden}
        yield from self.run_plan(self.plan(names, conditions, key, inner), 0, inner, conditions, False, cut)

    def solve_closed(self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env) -> Iterator[Env]:
        """As ``solve``, nothing cut: where a step has no bound of its own the names are found together."""
        hidden = {n.name for n in names}
        inner = {name: v for name, v in env.items() if name not in hidden}
        steps = self.fresh_plan(names, conditions, inner)
        try:
            yield from list(self.run_plan(steps, 0, inner, conditions, False, False))
        except Unbounded:
            found = solve_rest(self, steps, conditions, inner)
            if found is None:
                raise
            yield from found

    def solve_together(self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env) -> Iterator[Env]:
        """As ``solve``, nothing cut: all names are found together, if that can be; else one after the other."""
        inner = {name: v for name, v in env.items() if name not in {n.name for n in names}}
        found = solve_rest(self, make_plan(names, conditions), conditions, inner)
        yield from self.solve_closed(names, conditions, env) if found is None else found

    def solve_deeply(self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env) -> Iterator[Env]:
        """As ``solve_guard``, but where candidates are many the names are found together, not one after the other."""
        yield from self.run_deeply(make_plan(names, conditions), 0, env, conditions, False)

    def run_deeply(
        self, steps: tuple[Step, ...], k: int, env: Env, conditions: tuple[Formula, ...], doubtful: bool
    ) -> Iterator[Env]:
        while k < len(steps):
            step = steps[k]
            if isinstance(step, Check):
                try:
                    if not self.holds(step.condition, env):
                        return
                except IllDefined:
                    doubtful = True
            else:
                if not isinstance(step, Equal):
                    found = solve_rest(self, steps[k:], conditions, env, MANY_CANDIDATES)
                    if found is not None:
                        yield from found
                        return
                for inner in self.defined(self.candidates(steps, k, env, True), True):
                    yield from self.run_deeply(steps, k + 1, inner, conditions, doubtful)
                return
            k += 1
        if not doubtful or self.all_hold(conditions, env, True):
            yield env

    def solve_guard(
        self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env, key: object
    ) -> Iterator[Env]:
        """As ``solve``, but values for which a condition is ill-defined are not solutions: such a guard is false."""
        hidden = {n.name for n in names}
        inner = {name: v for name, v in env.items() if name not in hidden}
        yield from self.run_plan(
            self.plan(names, conditions, key, inner), 0, inner, conditions, False, True, guard=True
        )

    def plan(self, names: tuple[Name, ...], conditions: tuple[Formula, ...], key: object, env: Env) -> tuple[Step, ...]:
        known = self.plans.get(id(key))
        if known is None:
            steps = self.fresh_plan(names, conditions, env)
            known = self.plans[id(key)] = (key, steps)  # key is kept, so its id stays its own
        return known[1]

    def fresh_plan(self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env) -> tuple[Step, ...]:
        return make_plan(names, tuple(open_sequences(c, names, env) for c in conditions))

    def run_plan(
        self,
        steps: tuple[Step, ...],
        k: int,
        env: Env,
        conditions: tuple[Formula, ...],
        doubtful: bool,
        cut: bool,
        guard: bool = False,
    ) -> Iterator[Env]:
        while k < len(steps):
            step = steps[k]
            if not isinstance(step, Check):
                for inner in self.defined(self.candidates(steps, k, env, cut), guard):
                    yield from self.run_plan(steps, k + 1, inner, conditions, doubtful, cut, guard)
                return
            try:
                if not self.holds(step.condition, env):
                    return
            except IllDefined:
                doubtful = True
            k += 1
        if not doubtful or self.all_hold(conditions, env, guard):
            yield env

    def candidates(self, steps: tuple[Step, ...], k: int, env: Env, cut: bool) -> Iterator[Env]:
        """What a step binds; a total function is grown pair by pair if the checks after it can end that early."""
        step = steps[k]
        if isinstance(step, Member) and (space := function_space(step)) is not None:
            assert isinstance(step.pattern, Name)
            name = step.pattern.name
            if checks := early_checks(steps[k + 1 :], name):
                for f in grow(self, name, sides(self, space, env, cut), checks, env):
                    yield {**env, name: f}
                return
        yield from self.bindings(step, env, cut)

    def defined(self, found: Iterator[Env], guard: bool) -> Iterator[Env]:
        """What is found, up to the point where a guard becomes ill-defined."""
        try:
            yield from found
        except IllDefined:
            if not guard:
                raise

    def all_hold(self, conditions: tuple[Formula, ...], env: Env, guard: bool) -> bool:
        try:
            return all(self.holds(c, env) for c in conditions)
        except IllDefined:
            if guard:
                return False
            raise

    def bindings(self, step: Step, env: Env, cut: bool) -> Iterator[Env]:
        match step:
            case Equal(pattern, value, unknown):
                yield from self.matches(pattern, self.value(value, env), env, unknown)
            case Member(pattern, s, unknown):
                for x in self.elements(s, env, cut):
                    yield from self.matches(pattern, x, env, unknown)
            case Subset(name, s, size):
                whole = frozenset(self.elements(s, env, cut))
                for x in subsets(whole) if size is None else subsets_of_size(whole, self.value(size, env)):
                    yield {**env, name.name: x}
            case OneOf(name, options):
                found = {inner[name.name]: None for option in options for inner in self.bindings(option, env, cut)}
                for x in sorted_elements(frozenset(found)):
                    yield {**env, name.name: x}
            case Range():
                yield from self.range_bindings(step, env, cut)
            case Anything(name):
                for x in self.all_values(name.type, name.span if cut else None):
                    yield {**env, name.name: x}

    def range_bindings(self, step: Range, env: Env, cut: bool) -> Iterator[Env]:
        """Integers between the bounds; if one is missing, up to MININT or MAXINT, but at least the other bound."""
        low = max((self.bound(b, env) for b in step.low), default=None)
        high = min((self.bound(b, env) for b in step.high), default=None)
        endless = low is None or high is None
        if endless and not cut:
            raise Unbounded(step.name.span, f"{step.name.name} has no bound on one side")
        u = self.universe
        first = low if low is not None else u.min_int if high is None else min(u.min_int, high)
        last = high if high is not None else max(u.max_int, first)
        for x in range(first, last + 1):
            yield {**env, step.name.name: x}
        if endless:
            self.note_cut(
                step.name.span,
                f"{step.name.name} is enumerated only from {first} to {last} here; --maxint and --minint widen this",
            )

    def bound(self, b: Formula, env: Env) -> int:
        if isinstance(b, Builtin) and b.name in ("NATURAL", "NATURAL1"):
            return int(b.name == "NATURAL1")
        return int(self.value(b, env))

    def matches(self, pattern: Formula, x: Any, env: Env, unknown: frozenset[str]) -> Iterator[Env]:
        """The surroundings in which the pattern is x: none or one."""
        match pattern:
            case Name(name=name) if name in unknown and name not in env:
                yield {**env, name: x}
            case Binary(op="|->", left=left, right=right) if unknown & free_names(pattern):
                for inner in self.matches(left, x[0], env, unknown):
                    yield from self.matches(right, x[1], inner, unknown)
            case _:
                if self.same(self.value(pattern, env), x, pattern):
                    yield env


def open_sequences(c: Formula, names: tuple[Name, ...], env: Env) -> Formula:
    """``x : S`` with the sequences that S stands for written out, so that their length may be seen to be bounded."""
    match c:
        case Binary(op=":", right=Name(name=name)) if isinstance(found := env.get(name), Endless):
            formula, used = found.formula, free_names(found.formula)
            same = all(n in env and (env[n] is found.env[n] or env[n] == found.env[n]) for n in used)
            if (
                isinstance(formula, Unary)
                and formula.op in ENDLESS_MAKERS
                and same
                and used.isdisjoint(n.name for n in names)
            ):
                return replace(c, right=formula)
    return c
