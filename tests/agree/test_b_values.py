"""Machines with large values: the explicit engine, bytecode and native code, says what the reference engine says."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.engines.explicit.explore import answer, drive, explore
from quorbit.engines.reference.explore import explore as explore_slowly
from quorbit.machine import library
from quorbit.machine.native import build as native_build
from quorbit.machine.native.source import native_source
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import initial_words, opened, start
from quorbit.pipeline.case import Case
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.result.outcome import Outcome, Verdict

MACHINES = {
    "bag": """MACHINE bag SETS ITEM DEFINITIONS scope_ITEM == 3
        VARIABLES held, total
        INVARIANT held : ITEM +-> NATURAL1 & total : NATURAL & total = SIGMA(i).(i : dom(held) | held(i))
        INITIALISATION held := {} || total := 0
        OPERATIONS
          put(i) = PRE i : ITEM & total < 4 THEN
            IF i : dom(held) THEN held(i) := held(i) + 1 ELSE held(i) := 1 END || total := total + 1 END;
          take(i) = PRE i : dom(held) THEN
            IF held(i) = 1 THEN held := {i} <<| held ELSE held(i) := held(i) - 1 END || total := total - 1 END
        END""",
    "squares": """MACHINE squares VARIABLES s, n INVARIANT s <: INTEGER & n : INTEGER & card(s) < 4
        INITIALISATION s := {0} || n := 0
        OPERATIONS step(k) = PRE k : 1..2 & n + k * 1000 < 5000 THEN n := n + k * 1000 || s := s \\/ {n * n} END;
          big = PRE #x.(x : s & x > 4000000) THEN s := {max(s), min(s)} || n := 0 END
        END""",
    "shelf": """MACHINE shelf SETS BOOK DEFINITIONS scope_BOOK == 3
        VARIABLES s, t INVARIANT s : iseq(BOOK) & t : seq(BOOK)
        INITIALISATION s := [] || t := []
        OPERATIONS
          put(x) = PRE x : BOOK & x /: ran(s) & size(s) < 2 THEN s := x -> s END;
          turn = BEGIN s := rev(s) END;
          move = PRE size(t) + size(s) <= 3 & s /= [] THEN t := t ^ s || s := [] END;
          cut(k) = PRE k : 1..size(t) THEN t := t /|\\ k END
        END""",
    "families": """MACHINE families SETS S DEFINITIONS scope_S == 3
        VARIABLES fam, top INVARIANT fam : POW(POW(S)) & top <: S
        INITIALISATION fam := {} || top := {}
        OPERATIONS
          add(x) = PRE x <: S & x /: fam & card(fam) < 2 THEN fam := fam \\/ {x} END;
          join = PRE card(fam) > 1 THEN fam := {union(fam)} END;
          pick(x) = PRE x : fam THEN top := x || fam := fam - {x} END;
          grow(y) = PRE y : POW1(S - top) THEN top := top \\/ y END
        END""",
    "rights": """MACHINE rights SETS FILE; USER; RIGHT = {rd, wr} DEFINITIONS scope_FILE == 2; scope_USER == 2
        VARIABLES acl, hist INVARIANT acl : FILE --> (USER <-> RIGHT) & hist : seq(USER * FILE)
        INITIALISATION acl := FILE * {{}} || hist := <>
        OPERATIONS
          grant(f, u, r) = PRE f : FILE & u : USER & r : RIGHT & u |-> r /: acl(f) & card(acl(f)) < 2
            THEN acl(f) := acl(f) \\/ {u |-> r} END;
          use(u, f) = PRE u : USER & f : FILE & u |-> rd : acl(f) & size(hist) < 2 THEN hist := hist <- (u |-> f) END;
          forget = PRE hist /= <> THEN hist := tail(hist) END
        END""",
    "functions": """MACHINE functions SETS A; B DEFINITIONS scope_A == 3; scope_B == 3
        VARIABLES f INVARIANT f : A +-> B INITIALISATION f := {}
        OPERATIONS
          set(g) = PRE g : A +-> B & card(g) = 2 & dom(g) /\\ dom(f) = {} THEN f := f \\/ g END;
          swap(h) = PRE h : A <-> B & card(h) = 1 & h /\\ f = {} & dom(h) <: dom(f) THEN f := f <+ h END;
          total(h) = PRE h : A --> B & f <: h & card(ran(h)) = 1 THEN f := h END
        END""",
    "records": """MACHINE records SETS KEY; COL = {red, green} DEFINITIONS scope_KEY == 2
        VARIABLES db INVARIANT db : POW(struct(key : KEY, cols : POW(COL), n : INTEGER))
        INITIALISATION db := {}
        OPERATIONS
          add(i, c) = PRE i : KEY & c : POW(COL) & card(db) < 2 THEN
            db := db \\/ {rec(key:i, cols:c, n:100 * card(db))} END;
          del(r) = PRE r : db & r'n >= 0 THEN db := db - {r} END
        END""",
    "broken": """MACHINE broken SETS S DEFINITIONS scope_S == 3
        VARIABLES w, n INVARIANT w : S +-> POW(INTEGER) & n : INTEGER & !x.(x : dom(w) => max(w(x)) < 5000)
        INITIALISATION w := {} || n := 1
        OPERATIONS
          put(x) = PRE x : S & x /: dom(w) THEN w(x) := {n} || n := n * 1000 END;
          look(x) = PRE x : S & n > 10000000 THEN n := max(w(x)) END
        END""",
}
EVERYTHING = SearchOptions(all_errors=True, native=False)
needs_compiler = pytest.mark.skipif(native_build.find_compiler() is None, reason="there is no C compiler")


def prepared(name: str, tmp_path: Path, symmetry: str) -> Case:
    path = tmp_path / f"{name}.mch"
    path.write_text(MACHINES[name], encoding="utf-8")
    system = load(path).system
    return prepare(system, system.properties, CheckOptions(symmetry=symmetry))


def told(outcome: Outcome) -> tuple[object, ...]:
    found = outcome.statistics
    return (
        *(outcome.verdict, outcome.property, found.states, found.transitions, found.levels, found.fired, found.errors),
        outcome.trace and len(outcome.trace.steps),
    )


def explore_natively(model: Case) -> Outcome:
    """Native code from the first state on."""
    with opened(model.system, model.system.properties, EVERYTHING, model.plan) as run:
        build = native_build.begin(native_source(run.program))
        assert build is not None
        while not native_build.is_finished(build):
            time.sleep(0.01)
        native = native_build.load(build.target)
        assert native is not None
        library.runtime().qb_set_native(run.engine, *native[1])
        start(run, initial_words(run))
        outcome = answer(run, drive(run))
        assert isinstance(outcome, Outcome)
        return outcome


@needs_compiler
@pytest.mark.parametrize("symmetry", ["auto", "off"])
@pytest.mark.parametrize("name", MACHINES)
def test_engines_agree(name: str, symmetry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = prepared(name, tmp_path, symmetry)
    plan, system = model.plan, model.system
    reduce = None if plan is None else reducer(layout_of(system), plan)  # type: ignore[arg-type]
    meant = told(explore_slowly(system, system.properties, reduce, EVERYTHING))
    assert told(explore(system, system.properties, plan, options=EVERYTHING)) == meant  # type: ignore[arg-type]
    if symmetry == "auto":
        assert told(explore_natively(model)) == meant


@pytest.mark.parametrize(("name", "symmetry"), [("bag", "off"), ("families", "auto")])
def test_large_values_have_the_same_numbers_on_several_threads(name: str, symmetry: str, tmp_path: Path) -> None:
    model = prepared(name, tmp_path, symmetry)
    plan = model.plan
    alone, together = (
        explore(model.system, (), plan, options=SearchOptions(threads=n))  # type: ignore[arg-type]
        for n in (1, 2)
    )
    assert told(together) == told(alone)


def test_numbers_beyond_64_bits_inside_values_give_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "huge.mch"
    path.write_text(
        "MACHINE huge VARIABLES s INVARIANT s <: INTEGER INITIALISATION s := {2} "
        "OPERATIONS square = BEGIN s := ran(%y.(y : s | y * y)) \\/ s END END",
        encoding="utf-8",
    )
    system = load(path).system
    outcome = explore(system, system.properties)
    assert outcome.verdict is Verdict.UNKNOWN
    assert "64 bits" in outcome.message


@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_values_are_kept_with_checkpoints(symmetry: str, tmp_path: Path) -> None:
    model = prepared("shelf", tmp_path, symmetry)
    system, plan = model.system, model.plan
    kept = str(tmp_path / "kept")
    part = SearchOptions(all_errors=True, native=False, checkpoint=kept, max_depth=4)
    assert explore(system, system.properties, plan, options=part).verdict is Verdict.UNKNOWN  # type: ignore[arg-type]
    rest = SearchOptions(all_errors=True, native=False, resume=kept)
    resumed = explore(system, system.properties, plan, options=rest)  # type: ignore[arg-type]
    whole = explore(system, system.properties, plan, options=EVERYTHING)  # type: ignore[arg-type]
    assert told(resumed) == told(whole)
