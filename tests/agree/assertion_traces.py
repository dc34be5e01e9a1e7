"""What SystemVerilog's assertions mean on a trace, by brute force over positions, and random assertions.

Sequences and properties are nested tuples.  A sequence matches the ticks from i up to but not including j; a weak one
has failed when it would match no ticks from i on even if everything were true after the trace.  Nothing here comes
from the program: the definitions are those of IEEE 1800-2017, 16.9 and 16.12, tick by tick.
"""

from __future__ import annotations

import random
from functools import lru_cache

Trace = tuple[frozenset[str], ...]
ATOMS = ("a", "b", "c")
BEYOND = 14  # ticks after the trace at which everything is true


class Evaluator:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.matches = lru_cache(maxsize=None)(self.compute)

    def is_true(self, name: str, i: int) -> bool:
        if i >= len(self.trace):
            return True
        return (name[1:] not in self.trace[i]) if name.startswith("!") else name in self.trace[i]

    def compute(self, s: tuple, i: int, j: int) -> bool:
        match s:
            case ("atom", name):
                return j == i + 1 and self.is_true(name, i)
            case ("delay", first, m, n, second):
                return any(self.is_apart(first, second, i, j, d) for d in range(m, (j - i if n is None else n) + 1))
            case ("repeat", body, m, n):
                return self.is_repeated(body, m, n, i, j)
            case ("goto", name, m, n):
                hits = [k for k in range(i, j) if self.is_true(name, k)]
                wild = j > len(self.trace)
                if not wild:
                    return m <= len(hits) <= n and (j == i if not hits else hits[-1] == j - 1)
                return self.goto_with_anything(name, m, n, i, j)
            case ("or", left, right):
                return self.matches(left, i, j) or self.matches(right, i, j)
            case ("and", left, right):
                return any(
                    (self.matches(left, i, k) and self.matches(right, i, j))
                    or (self.matches(left, i, j) and self.matches(right, i, k))
                    for k in range(i, j + 1)
                )
            case ("intersect", left, right):
                return self.matches(left, i, j) and self.matches(right, i, j)
            case ("within", left, right):
                inside = ((k, m) for k in range(i, j + 1) for m in range(k, j + 1))
                return self.matches(right, i, j) and any(self.matches(left, k, m) for k, m in inside)
            case ("throughout", name, body):
                return all(self.is_true(name, k) for k in range(i, j)) and self.matches(body, i, j)
            case ("first_match", body):
                return self.matches(body, i, j) and not any(self.matches(body, i, k) for k in range(i, j))
        raise AssertionError(s)

    def is_apart(self, first: tuple, second: tuple, i: int, j: int, d: int) -> bool:
        if d == 0:  # the last tick of the first is the first of the second
            return any(self.matches(first, i, k + 1) and self.matches(second, k, j) for k in range(i, j))
        return any(self.matches(first, i, k) and self.matches(second, k + d - 1, j) for k in range(i, j - d + 2))

    def is_repeated(self, body: tuple, m: int, n: int | None, i: int, j: int) -> bool:
        reached = {i}  # ends of so many repetitions
        if m == 0 and j == i:
            return True
        for count in range(1, (j - i + m if n is None else n) + 1):
            reached = {e for b in reached for e in range(b, j + 1) if self.matches(body, b, e)}
            if count >= m and j in reached:
                return True
        return False

    def goto_with_anything(self, name: str, m: int, n: int, i: int, j: int) -> bool:
        """After the trace a tick may count as one with the name and as one without."""
        hits = sum(self.is_true(name, k) for k in range(i, min(j, len(self.trace))))
        free = j - max(i, len(self.trace))
        return hits + 1 <= n and hits + free >= m

    # Properties: whether an attempt that began at tick i has failed after the first ``end`` ticks.

    def failed(self, p: tuple, i: int, end: int) -> bool:
        match p:
            case ("sequence", s):
                return not any(Evaluator(self.trace[:end]).matches(s, i, j) for j in range(i, end + BEYOND))
            case ("implies", s, then, later):
                ends = [j for j in range(i if later else i + 1, end + 1) if self.matches(s, i, j)]
                return any(self.failed(then, j if later else j - 1, end) for j in ends)
            case ("not", s):
                return any(self.matches(s, i, j) for j in range(i + 1, end + 1))
            case ("both", p, q):
                return self.failed(p, i, end) or self.failed(q, i, end)
            case ("either", p, q):
                return self.failed(p, i, end) and self.failed(q, i, end)
            case ("if", name, p, q):
                if i >= end:
                    return False
                return self.failed(p if self.is_true(name, i) else q, i, end)
            case ("nexttime", k, p):
                return i + k < end and self.failed(p, i + k, end)
            case ("always", p):
                return any(self.failed(p, k, end) for k in range(i, end))
            case ("until", p, q):
                return self.until_failed(p, q, i, end)
        raise AssertionError(p)

    def until_failed(self, p: tuple, q: tuple, i: int, end: int) -> bool:
        """p and q are decided by one tick: p fails before q holds."""
        for k in range(i, end):
            if not self.failed(q, k, k + 1):
                return False
            if self.failed(p, k, k + 1):
                return True
        return False


def violations(p: tuple, trace: Trace, disable: str | None) -> list[bool]:
    """At which ticks an attempt, at most as old as the last disabled tick, is found to have failed."""
    e = Evaluator(trace)
    found = []
    for t in range(len(trace)):
        off = [k for k in range(t + 1) if disable is not None and e.is_true(disable, k)]
        begun = range(off[-1] + 1 if off else 0, t + 1)
        found.append(any(e.failed(p, i, t + 1) and not (t > i and e.failed(p, i, t)) for i in begun))
    return found


def matched(s: tuple, trace: Trace) -> list[bool]:
    """At which ticks a sequence begun anywhere ends."""
    e = Evaluator(trace)
    return [any(e.matches(s, i, t + 1) for i in range(t + 1)) for t in range(len(trace))]


def shown(p: tuple) -> str:
    match p:
        case ("atom", name):
            return name
        case ("delay", first, m, n, second):
            bounds = str(m) if m == n else f"[{m}:{'$' if n is None else n}]"
            return f"({shown(first)} ##{bounds} {shown(second)})"
        case ("repeat", body, m, n):
            return f"({shown(body)}[*{m if m == n else f'{m}:{chr(36) if n is None else n}'}])"
        case ("goto", name, m, n):
            return f"({name}[->{m}:{n}])"
        case ("or" | "and" | "intersect" | "within" as word, left, right):
            return f"({shown(left)} {word} {shown(right)})"
        case ("throughout", name, body):
            return f"({name} throughout {shown(body)})"
        case ("first_match", body):
            return f"first_match({shown(body)})"
        case ("sequence", s):
            return shown(s)
        case ("implies", s, then, later):
            return f"({shown(s)} {'|=>' if later else '|->'} {shown(then)})"
        case ("not", s):
            return f"(not {shown(s)})"
        case ("both", p, q):
            return f"({shown(p)} and {shown(q)})"
        case ("either", p, q):
            return f"({shown(p)} or {shown(q)})"
        case ("if", name, p, q):
            return f"(if ({name}) {shown(p)} else {shown(q)})"
        case ("nexttime", k, p):
            return f"(nexttime[{k}] {shown(p)})"
        case ("always", p):
            return f"(always {shown(p)})"
        case ("until", p, q):
            return f"({shown(p)} until {shown(q)})"
    raise AssertionError(p)


def random_sequence(rng: random.Random, depth: int, bounded: bool = False) -> tuple:
    """One that takes at least a tick."""
    if depth == 0 or rng.random() < 0.15:
        return ("atom", random_atom(rng))
    kind = rng.choice(
        ["delay"] * 3 + ["repeat", "goto", "or", "and", "intersect", "within", "throughout", "first_match"]
    )
    s = lambda: random_sequence(rng, depth - 1, bounded)  # noqa: E731
    m = rng.randint(0, 2)
    n = None if not bounded and rng.random() < 0.2 else m + rng.randint(0, 2)
    match kind:
        case "delay":
            return ("delay", s(), m, n, s())
        case "repeat":
            body = ("repeat", s(), m, n)
            return body if m else ("delay", body, 1, 1, ("atom", random_atom(rng)))
        case "goto":
            return s() if bounded else ("goto", rng.choice(ATOMS), max(m, 1), max(m, 1) + rng.randint(0, 1))
        case "throughout":
            return (kind, random_atom(rng), s())
        case "first_match":
            return (kind, s())
    return (kind, s(), s())


def random_atom(rng: random.Random) -> str:
    return rng.choice(ATOMS) if rng.random() < 0.8 else f"!{rng.choice(ATOMS)}"


def random_property(rng: random.Random, depth: int) -> tuple:
    kinds = ["sequence", "implies", "implies", "implies"]
    kinds += ["not", "both", "either", "if", "nexttime", "always", "until"] if depth else []
    p = lambda: random_property(rng, depth - 1)  # noqa: E731
    match rng.choice(kinds):
        case "sequence":
            return ("sequence", random_sequence(rng, 2))
        case "implies":
            then = p() if depth else ("sequence", random_sequence(rng, 1))
            return ("implies", random_sequence(rng, 2), then, rng.random() < 0.5)
        case "not":
            return ("not", random_sequence(rng, 2, bounded=True))
        case "if":
            return ("if", random_atom(rng), p(), p())
        case "nexttime":
            return ("nexttime", rng.randint(0, 3), p())
        case "always":
            return ("always", p())
        case "until":
            return ("until", ("sequence", ("atom", random_atom(rng))), ("sequence", ("atom", random_atom(rng))))
        case kind:
            return (kind, p(), p())


def random_trace(rng: random.Random, length: int) -> Trace:
    often = rng.uniform(0.3, 0.9)
    return tuple(
        frozenset(x for x in (*ATOMS, "r") if rng.random() < (0.1 if x == "r" else often)) for _ in range(length)
    )
