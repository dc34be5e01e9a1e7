"""A trace as a file: JSON that tells how the model was read, where the run began and which commands ran.

    {"format": "quorbit-trace", "version": 1, "model": "m.pml", "digest": "sha256:...",
     "options": {"defines": [["N", "3"]], "count_like": "own", ...},
     "property": "assertions", "message": "...", "start": [...],
     "steps": [[{"command": 4, "label": "x = 1", "binding": [0]}], ...], "loop": null}

The states after the start are not told: the commands determine them.  A value is a number, a text {"text": ...}, a
tuple [...] or a set {"set": [...]}; atoms are their numbers.  ``label`` is there so that a trace of another model is
noticed and can be read by people.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.specialise.after_errors import is_companion
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Value
from quorbit.result.outcome import Trace
from quorbit.source.frozen import fields_by_name, frozen, names_of_fields

__all__ = [
    "NotATrace",
    "SavedTrace",
    "digest_of",
    "firing_object",
    "read_options",
    "read_step",
    "read_trace",
    "read_value",
    "save_trace",
    "value_object",
]

FORMAT, VERSION = "quorbit-trace", 1
T = TypeVar("T", str, int)


class NotATrace(Exception):
    """The object is not a saved trace; the message says why."""


@frozen
class SavedFiring:
    label: str
    firing: Firing


@frozen
class SavedTrace:
    """What a file says; whether it is a run of the model is another question."""

    model: str
    digest: str
    options: LoadOptions
    start: State
    steps: tuple[tuple[SavedFiring, ...], ...]
    loop: int | None = None
    property: str = ""
    message: str = ""


def save_trace(
    system: System, path: str | Path, options: LoadOptions, trace: Trace, property: str = "", message: str = ""
) -> dict[str, Any]:
    """The object for a trace of the System that was read from path with these options.  Commands have the numbers they
    have there, also where companions go past assertions that fail."""
    numbers = numbers_as_loaded(system)
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": str(path),
        "digest": digest_of(path),
        "options": fields_by_name(options),
        "property": property,
        "message": message,
        "start": [value_object(v) for v in trace.start],
        "steps": [
            [{**firing_object(system, firing), "command": numbers[firing.command]} for firing in step.firings]
            for step in trace.steps
        ],
        "loop": trace.loop,
    }


def numbers_as_loaded(system: System) -> list[int]:
    """By command: its number in the System as it was loaded, where companions stood behind no command."""
    originals = accumulate(not is_companion(command) for command in system.commands)
    return [count - 1 for count in originals]


def digest_of(path: str | Path) -> str:
    """Of the model's own file; "" if it cannot be read any more."""
    import hashlib  # here, for it takes longer to load than the rest of this folder, and most runs have no trace

    try:
        return "sha256:" + hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def firing_object(system: System, firing: Firing) -> dict[str, Any]:
    label = system.commands[firing.command].label
    return {"command": firing.command, "label": label, "binding": [value_object(v) for v in firing.binding]}


def value_object(value: Value) -> Any:
    match value:
        case str():
            return {"text": value}
        case tuple():
            return [value_object(v) for v in value]
        case frozenset():
            return {"set": [value_object(v) for v in sorted_elements(value)]}
        case _:
            return int(value)


def read_trace(found: Any) -> SavedTrace:
    """The trace in an object; also that of a whole answer of ``check --json``, below its key ``replay``."""
    if isinstance(found, dict) and "format" not in found and "verdict" in found:
        if not isinstance(found.get("replay"), dict):
            raise NotATrace("this answer has no trace")
        found = found["replay"]
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise NotATrace(f'not a saved trace: there is no "format": "{FORMAT}"')
    if found.get("version") != VERSION:
        raise NotATrace(f"a trace of version {found.get('version')}; this program reads version {VERSION}")
    return SavedTrace(
        text_in(found, "model"),
        text_in(found, "digest"),
        read_options(found.get("options")),
        tuple(read_value(v) for v in list_of(found.get("start"), "start")),
        tuple(read_step(step) for step in list_of(found.get("steps"), "steps")),
        number_in(found, "loop"),
        text_in(found, "property"),
        text_in(found, "message"),
    )


def read_step(found: Any) -> tuple[SavedFiring, ...]:
    return tuple(read_firing(firing) for firing in list_of(found, "a step"))


def read_firing(found: Any) -> SavedFiring:
    if not isinstance(found, dict) or not is_number(found.get("command")):
        refuse("a command of a step", "an object with the number of a command")
    binding = tuple(read_value(v) for v in list_of(found.get("binding"), "binding"))
    return SavedFiring(text_in(found, "label"), Firing(found["command"], binding))


def read_value(found: Any) -> Value:
    match found:
        case bool():
            return int(found)
        case int():
            return found
        case list():
            return tuple(read_value(v) for v in found)
        case {"text": str() as text}:
            return text
        case {"set": list() as elements}:
            return frozenset(read_value(v) for v in elements)
    refuse("a value", "a number, a list, a text or a set")


def read_options(found: Any) -> LoadOptions:
    """How the model was read; what a later version adds is refused."""
    if not isinstance(found, dict):
        refuse("options", "an object")
    known = names_of_fields(LoadOptions)
    if wrong := [name for name in found if name not in known]:
        raise NotATrace(f"the option {wrong[0]} is unknown")
    return LoadOptions(
        defines=pairs_in(found, "defines", str),
        count_like=text_in(found, "count_like") or "own",
        deadlock=text_in(found, "deadlock") or "model",
        set_sizes=pairs_in(found, "set_sizes", int),
        max_int=number_in(found, "max_int"),
        min_int=number_in(found, "min_int"),
        preferences=pairs_in(found, "preferences", str),
        ignore=tuple(str(kind) for kind in list_of(found.get("ignore", []), "ignore")),
        bounds=max(1, number_in(found, "bounds") or 1),
        lossy=found.get("lossy") is True,
        language=None if found.get("language") is None else text_in(found, "language"),
        stepwise=found.get("stepwise") is True,
        machine=None if found.get("machine") is None else text_in(found, "machine"),
        refines=None if found.get("refines") is None else text_in(found, "refines"),
        deadlock_free=found.get("deadlock_free") is True,
        files=tuple(str(file) for file in list_of(found.get("files", []), "files")),
        includes=tuple(str(folder) for folder in list_of(found.get("includes", []), "includes")),
        top=None if found.get("top") is None else text_in(found, "top"),
        task=None if found.get("task") is None else text_in(found, "task"),
        parameters=pairs_in(found, "parameters", str),
        dialect=text_in(found, "dialect") or "auto",
        follow_memories=found.get("follow_memories") is True,
    )


def pairs_in(found: dict[str, Any], name: str, of: type[T]) -> tuple[tuple[str, T], ...]:
    pairs = list_of(found.get(name, []), name)
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], of)):
            refuse(name, "a list of pairs")
    return tuple((a, b) for a, b in pairs)


def number_in(found: dict[str, Any], name: str) -> int | None:
    number = found.get(name)
    return number if number is None or is_number(number) else refuse(name, "a number")


def list_of(found: Any, name: str) -> list[Any]:
    return found if isinstance(found, list) else refuse(name, "a list")


def text_in(found: dict[str, Any], name: str) -> str:
    text = found.get(name, "")
    return text if isinstance(text, str) else refuse(name, "a text")


def is_number(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool)


def refuse(name: str, expected: str) -> NoReturn:
    raise NotATrace(f"{name} should be {expected}")
