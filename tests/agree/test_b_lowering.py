"""The System of a B machine means what the reference evaluator says: same graphs, same values of random formulas."""

from __future__ import annotations

import re
from collections import deque
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quorbit.engines.reference.explore import explore as explore_system
from quorbit.languages.b.load import load_lowered, load_typed
from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.scope import Scope, system_type
from quorbit.languages.b.meaning.evaluator import IllDefined, Unbounded
from quorbit.languages.b.meaning.explore import Animator, BState, Step, explore
from quorbit.languages.b.meaning.query import parse_text, type_formula
from quorbit.languages.b.meaning.reference import Reference
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.types.types import INTEGER, Given, SetOfType, relation, sequence
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.system.expression import Read
from quorbit.model.system.system import State, System, Variable
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "tests" / "models" / "b").glob("*.*"))
EXAMPLES = sorted((ROOT / "examples" / "b").glob("*.mch"))
SMALL_EXAMPLES = [p for p in EXAMPLES if p.stem not in ("PhoneBookErr", "SeatBooking")]
Edges = set[tuple[Any, str, tuple[Any, ...], Any]]


def expected(path: Path) -> dict[str, str]:
    """What the first comment says of the model."""
    found = re.search(r"expect: ([^\n*]*)", path.read_text(encoding="utf-8"))
    return dict(re.findall(r"(\w+)=(\S+)", found.group(1))) if found else {}


def small(path: Path) -> LoadOptions:
    """Deferred sets of size two, whatever the example says."""
    machine, _, _ = load_typed(path, LoadOptions())
    return LoadOptions(set_sizes=tuple((s.name, 2) for s in machine.sets if s.elements is None))


def edges_of_animator(animator: Animator) -> Edges:
    found: Edges = set()
    start = list(animator.initial())
    queue = deque(dict.fromkeys(step.target for step in start))
    seen = set(queue)
    while queue:
        s = queue.popleft()
        for step in animator.steps(s):
            found.add((s, step.operation, arguments_of(animator, step), step.target))
            if step.target not in seen:
                seen.add(step.target)
                queue.append(step.target)
    return found | {("root", "", (), step.target) for step in start}


def arguments_of(animator: Animator, step: Step) -> tuple[Any, ...]:
    o = next((o for o in animator.machine.operations if o.name == step.operation), None)
    names = [] if o is None else [n.name for n in (*o.parameters, *o.results)]
    return tuple(sorted(zip(names, (*step.arguments, *step.results), strict=True)))


def edges_of_system(system: System, animator: Animator, constants: dict[str, Any]) -> Edges:
    meaning = Meaning(system)
    as_state = partial(b_state, system, animator, constants)
    found: Edges = set()
    start = meaning.initial_states()
    queue, seen = deque(start), set(start)
    while queue:
        s = queue.popleft()
        for move in meaning.moves(s):
            if move.violation is not None:
                continue
            shown: dict[str, Any] = {}
            for firing in move.firings:
                command = system.commands[firing.command]
                values = zip(command.parameters, firing.binding, strict=True)
                shown |= {p.name: v for p, v in values if p.name not in command.hidden}
            found.add((as_state(s), command.label, tuple(sorted(shown.items())), as_state(move.target)))
            if move.target not in seen:
                seen.add(move.target)
                queue.append(move.target)
    return found | {("root", "", (), as_state(s)) for s in start}


def b_state(system: System, animator: Animator, constants: dict[str, Any], s: State) -> BState:
    values = {place.variable: v for place, v in zip(system.places, s, strict=True)}
    ready = values.get("INITIALISED", 1)
    variables = tuple(values[v.name] for v in animator.machine.variables) if ready else None
    return BState(tuple(values.get(c.name, constants.get(c.name)) for c in animator.machine.constants), variables)


@pytest.mark.parametrize("path", [*MODELS, *EXAMPLES], ids=lambda p: p.stem)
def test_same_graph(path: Path) -> None:
    options = small(path)
    machine, universe, _ = load_typed(path, options)
    animator = Animator(machine, universe)
    system = load_lowered(path, options).system
    places = {v.name for v in system.variables}
    first = next(animator.setups()) if machine.has_properties else ()
    fixed = {c.name: v for c, v in zip(machine.constants, first, strict=True) if c.name not in places}
    assert edges_of_system(system, animator, fixed) == edges_of_animator(animator)


@pytest.mark.parametrize("path", [*MODELS, *SMALL_EXAMPLES], ids=lambda p: p.stem)
def test_expected_counts(path: Path) -> None:
    """Constants that are atoms count up to symmetry, and the root, which the reference counts, does not."""
    wanted = expected(path)
    assert wanted, "every model says what to expect of it"
    machine, universe, _ = load_typed(path, LoadOptions())
    states, transitions = explore(Animator(machine, universe, static_symmetry=True)).counts
    assert (states - 1, transitions) == (int(wanted["states"]), int(wanted["transitions"]))
    system = load_lowered(path, LoadOptions(), static_symmetry=True).system
    outcome = explore_system(system, system.properties, options=SearchOptions(all_errors=True))
    assert (outcome.statistics.states + 1, outcome.statistics.transitions) == (states, transitions)
    assert outcome.verdict.value == wanted["verdict"]


# Random formulas.

TYPES = {
    "S": SetOfType(Given("S")),
    "x": Given("S"),
    "y": Given("S"),
    "n": INTEGER,
    "s": SetOfType(Given("S")),
    "k": SetOfType(INTEGER),
    "r": relation(Given("S"), Given("S")),
    "f": relation(Given("S"), INTEGER),
    "q": sequence(Given("S")),
}
UNIVERSE = Universe({"S": (0, 1, 2)}, ("S1", "S2", "S3"), frozenset({"S"}), 3, -1, dict(TYPES))
NAMES = [name for name in TYPES if name != "S"]


def pick(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


def fill(template: str, **parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.fixed_dictionaries(parts).map(lambda values: template.format(**values))


def grammar(depth: int) -> dict[str, st.SearchStrategy[str]]:
    """Strategies for texts of each type; deeper ones use those less deep."""
    g = {
        "S": pick("x", "y"),
        "Z": pick("n", "0", "1", "2"),
        "PS": pick("s", "S", "{}", "{{x}}", "{{x, y}}").map(lambda t: t.replace("{{", "{").replace("}}", "}")),
        "PZ": pick("k", "(1..2)", "NAT"),
        "R": pick("r", "{x |-> y}", "S * {x}"),
        "F": pick("f", "{x |-> 1}"),
        "Q": pick("q", "[]", "[x]"),
        "P": pick("x = y", "n = 1", "x : s"),
    }
    for _ in range(depth):
        g = deeper(g)
    return g


def deeper(g: dict[str, st.SearchStrategy[str]]) -> dict[str, st.SearchStrategy[str]]:
    S, Z, PS, PZ, R, F, Q, P = (g[k] for k in ("S", "Z", "PS", "PZ", "R", "F", "Q", "P"))
    two = {"a": PS, "b": PS}
    return {
        "S": S | fill("({r})({x})", r=R, x=S) | fill("{f}({q})", f=pick("first", "last"), q=Q)
        | fill("IF {p} THEN {a} ELSE {b} END", p=P, a=S, b=S),
        "Z": Z | fill("({a} {o} {b})", a=Z, b=Z, o=pick("+", "-", "*", "/", "mod")) | fill("card({a})", a=PS | R | PZ)
        | fill("({f})({x})", f=F, x=S) | fill("size({q})", q=Q) | fill("{o}({k})", o=pick("min", "max"), k=PZ)
        | fill("SIGMA(z).(z : {a} & {p} | card({{z}} /\\ s))", a=PS, p=P) | fill("SIGMA(v).(v : {k} | v * n)", k=PZ),
        "PS": PS | fill("({a} {o} {b})", o=pick("\\/", "/\\", "-"), **two) | fill("{o}({r})", o=pick("dom", "ran"), r=R)
        | fill("({r})[{a}]", r=R, a=PS) | fill("{{z | z : {a} & ({p} or z = x)}}", a=PS, p=P)
        | fill("union({{{a}, {b}}})", **two) | fill("UNION(z).(z : {a} | ({r})[{{z}}])", a=PS, r=R)
        | fill("inter({{t | t : POW({a}) & card(t) = 1}})", a=PS) | fill("ran({q})", q=Q)
        | fill("{{z | z |-> x : {r}}}", r=R),
        "PZ": PZ | fill("({a} {o} {b})", a=PZ, b=PZ, o=pick("\\/", "/\\", "-")) | fill("({a} .. {b})", a=Z, b=Z)
        | fill("ran({f})", f=F) | fill("{{v | v : {k} & v > {a}}}", k=PZ, a=Z) | fill("dom({q})", q=Q)
        | fill("{{v | v >= {a} & v < {b}}}", a=Z, b=Z),
        "R": R | fill("({a} {o} {b})", a=R, b=R, o=pick("\\/", "-", "<+", "/\\")) | fill("({a})~", a=R)
        | fill("({a} ; {b})", a=R, b=R) | fill("({a} {o} {r})", a=PS, r=R, o=pick("<|", "<<|"))
        | fill("({r} {o} {a})", a=PS, r=R, o=pick("|>", "|>>")) | fill("{o}({a})", o=pick("closure1", "closure"), a=R)
        | fill("id({a})", a=PS) | fill("({a} * {b})", **two) | fill("%z.(z : {a} & {p} | {x})", a=PS, p=P, x=S)
        | fill("iterate({a}, {i})", a=R, i=pick("0", "1", "2")) | fill("{{z, w | z |-> w : {a} & {p}}}", a=R, p=P)
        | fill("rel(fnc({a}))", a=R)
        | fill("ran(prj1({a}, {b}) >< prj2({a}, {b}))", **two) | fill("prj1({a}, {b})[{c}] * {a}", c=R, **two),
        "F": F | fill("({a} <+ {b})", a=F, b=F) | fill("%z.(z : {a} | {n})", a=PS, n=Z),
        "Q": Q | fill("({a} ^ {b})", a=Q, b=Q) | fill("({a} <- {x})", a=Q, x=S) | fill("({x} -> {a})", a=Q, x=S)
        | fill("{o}({a})", o=pick("front", "tail", "rev"), a=Q) | fill("conc([{a}, {b}])", a=Q, b=Q)
        | fill("({a} {o} {n})", a=Q, n=Z, o=pick("/|\\", "\\|/")),
        "P": P | fill("({p} {o} {q})", p=P, q=P, o=pick("&", "or", "=>", "<=>")) | fill("not({p})", p=P)
        | fill("{a} {o} {b}", o=pick("=", "/=", "<:", "/<:", "<<:"), **two)
        | fill("{a} {o} {b}", a=Z, b=Z, o=pick("<", ">="))
        | fill("{x} {o} {a}", x=S, a=PS, o=pick(":", "/:"))
        | fill("{r} : {a} {o} {b}", r=R, o=pick(*ARROWS), a=SIMPLE, b=SIMPLE)
        | fill("!z.(z : {a} => {p} or z /= x)", a=PS, p=P) | fill("#z.(z : {a} & ({p} & z = y))", a=PS, p=P)
        | fill("#(z, w).(z |-> w : {r} & w : {a} & {p})", r=R, a=PS, p=P)
        | fill("{q} : {o}({a})", q=Q, a=SIMPLE, o=pick(*SEQS))
        | fill("{a} : {o}({b})", a=PS, b=SIMPLE, o=pick("POW", "POW1"))
        | fill("{n} : {k}", n=Z, k=PZ | pick("NATURAL", "NATURAL1")),
    }  # fmt: skip


# Whether an ill-defined set is looked at when nothing is asked of it (x = {} in x : POW(S)) is left open.
SIMPLE = pick("s", "S", "{x}", "{x, y}", "dom(r)")
ARROWS = ("<->", "<<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">->>")
SEQS = ("seq", "seq1", "iseq", "iseq1", "perm")
FORMULAS = st.one_of(*grammar(2).values())
ATOMS = st.integers(0, 2)
STATES = st.fixed_dictionaries(
    {
        "x": ATOMS,
        "y": ATOMS,
        "n": st.integers(-1, 3),
        "s": st.frozensets(ATOMS),
        "k": st.frozensets(st.integers(-1, 3), max_size=3),
        "r": st.frozensets(st.tuples(ATOMS, ATOMS), max_size=5),
        "f": st.dictionaries(ATOMS, st.integers(-1, 3)).map(lambda d: frozenset(d.items())),
        "q": st.lists(ATOMS, max_size=3).map(lambda items: frozenset(enumerate(items, 1))),
    }
)


def compare(text: str, state: dict[str, Any]) -> None:
    formula = type_formula(parse_text(text), TYPES)
    env = {"S": frozenset((0, 1, 2)), **state}
    try:
        wanted = Reference(UNIVERSE).value(formula, env)
    except IllDefined:
        wanted = None
    except Unbounded:
        assume(False)
    scope = Scope(Reference(UNIVERSE), {name: Read(name) for name in NAMES}, {"S": frozenset((0, 1, 2))}, lower)
    variables = tuple(Variable(name, system_type(UNIVERSE, TYPES[name])) for name in NAMES)
    meaning = Meaning(System("formula", (), variables, ()))
    try:
        found = meaning.value_of(lower(scope, formula))(tuple(state[name] for name in NAMES), {})
    except Fault:
        found = None
    except UserError:
        assume(False)
    assert found == wanted


@given(FORMULAS, STATES)
@settings(max_examples=300)
def test_formulas_have_the_value_of_the_reference(text: str, state: dict[str, Any]) -> None:
    compare(text, state)


@pytest.mark.soak
@given(FORMULAS, STATES)
@settings(max_examples=20_000)
def test_formulas_have_the_value_of_the_reference_soak(text: str, state: dict[str, Any]) -> None:
    compare(text, state)
