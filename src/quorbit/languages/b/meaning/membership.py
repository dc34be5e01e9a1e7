"""Which values belong to a set and which sets are equal or included, without listing what need not be listed."""

from __future__ import annotations

from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW, has_form
from quorbit.languages.b.meaning.evaluator import SET_MAKERS, Endless, Env, Evaluator, Unbounded, is_builtin, take_apart
from quorbit.languages.b.meaning.operators import domain, image_of_range, is_injective
from quorbit.languages.b.meaning.values import NoValue, items
from quorbit.languages.b.syntax.formulas import Binary, Binder, Builtin, Comprehension, Formula, Record, Unary


class Membership(Evaluator):
    """Tests that need not list their right operand."""

    def contains(self, x: Any, s: Formula, env: Env) -> bool:
        """Whether a value belongs to a set, which may be infinite."""
        match s:
            case Builtin(name="INTEGER" | "STRING"):
                return True
            case Builtin(name="NATURAL"):
                return bool(x >= 0)
            case Builtin(name="NATURAL1"):
                return bool(x >= 1)
            case Builtin(name="NAT"):
                return bool(0 <= x <= self.universe.max_int)
            case Builtin(name="NAT1"):
                return bool(1 <= x <= self.universe.max_int)
            case Builtin(name="INT"):
                return bool(self.universe.min_int <= x <= self.universe.max_int)
            case Builtin(name="succ"):
                return bool(x[1] == x[0] + 1)
            case Builtin(name="pred"):
                return bool(x[1] == x[0] - 1)
            case Binary(op=".."):
                return bool(self.value(s.left, env) <= x <= self.value(s.right, env))
            case Unary(op=op) if op in SET_MAKERS:
                return self.contains_made(op, x, s.argument, env)
            case Binary(op=op) if op in ARROW:
                return self.contains_relation(x, s, env)
            case Binary(op="×"):
                return self.contains(x[0], s.left, env) and self.contains(x[1], s.right, env)
            case Binary(op="\\/"):
                return self.contains(x, s.left, env) or self.contains(x, s.right, env)
            case Binary(op="/\\"):
                return self.contains(x, s.left, env) and self.contains(x, s.right, env)
            case Binary(op="\\"):
                return self.contains(x, s.left, env) and not self.contains(x, s.right, env)
            case Record(op="struct", fields=fields):
                return all(self.contains(v, f, env) for v, (_, f) in zip(x, fields, strict=True))
            case Comprehension(names=names, predicate=condition):
                return self.holds(condition, {**env, **take_apart(names, x)})
            case Binder(op="%", names=names, predicate=condition, body=body):
                inner = {**env, **take_apart(names, x[0])}
                return self.holds(condition, inner) and self.equal_values(x[1], body, inner)
        found = self.value(s, env)
        if isinstance(found, Endless):
            return self.contains_endless(x, s, found)
        return x in found

    def contains_endless(self, x: Any, s: Formula, found: Endless) -> bool:
        if found.formula is s:
            raise Unbounded(s.span, "whether this infinite set contains a value cannot be decided")
        return self.contains(x, found.formula, found.env)

    def contains_made(self, op: str, x: Any, s: Formula, env: Env) -> bool:
        if isinstance(x, Endless):
            raise Unbounded(s.span, "an infinite set as an element of a set of sets")
        if op in ("POW", "FIN", "POW1", "FIN1"):
            return (op in ("POW", "FIN") or bool(x)) and all(self.contains(y, s, env) for y in x)
        try:
            elements = items(x)
        except NoValue:
            return False
        if op in ("seq1", "iseq1") and not elements:
            return False
        if op not in ("seq", "seq1") and not is_injective(x):
            return False
        if op == "perm" and frozenset(elements) != self.value(s, env):
            return False
        return all(self.contains(y, s, env) for y in elements)

    def contains_relation(self, r: Any, s: Binary, env: Env) -> bool:
        if isinstance(r, Endless):
            return self.contains_endless_function(r, s, env)
        arrow = ARROW[s.op]
        return (
            has_form(r, arrow)
            and all(self.contains(x, s.left, env) and self.contains(y, s.right, env) for x, y in r)
            and (not arrow.total or domain(r) == self.value(s.left, env))
            and (not arrow.surjective or image_of_range(r) == self.value(s.right, env))
        )

    def contains_endless_function(self, r: Endless, s: Binary, env: Env) -> bool:
        """A lambda over an infinite domain is taken to be what its declaration says; it is used by application only."""
        if isinstance(r.formula, Binder | Builtin) and ARROW[s.op].function:
            return True
        raise Unbounded(s.span, "an infinite relation cannot be compared with a set of relations")

    def equal_values(self, x: Any, e: Formula, env: Env) -> bool:
        return bool(x == self.value(e, env))

    def equal(self, left: Formula, right: Formula, env: Env) -> bool:
        a, b = self.value(left, env), self.value(right, env)
        if isinstance(a, Endless) != isinstance(b, Endless):
            return False  # one is finite, the other is not
        return bool(a == b)

    def is_subset(self, left: Formula, right: Formula, env: Env) -> bool:
        found = self.value(left, env)
        if isinstance(found, Endless):
            other = self.value(right, env)
            if isinstance(other, Endless) and (found == other or is_builtin(other, "INTEGER", "STRING")):
                return True
            if is_builtin(found, "NATURAL1") and is_builtin(other, "NATURAL"):
                return True
            if isinstance(other, frozenset):
                return False
            raise Unbounded(left.span, "whether one infinite set includes another cannot be decided")
        return all(self.contains(x, right, env) for x in found)
