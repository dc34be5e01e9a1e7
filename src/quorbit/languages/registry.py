"""All languages, and which one a file is written in, by name or by its suffix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.b.language import EVENT_B, B
from quorbit.languages.circuits.language import CIRCUITS
from quorbit.languages.edges.language import EDGES
from quorbit.languages.language import Language
from quorbit.languages.murphi.language import MURPHI
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.language import PROMELA
from quorbit.languages.python.language import PYTHON
from quorbit.model.specialise.deadlock import with_deadlock
from quorbit.model.specialise.ignore import ignore
from quorbit.model.system.system import System
from quorbit.source.errors import UserError
from quorbit.source.read import missing

if TYPE_CHECKING:
    from quorbit.netlists.check import Checked

__all__ = ["is_model", "language_of", "language_of_file", "lower_model", "read_model"]

LANGUAGES = (EDGES, PROMELA, MURPHI, B, EVENT_B, CIRCUITS, PYTHON)
WITHOUT_SUFFIX = PROMELA  # a fifth of the models that people publish have no suffix, or one of their own

FOLDERS = EVENT_B  # a Rodin project


def language_of(path: Path, name: str | None = None) -> Language:
    """The language of this name; without a name the one that the suffix of the file tells."""
    suffix = path.suffix.lower()
    for language in LANGUAGES:
        if language.name == name if name else suffix in (*language.suffixes, *language.refused):
            return language
    if name:
        names = ", ".join(language.name for language in LANGUAGES if language.suffixes)
        raise UserError(None, f"--language {name}: choose one of {names}")
    if path.is_dir():
        return FOLDERS
    if not suffix:
        return WITHOUT_SUFFIX
    known = "; ".join(f"{', '.join(each.suffixes)} ({each.title})" for each in LANGUAGES if each.suffixes)
    raise UserError(None, f"{path}: the suffix {suffix} is unknown; models are {known}; or name it by --language")


def language_of_file(path: Path, name: str | None = None) -> Language:
    """The same for a file that has to be there."""
    language = language_of(path, name)
    if not path.exists():
        raise missing(path)
    return language


def is_model(path: Path) -> bool:
    """Whether the name is that of a model."""
    return any(path.suffix.lower() in (*language.suffixes, *language.refused) for language in LANGUAGES)


def read_model(path: Path, options: LoadOptions) -> System | Checked:
    """The System of a model file; a circuit as it was read, for what is asked of it decides which System it has."""
    language = language_of_file(path, options.language)
    if options.lossy and not language.has_channels:
        raise UserError(None, "--lossy is about the channels of Promela models")
    for name, _ in options.preferences:
        if name not in language.preferences:
            known = ", ".join(language.preferences) or f"none for {language.title}"
            raise UserError(None, f"--pref {name}: there is no such preference; there are: {known}")
    if language.read_circuit is not None:
        return language.read_circuit(path, options)
    return adjusted(language.load(path, options), options)


def lower_model(path: Path, found: System | Checked, options: LoadOptions) -> System:
    """The System of what was read: of a circuit with the properties that its file states."""
    if isinstance(found, System):
        return found
    lower = language_of(path, options.language).lower_circuit
    assert lower is not None
    return adjusted(lower(path, found, options), options)


def adjusted(system: System, options: LoadOptions) -> System:
    return ignore(with_deadlock(system, options.deadlock), options.ignore)
