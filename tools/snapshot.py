"""Record what the program answers about many models, and compare two recordings.

    python tools/snapshot.py record FILE FOLDER... [--source SRC] [--with OPTIONS]... [--timeout SECONDS]
    python tools/snapshot.py compare BEFORE AFTER

Every model below the folders is asked for its symmetry and checked: all safety properties, each formula that the text
names, and the property files that lie beside it.  ``--with="--symmetry off"`` checks it once more with these options.
``--source`` records another checkout.  The program is loaded once; every question is asked of a copy of this process.
What depends on the machine (seconds, bytes) is left out; a run that does not end in time is recorded as such, and is
left out of the comparison.  ``compare`` prints every difference and answers 1 if there is one.
"""

import argparse
import contextlib
import hashlib
import io
import json
import multiprocessing
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NoReturn

PROPERTY_SUFFIXES = (".ctl", ".ltl", ".fair")
UNSTEADY = {"seconds", "memory_bytes", "replay"}  # of an answer: other on every run, or told by the trace
LATE = "not within the time"
NAMED = "not checked: "  # how a note of the program begins that names the formulas of a text
Answers = dict[str, Any]


def main() -> int:
    options = read_arguments()
    if options.action == "compare":
        return compare(read(options.before), read(options.after))
    sys.path.insert(0, str(options.source.resolve()))
    load_program()
    models = [model for folder in options.folders for model in models_below(folder)]
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
        asked = pool.map(partial(ask_all, options), models)
        answers = {str(model): found for model, found in zip(models, asked, strict=True)}
    options.file.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    late = sum(answer == LATE for questions in answers.values() for answer in questions.values())
    print(f"{len(answers)} models, {sum(map(len, answers.values()))} answers, {late} not within {options.timeout:g} s")
    return 0


def load_program() -> None:
    """Import what most commands use, so that the copies of this process need not."""
    import quorbit.cli.main

    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        model = Path(folder, "model.pml")
        model.write_text("byte x; active [2] proctype p() { x++ }", encoding="utf-8")
        for words in ("check", "check --engine reference", "check --engine adaptive", "symmetry"):
            quorbit.cli.main.main([words.split()[0], str(model), *words.split()[1:]])


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    actions = parser.add_subparsers(dest="action", required=True)
    record = actions.add_parser("record")
    record.add_argument("file", type=Path)
    record.add_argument("folders", type=Path, nargs="+")
    record.add_argument("--source", type=Path, default=Path(__file__).parents[1] / "src", help="what is recorded")
    record.add_argument(
        "--with", dest="options", action="append", default=[], help="check once more with these options"
    )
    record.add_argument("--timeout", type=float, default=20.0, help="for one run")
    record.add_argument("--jobs", type=int, default=2)
    comparing = actions.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    return parser.parse_args()


def read(file: Path) -> dict[str, Answers]:
    found: dict[str, Answers] = json.loads(file.read_text(encoding="utf-8"))
    return found


def models_below(folder: Path) -> list[Path]:
    from quorbit.languages.registry import is_model

    files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    return [file for file in files if is_model(file) and file.is_file()]


def ask_all(options: argparse.Namespace, model: Path) -> Answers:
    """The answers to every question about one model, by the words of the command."""
    answers: Answers = {}

    def ask(*words: str) -> Any:
        given = [words[0], str(model), *words[1:], "--json"]
        answers[" ".join(words)] = found = answer(given, options.timeout)
        return found

    ask("symmetry")
    named = formulas_named(ask("check"))
    beside = [str(file) for file in sorted(model.parent.glob(f"{model.stem}*")) if file.suffix in PROPERTY_SUFFIXES]
    for words in (*named, *beside):
        ask("check", "--property", words)
    for given in options.options:
        ask("check", *shlex.split(given))
    return answers


def answer(given: list[str], timeout: float) -> Any:
    """What the program says in a copy of this process, which is ended when its time is over."""
    with TemporaryFile() as said:
        child = os.fork()
        if not child:
            run_and_exit(given, said.fileno())
        status = wait_for(child, timeout)
        if status is None:
            return LATE
        said.seek(0)
        text = said.read()
    try:
        return {"exit": os.waitstatus_to_exitcode(status), "answer": steady(json.loads(text))}
    except ValueError:
        return {"exit": os.waitstatus_to_exitcode(status), "said": text.decode("utf-8", "replace")[-500:]}


def run_and_exit(given: list[str], out: int) -> NoReturn:
    from quorbit.cli.main import main as program

    os.setpgid(0, 0)
    os.dup2(out, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    try:
        code = program(given)
        sys.stdout.flush()
    except BaseException:
        code = 70
    os._exit(code)


def wait_for(child: int, timeout: float) -> int | None:
    """Its status, or None if it had to be ended; then what it started is ended too."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def steady(found: Any) -> Any:
    """An answer without what other runs measure otherwise; of a trace its length and its digest."""
    if isinstance(found, list):
        return [steady(one) for one in found]
    if not isinstance(found, dict):
        return found
    return {key: shortened(key, value) for key, value in found.items() if key not in UNSTEADY}


def shortened(key: str, value: Any) -> Any:
    if key == "trace" and isinstance(value, list):
        return [len(value), hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]]
    return steady(value)


def formulas_named(found: Any) -> list[str]:
    """The formulas of the text that a check of everything leaves out."""
    if found == LATE or "answer" not in found:
        return []
    notes = [note for note in found["answer"].get("notes", []) if note.startswith(NAMED)]
    return [name for note in notes for name in note[len(NAMED) :].split(";")[0].split(", ")]


def compare(before: dict[str, Answers], after: dict[str, Answers]) -> int:
    told = list(differences(before, after))
    print("\n".join(told))
    both = sum(len(before[model].keys() & after[model].keys()) for model in before.keys() & after.keys())
    print(f"{both} answers in both recordings, {len(told)} differences")
    return 1 if told else 0


def differences(before: dict[str, Answers], after: dict[str, Answers]) -> Iterator[str]:
    for model in sorted(before.keys() | after.keys()):
        if model not in before or model not in after:
            yield f"{model}: only {'after' if model in after else 'before'}"
            continue
        for question in sorted(before[model].keys() | after[model].keys()):
            old, new = before[model].get(question), after[model].get(question)
            if LATE not in (old, new) and (told := "; ".join(parts(old, new))):
                yield f"{model}: {question}: {told}"


def parts(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Where two answers differ; keys may be added."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old):
            yield from parts(old[key], new.get(key, "no such key"), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for k, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from parts(a, b, f"{path}[{k}]")
    elif old != new:
        yield f"{path}: {str(old)[:200]} -> {str(new)[:200]}"


if __name__ == "__main__":
    sys.exit(main())
