"""The compiled part of a package without the rest of it, which may take longer to load than a short run computes."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType

__all__ = ["load_compiled"]


def load_compiled(package: str, part: str) -> ModuleType | None:
    """The module ``part`` inside a package, loaded without the package; None where that is not possible.

    Who imports the package later gets the same module."""
    name = f"{package}.{part}"
    if name in sys.modules:
        return sys.modules[name]
    whole = find_spec(package)
    places = None if whole is None else whole.submodule_search_locations
    compiled = None if places is None else PathFinder.find_spec(name, places)
    if compiled is None or compiled.loader is None:
        return None
    module = module_from_spec(compiled)
    sys.modules[name] = module
    compiled.loader.exec_module(module)
    return module
