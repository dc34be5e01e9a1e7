"""A package, a project folder or an archive of Event-B to a System."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.b.eventb.component import Project
from quorbit.languages.b.eventb.levels import flatten
from quorbit.languages.b.eventb.package import read_package
from quorbit.languages.b.syntax.compose import Composed

__all__ = ["compose_project", "read_project"]


def compose_project(path: Path) -> Composed:
    return flatten(read_project(path))


def read_project(path: Path) -> Project:
    return read_package(path)
