"""What a worker has to know of a search, and how it is made sure that all mean the same by it."""

from __future__ import annotations

import hashlib
import platform
import sys
from typing import Any

from quorbit.canon.plan import Plan
from quorbit.machine import library
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import Property, System
from quorbit.source.frozen import frozen
from quorbit.source.version import VERSION


@frozen
class Job:
    """One search, as every worker gets it."""

    system: System
    properties: tuple[Property, ...]
    plan: Plan | None
    options: SearchOptions
    digest: str  # of the program that comes of it
    in_part: bool = False  # states are expanded in part


@frozen
class Identity:
    """What must be the same wherever states are exchanged."""

    version: str
    layouts: str
    machine: str


def own_identity() -> Identity:
    layouts = hashlib.sha256(library.layouts_text().encode()).hexdigest()[:16]
    return Identity(VERSION, layouts, f"{platform.machine()} {sys.byteorder} {sys.platform}")


def refusal_of(theirs: Identity, where: str) -> str:
    """Why a worker cannot take part, "" if it can."""
    ours = own_identity()
    if theirs.version != ours.version:
        return f"{where} runs Quorbit {theirs.version}, and this is {ours.version}: install the same version everywhere"
    if theirs.layouts != ours.layouts:
        return f"{where} has another build of Quorbit {ours.version}: install the same package on all machines"
    if theirs.machine != ours.machine:
        return (
            f"{where} is another kind of machine ({theirs.machine}, here {ours.machine}): it stores states differently"
        )
    return ""


def digest_of_program(program: Any, plan: Plan | None, words: list[int], options: SearchOptions, in_part: bool) -> str:
    """What the states and their successors depend on; ``words``: the initial states."""
    told = (library.layouts_text(), program, plan, words, options.all_errors, in_part)
    return hashlib.sha256(repr(told).encode()).hexdigest()
