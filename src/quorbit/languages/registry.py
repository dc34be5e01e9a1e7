"""All languages, and which one a file is written in, by its suffix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quorbit.languages.b.language import B
from quorbit.languages.circuits.language import CIRCUITS
from quorbit.languages.edges.language import EDGES
from quorbit.languages.language import Language
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.language import PROMELA
from quorbit.model.system.system import System
from quorbit.source.errors import UserError

LANGUAGES = (EDGES, PROMELA, B, CIRCUITS)


def language_of(path: Path) -> Language:
    suffix = path.suffix.lower()
    for language in LANGUAGES:
        if suffix in (*language.suffixes, *language.refused):
            return language
    known = "; ".join(f"{', '.join(each.suffixes)} ({each.title})" for each in LANGUAGES)
    wanted = f"the suffix {suffix} is unknown" if suffix else "the file has no suffix"
    raise UserError(None, f"{path}: {wanted}; models are {known}")


def language_of_file(path: Path) -> Language:
    """The same for a file that has to be there."""
    language = language_of(path)
    if not path.exists():
        raise UserError(None, f"{path}: no such file")
    return language


def is_model(path: Path) -> bool:
    """Whether the name is that of a model."""
    return any(path.suffix.lower() in (*language.suffixes, *language.refused) for language in LANGUAGES)


def load_model(path: Path, options: LoadOptions, property_files: Sequence[Path] = ()) -> System:
    """The System of a model file, with the properties of these files if its language has such files."""
    language = language_of_file(path)
    if options.lossy and not language.has_channels:
        raise UserError(None, "--lossy is about the channels of Promela models")
    if not property_files:
        return language.load(path, options)
    if language.load_with is None:
        raise UserError(None, f"{property_files[0]}: {language.title} have no property files")
    return language.load_with(path, property_files, options)
