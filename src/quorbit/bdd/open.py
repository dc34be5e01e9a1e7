"""Open a manager by the name of its library; the libraries are optional and imported when first asked for."""

from __future__ import annotations

from importlib.util import find_spec

from quorbit.bdd.function import Manager
from quorbit.source.errors import UserError

__all__ = ["is_installed", "open_manager"]

LIBRARIES = ("oxidd", "cudd")


def open_manager(library: str = "oxidd", reorder: bool = False, nodes: int = 1 << 22) -> Manager:
    """A fresh manager with room for so many nodes.  Only CUDD reorders; OxiDD keeps the order it is given."""
    if library == "oxidd":
        if reorder:
            raise UserError(None, "oxidd does not reorder variables; ask for cudd")
        need("oxidd", "oxidd")
        return open_oxidd(nodes)
    if library == "cudd":
        need("dd", "dd")
        return open_cudd(nodes * 64, reorder)
    raise UserError(None, f"there is no BDD library {library}; known are {', '.join(LIBRARIES)}")


def open_oxidd(nodes: int) -> Manager:
    from quorbit.bdd.oxidd_manager import OxiddManager

    return OxiddManager(nodes)


def open_cudd(memory: int, reorder: bool) -> Manager:
    from quorbit.bdd.cudd_manager import CuddManager

    return CuddManager(memory, reorder)


def is_installed(library: str) -> bool:
    return find_spec("dd" if library == "cudd" else library) is not None


def need(module: str, package: str) -> None:
    if find_spec(module) is None:
        raise UserError(None, f"BDDs need the package {package}: pip install 'quorbit[circuits]'")
