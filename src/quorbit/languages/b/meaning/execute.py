"""What B substitutions do: all outcomes of one, as the changes it makes.

Short names: g the values of constants, variables and sets; l those of locals; names in ``scope`` are local although
they may have no value yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any as AnyValue

from quorbit.languages.b.meaning.evaluator import Env, IllDefined, take_apart
from quorbit.languages.b.meaning.plan import is_partial
from quorbit.languages.b.meaning.reference import Reference
from quorbit.languages.b.syntax.formulas import Apply, Field, Formula, Junction, Name
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.substitutions import (
    Any,
    Assert,
    Assign,
    BecomesIn,
    BecomesSuch,
    Call,
    Case,
    Choice,
    If,
    Let,
    Parallel,
    Pre,
    Select,
    Sequence,
    Skip,
    Substitution,
    Var,
    While,
)
from quorbit.languages.b.syntax.walk import free_names, old_names
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.languages.b.types.types import PREDICATE, RecordType
from quorbit.model.meaning.operators import override
from quorbit.source.frozen import frozen, mutable
from quorbit.source.span import Span

__all__ = ["Changes", "Frame", "enabling"]

LONGEST_LOOP = 100_000  # rounds of one WHILE before we say that it never ends


@frozen
class Frame:
    """The values a substitution starts from."""

    g: Env
    l: Env
    scope: frozenset[str] = frozenset()

    @property
    def env(self) -> Env:
        if not self.scope and not self.l:
            return self.g
        return {**{k: v for k, v in self.g.items() if k not in self.scope}, **self.l}

    def after(self, changes: Changes) -> Frame:
        return Frame({**self.g, **changes.g}, {**self.l, **changes.l}, self.scope)

    def with_locals(self, names: tuple[Name, ...], values: Env) -> Frame:
        texts = frozenset(n.name for n in names)
        kept = {k: v for k, v in self.l.items() if k not in texts}
        return Frame(self.g, {**kept, **values}, self.scope | texts)


@frozen
class Changes:
    """New values of global names and of locals."""

    g: Env
    l: Env

    def then(self, later: Changes) -> Changes:
        return Changes({**self.g, **later.g}, {**self.l, **later.l})


NOTHING = Changes({}, {})


@mutable
class Runner:
    """Runs substitutions of one machine."""

    reference: Reference
    machine: TypedMachine

    def run(self, s: Substitution, at: Frame, top: bool = False) -> Iterator[Changes]:
        """All outcomes; ``top``: a PRE here is a guard, further inside it is a demand."""
        r = self.reference
        match s:
            case Skip():
                yield NOTHING
            case Assign():
                yield self.assign(s, at)
            case BecomesIn(targets=targets, set=values):
                for x in r.elements(values, at.env):
                    yield self.write_tuple(targets, x, at, s.span)
            case BecomesSuch():
                yield from self.becomes_such(s, at)
            case Pre(predicate=condition, body=body):
                if top and not self.guard(condition, at):
                    return
                if not top and not r.holds(condition, at.env):
                    raise IllDefined(condition.span, "the precondition does not hold")
                yield from self.run(body, at, top)
            case Assert(predicate=condition, body=body):
                if not r.holds(condition, at.env):
                    raise IllDefined(condition.span, s.message or "the ASSERT predicate does not hold")
                yield from self.run(body, at)
            case Choice(options=options):
                for option in options:
                    yield from self.run(option, at)
            case If() | Case():
                yield from self.branch(s, at)
            case Select():
                yield from self.select(s, at)
            case Sequence(parts=parts):
                yield from self.in_sequence(parts, at)
            case Parallel(parts=parts):
                yield from self.in_parallel(parts, at, s.span, top)
            case While():
                yield from self.loop(s, at, {f"{n.name}$0": at.env[n.name] for n in old_names(s) if n.name in at.env})
            case Call():
                yield from self.call(s, at)
            case _:
                yield from self.with_names(s, at)

    def with_names(self, s: Substitution, at: Frame) -> Iterator[Changes]:
        match s:
            case Any(names=names, predicate=condition, body=body) | Let(names=names, definition=condition, body=body):
                for env in self.reference.solve_guard(names, self.reference.parts(condition), at.env, s):
                    yield from self.run(body, at.with_locals(names, {n.name: env[n.name] for n in names}))
            case Var(names=names, body=body):
                hidden = {n.name for n in names}
                for changes in self.run(body, at.with_locals(names, {})):
                    yield Changes(changes.g, {k: v for k, v in changes.l.items() if k not in hidden})
            case _:
                raise AssertionError(s)

    def guard(self, condition: Formula, at: Frame) -> bool:
        """An undefined guard is false."""
        try:
            return self.reference.holds(condition, at.env)
        except IllDefined:
            return False

    def branch(self, s: If | Case, at: Frame) -> Iterator[Changes]:
        """The first branch that fits; without one the ELSE, without that nothing happens."""
        r, env = self.reference, at.env
        chosen = s.otherwise
        if isinstance(s, If):
            chosen = next((body for p, body in s.branches if r.holds(p, env)), chosen)
        else:
            x = r.value(s.subject, env)
            chosen = next((body for labels, body in s.branches if any(r.value(e, env) == x for e in labels)), chosen)
        if chosen is None:
            yield NOTHING
        else:
            yield from self.run(chosen, at)

    def select(self, s: Select, at: Frame) -> Iterator[Changes]:
        chosen = [body for p, body in s.branches if self.guard(p, at)]
        if not chosen and s.otherwise is not None:
            chosen = [s.otherwise]
        for body in chosen:
            yield from self.run(body, at)

    def in_sequence(self, parts: tuple[Substitution, ...], at: Frame) -> Iterator[Changes]:
        if not parts:
            yield NOTHING
            return
        for first in self.run(parts[0], at):
            for rest in self.in_sequence(parts[1:], at.after(first)):
                yield first.then(rest)

    def in_parallel(self, parts: tuple[Substitution, ...], at: Frame, span: Span, top: bool) -> Iterator[Changes]:
        """All combinations; a part without an outcome blocks the whole, even if another part is ill-defined."""
        wrong: list[IllDefined] = []
        found = [self.all_outcomes(part, at, top, wrong) for part in parts]
        if wrong and all(found):
            raise wrong[0]
        for combination in product(*found) if not wrong else ():
            whole = NOTHING
            for changes in combination:
                for name in (*(whole.g.keys() & changes.g.keys()), *(whole.l.keys() & changes.l.keys())):
                    raise IllDefined(span, f"{name} is assigned twice in parallel")
                whole = whole.then(changes)
            yield whole

    def all_outcomes(self, s: Substitution, at: Frame, top: bool, wrong: list[IllDefined]) -> list[Changes]:
        """The outcomes; one that is ill-defined is noted and counts as an outcome."""
        try:
            return list(self.run(s, at, top))
        except IllDefined as problem:
            wrong.append(problem)
            return [NOTHING]

    def becomes_such(self, s: BecomesSuch, at: Frame) -> Iterator[Changes]:
        env = at.env
        old = {f"{t.name}$0": env[t.name] for t in s.targets if t.name in env}
        for inner in self.reference.solve(s.targets, self.reference.parts(s.predicate), {**env, **old}, s):
            yield self.write([(t, inner[t.name]) for t in s.targets], at, s.span)

    def loop(self, s: While, at: Frame, old: Env, done: Changes = NOTHING, rounds: int = 0) -> Iterator[Changes]:
        """``old``: what x$0 means in the invariant and the variant, the values before the loop."""
        r = self.reference
        if not r.holds(s.invariant, {**at.env, **old}):
            raise IllDefined(s.invariant.span, "the loop invariant does not hold")
        if not r.holds(s.condition, at.env):
            yield done
            return
        before = r.value(s.variant, {**at.env, **old})
        if before < 0 or rounds > LONGEST_LOOP:
            raise IllDefined(s.variant.span, "the loop variant is negative" if before < 0 else "the loop never ends")
        for changes in self.run(s.body, at):
            after = at.after(changes)
            if r.value(s.variant, {**after.env, **old}) >= before:
                raise IllDefined(s.variant.span, "the loop variant does not decrease")
            yield from self.loop(s, after, old, done.then(changes), rounds + 1)

    def call(self, s: Call, at: Frame) -> Iterator[Changes]:
        operation = self.machine.callable[s.operation]
        arguments = [self.reference.value(a, at.env) for a in s.arguments]
        values = {p.name: x for p, x in zip(operation.parameters, arguments, strict=True)}
        inside = Frame(at.g, values, frozenset(n.name for n in (*operation.parameters, *operation.results)))
        for changes in self.run(operation.body, inside):
            for n in operation.results:
                if n.name not in changes.l:
                    raise IllDefined(s.span, f"{s.operation} does not assign its result {n.name} here")
            results = [changes.l[n.name] for n in operation.results]
            written = self.write(list(zip(s.targets, results, strict=True)), at, s.span)
            for name in changes.g.keys() & written.g.keys():
                raise IllDefined(s.span, f"{name} is assigned by the called operation too")
            yield Changes({**changes.g, **written.g}, written.l)

    # Writing.

    def assign(self, s: Assign, at: Frame) -> Changes:
        env = at.env
        values = [self.reference.value(v, env) for v in s.values]
        return self.write(list(zip(s.targets, values, strict=True)), at, s.span)

    def write_tuple(self, targets: tuple[Formula, ...], x: AnyValue, at: Frame, span: Span) -> Changes:
        names = tuple(Name(t.span, str(i)) for i, t in enumerate(targets))
        values = take_apart(names, x)
        return self.write([(t, values[str(i)]) for i, t in enumerate(targets)], at, span)

    def write(self, pairs: list[tuple[Formula, AnyValue]], at: Frame, span: Span) -> Changes:
        changes = Changes({}, {})
        for target, value in pairs:
            name, whole = self.whole(target, value, at)
            into = changes.l if name in at.scope else changes.g
            if name in into:
                raise IllDefined(span, f"{name} is assigned twice")
            into[name] = whole
        return changes

    def whole(self, target: Formula, value: AnyValue, at: Frame) -> tuple[str, AnyValue]:
        """The name behind a target and its whole new value: f(x) := e means f := f <+ {x |-> e}."""
        r, env = self.reference, at.env
        match target:
            case Name(name=name):
                return name, value
            case Apply(function=function, arguments=arguments):
                x = r.value(arguments[0], env)
                for other in arguments[1:]:
                    x = (x, r.value(other, env))
                return self.whole(function, override(r.value(function, env), frozenset({(x, value)})), at)
            case Field(record=record, name=name):
                assert isinstance(record.type, RecordType)
                position = [n for n, _ in record.type.fields].index(name)
                old = r.value(record, env)
                return self.whole(record, (*old[:position], value, *old[position + 1 :]), at)
        raise AssertionError(target)


def enabling(s: Substitution, top: bool = True) -> tuple[Formula, ...]:
    """Conditions that hold whenever the substitution has an outcome: where its parameters get their values from."""
    match s:
        case Pre(predicate=condition, body=body) if top:
            return (*conjuncts(condition), *enabling(body))
        case Select(branches=((condition, body),), otherwise=None):
            return (*conjuncts(condition), *enabling(body, False))
        case Select(branches=branches, otherwise=None) if not any(is_partial(p) for p, _ in branches):
            return (Junction(s.span, "or", tuple(condition for condition, _ in branches), type=PREDICATE),)
        case Any(names=names, predicate=condition):
            hidden = {n.name for n in names}
            return tuple(c for c in conjuncts(condition) if not free_names(c) & hidden)
        case Parallel(parts=parts):
            return tuple(c for part in parts for c in enabling(part, top))
        case Sequence(parts=parts):
            return enabling(parts[0], False)
    return ()
