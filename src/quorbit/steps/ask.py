"""Which properties a user asks for: by name, in the words of the model's language, or in files."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.registry import has_property_files, load_model, property_reader, system_reader
from quorbit.model.system.system import Property, System, Temporal
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span
from quorbit.steps.model import Model
from quorbit.steps.options import CheckOptions


@frozen
class Asked:
    """A question: the user's words ("" for everything) and the properties they stand for."""

    words: str
    properties: tuple[Property, ...]
    notes: tuple[str, ...] = ()
    system: System | None = None  # to check them on, if it is not that of the model as it was loaded


def has_formulas(asked: Asked) -> bool:
    return any(isinstance(p, Temporal) for p in asked.properties)


def find_asked(model: Model, options: CheckOptions) -> list[Asked]:
    if not options.properties:
        return [everything(model.system)]
    files = tuple(words for words in options.properties if is_file(words)) if has_property_files(model.path) else ()
    others = [words for words in options.properties if words not in files]
    asked = [found for words in others for found in find_property(model, words)]
    return [*asked, *read_property_files(model, files)] if files else asked


def asked_together(model: Model, options: CheckOptions) -> tuple[System, tuple[Property, ...]]:
    """All properties asked for, and the System they are about."""
    asked = find_asked(model, options)
    own = [question.system for question in asked if question.system is not None]
    if own and len(asked) > 1:
        raise UserError(None, "ask for one formula at a time, or write the formulas into the model")
    together = dict.fromkeys(p for question in asked for p in question.properties)
    return (own[0] if own else model.system), tuple(together)


def everything(system: System) -> Asked:
    """All safety properties together; formulas are checked one by one when they are asked for."""
    safety = tuple(p for p in system.properties if not isinstance(p, Temporal))
    left = [p.name for p in system.properties if isinstance(p, Temporal)]
    notes = (f"not checked: {', '.join(left)}; ask for a formula by --property NAME",) if left else ()
    return Asked("", safety, (*notes, *system.unread))


def find_property(model: Model, words: str) -> list[Asked]:
    """A property by its name, the formulas of a file, or a formula in the words of the model's language."""
    named = tuple(p for p in model.system.properties if p.name == words)
    if named:
        return [Asked(words, named)]
    if is_file(words):
        return read_property_file(model, Path(words))
    return [ask_formula(model, Span(Source("<property>", words), 0, len(words)), words)]


def is_file(words: str) -> bool:
    try:
        return "\n" not in words and Path(words).is_file()
    except (OSError, ValueError):
        return False


def read_property_files(model: Model, files: tuple[str, ...]) -> list[Asked]:
    """The formulas of all files together, for fairness constraints in one are about the formulas in another."""
    known = {p.name for p in model.system.properties}
    system = load_model(model.path, model.options, tuple(map(Path, files)))
    return [Asked(p.name, (p,), system=system) for p in system.properties if p.name not in known]


def read_property_file(model: Model, path: Path) -> list[Asked]:
    source = read_source(path)
    found = []
    for start, end in formula_lines(source.text):
        span = Span(source, start, end)
        name = f"{path.name}:{span.line}"
        found.append(ask_formula(model, span, name))
    if not found:
        raise UserError(Span(source, 0, 0), "there is no formula in this file")
    return found


def formula_lines(text: str) -> list[tuple[int, int]]:
    """Start and end of every line that holds a formula; lines that begin with // are comments."""
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        body = line.strip().rstrip(";").strip()
        if body and not body.startswith("//"):
            begin = start + line.index(body)
            found.append((begin, begin + len(body)))
        start += len(line)
    return found


def ask_formula(model: Model, span: Span, name: str) -> Asked:
    """A property in the words of the model's language."""
    if (system_for := system_reader(model.path)) is not None:
        system, p = system_for(model.path, model.options, span, name)
        return Asked(name, (p,), system=system)
    reader = property_reader(model.path)
    if reader is None:
        known = ", ".join(p.name for p in model.system.properties) or "none"
        raise UserError(None, f"{name}: no property of this name; the model has {known}")
    return Asked(name, (reader(model.path, model.options, span, name),))
