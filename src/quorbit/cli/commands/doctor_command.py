"""``quorbit doctor``: what of the program is installed and works, and what could be added."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from argparse import Namespace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from quorbit.cli.answer import print_json
from quorbit.machine.library import is_available
from quorbit.machine.native.build import cache_directory, find_compiler, kept_libraries
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.frozen import frozen
from quorbit.source.version import VERSION

__all__ = ["run"]

GOOD, MISSING, WRONG = "ok", "missing", "wrong"
NEEDED = ("igraph", "oxidd", "rich")
EXTRAS = {
    "dd": ("reorder", "decision diagrams that change their order: larger circuits"),
    "python-sat": ("sat", "circuits by SAT: bounded model checking, induction, PDR"),
    "pyosys": ("verilog", "designs that our own reader of Verilog refuses"),
    "ziglang": ("native", "native code where no C compiler is installed"),
    "pygls": ("editor", "the language server for editors"),
    "starlette": ("explore", "quorbit explore, the model in the browser"),
    "ray": ("cluster", "searches that several machines share"),
    "shtab": ("completion", "completion of commands in the shell"),
}  # packages: the extra that installs each, and what it is for
PROGRAMS = {
    "spin": "trails for spin -t (--trail)",
    "dot": "pictures of what graph --dot writes",
}
SMALL = "processes 3\nstates N, T, C\nN -> T\nT -> C when #C = 0\nC -> N\ninvariant mutex: #C <= 1\n"
EXPECTED = 7  # orbits of the small model


@frozen
class Finding:
    """One line: the subject, how it is, and what is known or what to do about it."""

    subject: str
    status: str
    text: str


def run(options: Namespace) -> int:
    found = [*about_program(), *about_packages(), *about_programs()]
    if options.json:
        findings = [{"subject": each.subject, "status": each.status, "message": each.text} for each in found]
        print_json({"version": VERSION, "findings": findings})
    else:
        width = max(len(each.subject) for each in found)
        for each in found:
            print(f"{each.status:8}{each.subject:{width + 2}}{each.text}")
    return 3 if any(each.status == WRONG for each in found) else 0


def about_program() -> list[Finding]:
    return [
        Finding("quorbit", GOOD, f"{VERSION}, {Path(__file__).parents[2]}"),
        Finding("python", GOOD, f"{platform.python_version()}, {sys.executable}"),
        Finding("machine", GOOD, f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"),
        about_engine(),
        about_compiler(),
        about_cache(),
    ]


def about_engine() -> Finding:
    """The runtime is there and gives the right answer about a small model."""
    if not is_available():
        return Finding("engine", WRONG, "the runtime in C was not built: install the package again with a C compiler")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.edges"
        path.write_text(SMALL, encoding="utf-8")
        answer = check(path, CheckOptions(engine="explicit")).results[0]
    if answer.states != EXPECTED:
        return Finding(
            "engine", WRONG, f"{answer.states} states of a small model instead of {EXPECTED}: please report it"
        )
    return Finding("engine", GOOD, "the runtime in C answers a small model as it should")


def about_compiler() -> Finding:
    compiler = find_compiler()
    if compiler is None:
        advice = "long runs stay slower: install a C compiler, or pip install 'quorbit[native]'"
        return Finding("compiler", MISSING, advice)
    return Finding("compiler", GOOD, " ".join(compiler))


def about_cache() -> Finding:
    directory = cache_directory()
    if directory is None:
        return Finding("cache", MISSING, "native code is not kept: no folder that only this user can write")
    libraries = kept_libraries(directory)
    size = sum(library.size for library in libraries)
    return Finding("cache", GOOD, f"{directory}: {len(libraries)} compiled models, {size / 2**20:.1f} MiB")


def about_packages() -> list[Finding]:
    needed = [(name, WRONG, "pip install --force-reinstall quorbit") for name in NEEDED]
    extras = [(name, MISSING, f"{what}: pip install 'quorbit[{extra}]'") for name, (extra, what) in EXTRAS.items()]
    return [about_package(*each) for each in (*needed, *extras)]


def about_package(name: str, without: str, advice: str) -> Finding:
    try:
        return Finding(name, GOOD, version(name))
    except PackageNotFoundError:
        return Finding(name, without, advice)


def about_programs() -> list[Finding]:
    found = ((name, shutil.which(name), what) for name, what in PROGRAMS.items())
    return [Finding(name, GOOD if path else MISSING, path or f"needed only for {what}") for name, path, what in found]
