"""Random B machines: the System has the transitions that the reference meaning of substitutions gives."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.languages.b.load import load_lowered, load_typed
from quorbit.languages.b.meaning.explore import Animator, Problem
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.source.errors import UserError

MOST_STATES = 60


def pick(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


def fill(template: str, **parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.fixed_dictionaries(parts).map(lambda values: template.format(**values))


ATOM = pick("x", "a", "f(x)", "f(a)")
NUMBER = pick("n", "0", "1", "2 - n", "card(s)", "1 / n", "(n + 1) mod 3")
SET = pick("s", "{}", "{x}", "S", "S - s", "s \\/ {a}", "dom(f)", "f[s]")
FUNCTION = pick("f", "{}", "{x |-> a}", "f <+ {a |-> x}", "{x} <<| f", "f~")
TEST = pick(
    "x = a",
    "n = 1",
    "x : s",
    "f(x) = a",
    "s = {}",
    "x : dom(f)",
    "n < 2",
    "#z.(z : s & z /= x)",
    "card(s) = n",
    "f : S >+> S",
)
ASSIGN = {
    "x": fill("x := {e}", e=ATOM) | fill("x :: {e}", e=pick("S", "s", "ran(f)")) | pick("x : (x : S & x /= x$0)"),
    "n": fill("n := {e}", e=NUMBER) | pick("n :: 0..2", "n : (n : 0..2 & n > n$0)"),
    "s": fill("s := {e}", e=SET) | fill("s :: POW({e})", e=SET) | pick("s : (s <: s$0 & s /= s$0)"),
    "f": fill("f := {e}", e=FUNCTION) | fill("f({a}) := {b}", a=ATOM, b=ATOM),
}
SIMPLE = st.one_of(*ASSIGN.values(), pick("skip"))


def deeper(s: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        s,
        fill("{x} || {n}", x=ASSIGN["x"], n=ASSIGN["n"]),
        fill("BEGIN {s} || {f} END", s=ASSIGN["s"], f=ASSIGN["f"]),
        fill("BEGIN {a} ; {b} END", a=s, b=s),
        fill("IF {p} THEN {a} ELSIF {q} THEN {b} ELSE {c} END", p=TEST, q=TEST, a=s, b=s, c=s),
        fill("IF {p} THEN {a} END", p=TEST, a=s),
        fill("SELECT {p} THEN {a} WHEN {q} THEN {b} END", p=TEST, q=TEST, a=s, b=s),
        fill("SELECT {p} THEN {a} ELSE {b} END", p=TEST, a=s, b=s),
        fill("CHOICE {a} OR {b} END", a=s, b=s),
        fill("ANY z WHERE z : {e} & z /= x THEN BEGIN x := z ; {a} END END", e=SET, a=s),
        fill("ANY y, z WHERE y |-> z : f & {p} THEN x := z || n := 0 END", p=TEST),
        fill("ANY t WHERE t <: {e} & t /= {{}} THEN s := t END", e=SET),
        fill("LET k BE k = {e} IN BEGIN {a} ; n := k mod 3 END END", e=pick("n + 1", "card(s)"), a=s),
        fill("VAR v, w IN v := x ; w := s ; {a} ; x := v ; s := w - {{x}} END", a=s),
        fill("CASE n OF EITHER 0 THEN {a} OR 1, 2 THEN {b} END END", a=s, b=s),
        fill("ASSERT {p} THEN {a} END", p=TEST, a=s),
        fill("PRE {p} THEN {a} END", p=TEST, a=s),
        pick("swap", "x <-- other(a)", "n <-- size_of(s)"),
    )


BODY = deeper(deeper(SIMPLE))
MACHINE = """MACHINE m SETS S CONSTANTS a PROPERTIES a : S VARIABLES x, n, s, f
INVARIANT x : S & n : 0..3 & s <: S & f : S +-> S INITIALISATION x, n, s, f := a, 0, {{}}, {{}}
OPERATIONS
  op1 = {one};
  op2(p) = PRE p : S & {test} THEN BEGIN x := p ; {two} END END;
  r <-- op3(p, q) = SELECT p : s & q : 0..n THEN r := q + n || {three} END;
  swap = PRE s /= {{}} THEN ANY y WHERE y : s THEN x := y || s := s - {{y}} END END;
  r <-- other(p) = IF p = x THEN r := a ELSE r := p END;
  r <-- size_of(t) = PRE t <: S THEN r := card(t) END
END"""
MACHINES = st.builds(
    lambda one, test, two, three: MACHINE.format(one=one, test=test, two=two, three=three),
    BODY, TEST, BODY, st.one_of(ASSIGN["s"], ASSIGN["f"]),
)  # fmt: skip


def compare(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mch"
        path.write_text(text, encoding="utf-8")
        try:
            machine, universe, _ = load_typed(path, LoadOptions())
            lowered = load_lowered(path, LoadOptions())
        except UserError as error:
            if "assigned twice" in error.message:
                return
            raise
    animator, meaning = Animator(machine, universe), Meaning(lowered.system)
    names = [p.variable for p in lowered.system.places]
    waiting = deque(meaning.initial_states())
    seen = set(waiting)
    for _ in range(MOST_STATES):
        if not waiting:
            break
        s = waiting.popleft()
        assert_same_steps(animator, meaning, names, s)
        for move in meaning.moves(s):
            if move.violation is None and move.target not in seen:
                seen.add(move.target)
                waiting.append(move.target)


def assert_same_steps(animator: Animator, meaning: Meaning, names: list[str], s: tuple[Any, ...]) -> None:
    values = dict(zip(names, s, strict=True))
    if not values["INITIALISED"]:
        return
    found, faults = set(), False
    for move in meaning.moves(s):
        faults |= move.violation is not None
        if move.violation is None:
            command = meaning.system.commands[move.firings[0].command]
            bound = zip(command.parameters, move.firings[0].binding, strict=True)
            shown = tuple(sorted((p.name, v) for p, v in bound if p.name not in command.hidden))
            found.add((command.label, shown, move.target))
    wrong: list[Problem] = []
    state = b_state(animator, values)
    wanted = set()
    for step in animator.steps(state, wrong):
        o = animator.machine.callable[step.operation]
        shown = tuple(
            sorted(zip([n.name for n in (*o.parameters, *o.results)], (*step.arguments, *step.results), strict=True))
        )
        after = dict(zip([v.name for v in animator.machine.variables], step.target.variables or (), strict=True))
        wanted.add((step.operation, shown, tuple(after.get(name, values[name]) for name in names)))
    assert faults == bool(wrong)
    if wrong:
        assert wanted <= found  # the reference stops at the first ill-defined outcome of an operation
    else:
        assert found == wanted


def b_state(animator: Animator, values: dict[str, Any]) -> Any:
    step = next(iter(animator.initial())).target
    constants = tuple(values.get(c.name, v) for c, v in zip(animator.machine.constants, step.constants, strict=True))
    return type(step)(constants, tuple(values[v.name] for v in animator.machine.variables))


@given(MACHINES)
@settings(max_examples=40)
def test_random_machines(text: str) -> None:
    compare(text)


@pytest.mark.soak
@given(MACHINES)
@settings(max_examples=600)
def test_random_machines_soak(text: str) -> None:
    compare(text)
