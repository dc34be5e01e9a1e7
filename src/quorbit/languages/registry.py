"""Which language a file is written in, by its suffix, and the functions that read it.

A language is imported when a file of it is read.  Its module ``load`` has

    load(path, options) -> System
    load_with(path, property_files, options) -> System          if it has property files of its own
    read_property(path, options, text, name) -> Property        if properties can be given in its own words
    load_for(path, options, text, name) -> (System, Property)   the same, if what is asked decides what is stored

and its module ``expressions``, if it has one, ``read_expression(path, options, text) -> Readable``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from quorbit.languages.expression import Readable
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Property, System
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span


@frozen
class Language:
    name: str
    title: str
    suffixes: tuple[str, ...]


LANGUAGES = (
    Language("edges", "edge diagrams", (".edges",)),
    Language("promela", "Promela", (".pml", ".prm", ".promela", ".spin")),
    Language("b", "B machines", (".mch", ".ref", ".imp", ".sys")),
    Language("circuits", "circuits", (".mv", ".blifmv", ".blif", ".aag", ".aig", ".v", ".sv", ".vl")),
    Language("circuits", "", (".vhd", ".vhdl", ".edif", ".edf", ".edn", ".btor", ".btor2")),  # refused with advice
)


def language_of(path: Path) -> Language:
    suffix = path.suffix.lower()
    for language in LANGUAGES:
        if suffix in language.suffixes:
            return language
    known = "; ".join(f"{', '.join(each.suffixes)} ({each.title})" for each in LANGUAGES if each.title)
    wanted = f"the suffix {suffix} is unknown" if suffix else "the file has no suffix"
    raise UserError(None, f"{path}: {wanted}; models are {known}")


def load_model(path: Path, options: LoadOptions, property_files: Sequence[Path] = ()) -> System:
    """The System of a model file, with the properties of these files if its language has such files."""
    module = module_of(path)
    if options.lossy and language_of(path).name != "promela":
        raise UserError(None, "--lossy is about the channels of Promela models")
    if not property_files:
        system: System = module.load(path, options)
        return system
    if not hasattr(module, "load_with"):
        raise UserError(None, f"{property_files[0]}: {language_of(path).title} have no property files")
    extended: System = module.load_with(path, property_files, options)
    return extended


def has_property_files(path: Path) -> bool:
    return hasattr(module_of(path), "load_with")


def property_reader(path: Path) -> Callable[[Path, LoadOptions, Span, str], Property] | None:
    """The function that reads a property in the words of the model's language, if it has one."""
    return getattr(module_of(path), "read_property", None)


def system_reader(path: Path) -> Callable[[Path, LoadOptions, Span, str], tuple[System, Property]] | None:
    """The function that reads a property and the System to check it on, if these depend on each other."""
    return getattr(module_of(path), "load_for", None)


def expression_reader(path: Path) -> Callable[[Path, LoadOptions, Span], Readable]:
    """The function that reads an expression in the words of the model's language."""
    module_of(path)
    found = part_of(path, "expressions")
    if found is None:
        raise UserError(None, f"{path}: expressions about {language_of(path).title} cannot be evaluated")
    reader: Callable[[Path, LoadOptions, Span], Readable] = found.read_expression
    return reader


def part_of(path: Path, name: str) -> ModuleType | None:
    """A module that only some languages have."""
    full = f"quorbit.languages.{language_of(path).name}.{name}"
    return None if find_spec(full) is None else import_module(full)


def module_of(path: Path) -> ModuleType:
    language = language_of(path)
    if not path.exists():
        raise UserError(None, f"{path}: no such file")
    module = part_of(path, "load")
    if module is None:
        raise UserError(None, f"{path}: this version does not read {language.title}")
    return module
