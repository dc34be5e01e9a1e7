"""Record what the program answers about many models, and compare two recordings.

    python tools/snapshot.py record FILE FOLDER... [--program COMMAND] [--with OPTIONS]... [--timeout SECONDS]
    python tools/snapshot.py compare BEFORE AFTER

Every model below the folders is asked for its symmetry and checked: all safety properties, each formula that the text
names, and the property files that lie beside it.  ``--with="--symmetry off"`` checks it once more with these options.
What depends on the machine (seconds, bytes) is left out; a run that does not end in time is recorded as such, and is
left out of the comparison.  ``compare`` prints every difference and answers 1 if there is one.
"""

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

SUFFIXES = (".edges", ".pml", ".prm", ".promela", ".spin", ".mch", ".ref", ".imp", ".sys", ".m")
SUFFIXES += (".mv", ".blifmv", ".blif", ".aag", ".aig", ".v", ".sv", ".vl")
PROPERTY_SUFFIXES = (".ctl", ".ltl", ".fair")
UNSTEADY = {"seconds", "memory_bytes", "replay"}  # of an answer: other on every run, or told by the trace
LATE = "not within the time"
NAMED = "not checked: "  # how a note of the program begins that names the formulas of a text
Answers = dict[str, Any]


def main() -> int:
    options = read_arguments()
    if options.action == "compare":
        return compare(read(options.before), read(options.after))
    models = [model for folder in options.folders for model in models_below(folder)]
    with ThreadPoolExecutor(options.jobs) as pool:
        answers = dict(pool.map(lambda model: (str(model), ask_all(options, model)), models))
    options.file.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    late = sum(answer == LATE for questions in answers.values() for answer in questions.values())
    print(f"{len(answers)} models, {sum(map(len, answers.values()))} answers, {late} not within {options.timeout:g} s")
    return 0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    actions = parser.add_subparsers(dest="action", required=True)
    record = actions.add_parser("record")
    record.add_argument("file", type=Path)
    record.add_argument("folders", type=Path, nargs="+")
    record.add_argument("--program", default=str(Path(sys.executable).with_name("quorbit")), help="what is recorded")
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
    files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    return [file for file in files if file.suffix.lower() in SUFFIXES and file.is_file()]


def ask_all(options: argparse.Namespace, model: Path) -> Answers:
    """The answers to every question about one model, by the words of the command."""
    answers: Answers = {}

    def ask(*words: str) -> Any:
        key = " ".join(words)
        answers[key] = answer(options, [*shlex.split(options.program), words[0], str(model), *words[1:], "--json"])
        return answers[key]

    ask("symmetry")
    named = formulas_named(ask("check"))
    beside = [str(file) for file in sorted(model.parent.glob(f"{model.stem}*")) if file.suffix in PROPERTY_SUFFIXES]
    for words in (*named, *beside):
        ask("check", "--property", words)
    for given in options.options:
        ask("check", *shlex.split(given))
    return answers


def answer(options: argparse.Namespace, command: list[str]) -> Any:
    try:
        run = subprocess.run(command, capture_output=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return LATE
    try:
        return {"exit": run.returncode, "answer": steady(json.loads(run.stdout))}
    except ValueError:
        return {"exit": run.returncode, "said": run.stdout.decode("utf-8", "replace")[-500:]}


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
            if LATE not in (old, new) and old != new:
                yield f"{model}: {question}: " + "; ".join(parts(old, new))


def parts(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Where two answers differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key) or (key in old) != (key in new):
                yield from parts(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    else:
        yield f"{path}: {str(old)[:200]} -> {str(new)[:200]}"


if __name__ == "__main__":
    sys.exit(main())
