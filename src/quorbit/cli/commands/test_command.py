"""``quorbit test``: run every model below a folder and compare with what its first comment expects.

    // expect: states=22 orbits=15 verdict=holds order=2 structure="S2"

``states``, ``transitions`` and ``depth`` are those without symmetry, ``orbits`` the states with it (the search goes on
after errors), ``abstract`` those of adaptive reduction, which are not orbits; ``order`` and ``structure`` are those of
the group; ``verdict=error`` expects a mistake in the input; ``property=...`` says what to verify.  Promela models count
as SPIN does (``--count-like spin``), ``plain_states`` and ``plain_transitions`` as SPIN does with its reductions off;
``own_states``, ``own_orbits`` and ``own_structure`` are those of ``--count-like own``.
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from pathlib import Path
from typing import Any

from quorbit.cli.answer import is_coloured, print_json, write_file
from quorbit.cli.interrupt import stoppable
from quorbit.cli.progress import progress_line
from quorbit.engines.engine import Kind
from quorbit.languages.options import LoadOptions
from quorbit.languages.registry import is_model, language_of
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask
from quorbit.pipeline.run import check
from quorbit.pipeline.steps import Watch
from quorbit.report.as_json import symmetry_object
from quorbit.report.findings.finding import Finding, Place, Status
from quorbit.report.findings.junit import junit_text
from quorbit.report.record import CheckResult
from quorbit.report.text import Paint
from quorbit.report.text_tables import table
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]

EXPECT = re.compile(r"\bexpect:([^\n]*)")

HEAD = 4096  # characters in which the expectation stands
PLAIN = ("states", "transitions", "depth")
ALL_OFF = ("plain_states", "plain_transitions")
REDUCED = ("orbits", "order", "structure")
OWN = ("own_states", "own_orbits", "own_structure")
KEYS = (*PLAIN, *ALL_OFF, *REDUCED, *OWN, "abstract", "verdict", "property")


@frozen
class Tested:
    model: str
    expected: dict[str, str]
    found: dict[str, str]
    problem: str = ""

    @property
    def passed(self) -> bool:
        return not self.problem and all(self.found.get(key) == value for key, value in self.expected.items())


def run(options: Namespace) -> int:
    models = find_models(Path(options.folder))
    results = []
    for path, expected in models:
        with stoppable(None) as stopper, progress_line(stopper, f"testing {path.name}") as line:
            try:
                results.append(test_model(path, expected, options, line))
            except Interrupted as reason:
                print(f"UNKNOWN: {reason}")
                return 3
    if options.junit:
        write_file(options.junit, junit_text([(result.model, [finding_of(result)]) for result in results]))
    report(results, options.json)
    return 0 if all(result.passed for result in results) else 1


def finding_of(result: Tested) -> Finding:
    place = Place(result.model, 1, 1, f"expected {show_expected(result)}")
    status = Status.HOLDS if result.passed else Status.FAILS
    return Finding(show_expected(result) or "expect:", status, show_difference(result), place)


def find_models(folder: Path) -> list[tuple[Path, str]]:
    """The models that expect something, in the order of their names."""
    if not folder.exists():
        raise UserError(None, f"{folder}: no such folder")
    files = [folder] if folder.is_file() else sorted(filter(is_model, folder.rglob("*")))
    found = [(path, text) for path in files if path.is_file() and (text := expectation(path)) is not None]
    if not found:
        raise UserError(None, f"{folder}: no model here says what is expected of it")
    return found


def expectation(path: Path) -> str | None:
    with path.open("r", encoding="utf-8", errors="replace") as file:
        match = EXPECT.search(file.read(HEAD))
    return None if match is None else match[1].split("*/")[0].strip()


def test_model(path: Path, text: str, options: Namespace, watch: Watch) -> Tested:
    try:
        expected = read_expectation(path, text)
    except UserError as error:
        return Tested(str(path), {}, {}, error.message)
    try:
        return Tested(str(path), expected, measure(path, expected, options, watch))
    except UserError as error:
        problem = "" if expected.get("verdict") == "error" else error.message
        return Tested(str(path), expected, {**expected, "verdict": "error"} if not problem else {}, problem)


def read_expectation(path: Path, text: str) -> dict[str, str]:
    try:
        pairs = [word.partition("=") for word in shlex.split(text)]
    except ValueError as error:
        raise UserError(None, f"{path}: the expectation cannot be read: {error}") from None
    wrong = [key for key, separator, _ in pairs if key not in KEYS or not separator]
    if wrong or not pairs:
        what = f"{', '.join(wrong)} cannot be expected" if wrong else "nothing is expected"
        raise UserError(None, f"{path}: {what}; choose from {', '.join(KEYS)}")
    return {key: value for key, _, value in pairs}


def measure(path: Path, expected: dict[str, str], options: Namespace, watch: Watch) -> dict[str, str]:
    """Run without symmetry, with it, or both, as far as the expectation asks."""
    found: dict[str, str] = {}
    verdicts: dict[str, None] = {}
    if any(key in expected for key in PLAIN):
        plain = run_once(path, expected, options, "off", watch)
        found |= {key: str(getattr(plain.outcome.statistics, key)) for key in PLAIN}
        verdicts[plain.verdict] = None
    if any(key in expected for key in ALL_OFF):
        plain = run_once(path, expected, options, "off", watch, "plain")
        found |= {f"plain_{key}": str(getattr(plain.outcome.statistics, key)) for key in ("states", "transitions")}
        verdicts[plain.verdict] = None
    if "abstract" in expected:
        adaptive = run_once(path, expected, replace_engine(options), "auto", watch)
        found["abstract"] = str(adaptive.states)
        verdicts[adaptive.verdict] = None
    if "own_states" in expected:
        plain = run_once(path, expected, options, "off", watch, "own")
        found["own_states"] = str(plain.states)
        verdicts[plain.verdict] = None
    if any(key in expected for key in ("own_orbits", "own_structure")):
        reduced = run_once(path, expected, options, "auto", watch, "own")
        found["own_orbits"], found["own_structure"] = (
            str(reduced.states),
            symmetry_object(reduced.symmetry)["structure"],
        )
        verdicts[reduced.verdict] = None
    if any(key in expected for key in REDUCED) or not verdicts:
        reduced = run_once(path, expected, options, "auto", watch)
        found["orbits"] = str(reduced.states)
        told = symmetry_object(reduced.symmetry)
        found["order"], found["structure"] = str(told["order"]), told["structure"]
        verdicts[reduced.verdict] = None
    found["verdict"] = " and ".join(verdicts)
    if "property" in expected:
        found["property"] = expected["property"]
    return found


def replace_engine(options: Namespace) -> Namespace:
    """The same options for the adaptive engine, which has no strategies."""
    return Namespace(**{**vars(options), "engine": "adaptive", "strategy": "auto"})


def run_once(
    path: Path, expected: dict[str, str], options: Namespace, symmetry: str, watch: Watch, count_like: str = "spin"
) -> CheckResult:
    asked = CheckOptions(
        properties=(expected.get("property", "safety"),),
        symmetry=symmetry,
        strategy=options.strategy if symmetry == "auto" else "auto",
        engine=options.engine,
        search=SearchOptions(timeout=options.timeout, all_errors=True),
        adapt=False,
    )
    counting = LoadOptions(count_like=count_like) if count_like in language_of(path).counts else LoadOptions()
    model = load(path, counting)
    if any(question.kind is Kind.TEMPORAL for question in ask(model, asked)):  # it has one counterexample
        asked = replace(asked, search=replace(asked.search, all_errors=False))
    results = check(model, asked, watch)
    return results.worst if "property" in expected else results.about_safety.worst


def report(results: list[Tested], as_json: bool) -> None:
    if as_json:
        print_json({"passed": all(r.passed for r in results), "models": [tested_object(r) for r in results]})
        return
    paint = Paint(is_coloured())
    rows = [[r.model, show_expected(r), "ok" if r.passed else f"FAILS: {show_difference(r)}"] for r in results]
    lines = table(["model", "expected", "result"], rows)
    print(lines[0])
    for line, result in zip(lines[1:], results, strict=True):
        print(paint(line, "green" if result.passed else "red"))
    print(f"{sum(r.passed for r in results)} of {len(results)} models as expected")


def show_expected(result: Tested) -> str:
    return " ".join(f"{key}={value}" for key, value in result.expected.items())


def show_difference(result: Tested) -> str:
    different = [f"{k}={result.found.get(k)}" for k, v in result.expected.items() if result.found.get(k) != v]
    return result.problem or " ".join(different)


def tested_object(result: Tested) -> dict[str, Any]:
    return {
        "model": result.model,
        "passed": result.passed,
        "expected": result.expected,
        "found": result.found,
        "message": result.problem,
    }
