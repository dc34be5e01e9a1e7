"""Drop the conditions of partial-order reduction one by one, and see that a test notices each time.

The table is ``tools/conditions.py``: which text of the package says a condition, what stands there when it is dropped,
and the tests that have to fail then.  The package is copied into a scratch folder; first, with nothing dropped, all
these tests have to pass there.  Entries without tests are run against all of ``EVERYWHERE``: so the test for a new
entry is found.
Run as ``python tools/drop_conditions.py [--only WORD]``; exit 1 if a condition was dropped and no test has failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from conditions import CONDITIONS, Dropped

ROOT = Path(__file__).parents[1]
RUNTIME = Path("machine") / "runtime"
C_FLAGS = ("-O1", "-std=gnu11", "-fPIC", "-fvisibility=hidden", "-pthread")
LONGEST = 300  # seconds for the tests of one entry
EVERYWHERE = (
    "tests/unit/engines/test_partial_order.py",
    "tests/unit/model/dependence",
    "tests/unit/machine/test_tests_of_fields.py",
    "tests/agree/test_rows_of_facts.py",
    "tests/agree/test_facts_by_brute_force.py",
    "tests/agree/test_partial_order_random.py",
    "tests/agree/test_stubborn_walks.py",
    "tests/agree/test_murphi_partial_order.py",
    "tests/agree/test_cluster_partial_order.py",
)


class Scratch:
    """A copy of the package in which one text at a time is replaced."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.package = folder, folder / "src" / "quorbit"
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        self.run([sys.executable, "-m", "compileall", "-q", "src"], writes=True)
        runtime = self.package / RUNTIME
        self.sources = sorted(runtime.rglob("*.c"))
        self.headers = [f"-I{f}" for f in sorted({h.parent for h in runtime.rglob("*.h")})]
        (self.library,) = (self.package / "machine").glob("_runtime*")
        self.compile(self.sources)
        self.link()

    def run(self, command: Sequence[str], writes: bool = False) -> subprocess.CompletedProcess[str]:
        """In the tests' own folder, where ``import quorbit`` finds the copy.  Nothing compiled is written later: what
        is replaced may be as long and as old as what stood there."""
        env = {**os.environ, "PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "" if writes else "1"}
        where = self.folder if writes else ROOT
        return subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, check=False, timeout=LONGEST)

    # The runtime.

    def object_of(self, source: Path) -> str:
        return str(self.folder / f"{source.stem}.o")

    def compile(self, sources: Sequence[Path]) -> None:
        for source in sources:
            command = ["cc", *C_FLAGS, *self.headers, "-c", str(source), "-o", self.object_of(source)]
            subprocess.run(command, check=True)

    def link(self) -> None:
        self.library.unlink()  # a process may have it open
        objects = [self.object_of(source) for source in self.sources]
        subprocess.run(["cc", "-shared", "-pthread", *objects, "-o", str(self.library)], check=True)

    # Dropping.

    def put(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8")
        if file.suffix == ".py":
            for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
                stale.unlink()
            return
        self.compile([file] if file.suffix == ".c" else self.sources)
        self.link()

    def tests_pass(self, tests: Sequence[str]) -> tuple[int, str]:
        """pytest's exit code, and what it says in the end."""
        options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not soak", "--tb", "no"]
        try:
            done = self.run([sys.executable, "-m", "pytest", *options, *tests])
        except subprocess.TimeoutExpired:
            return -1, f"the tests did not end within {LONGEST} s"
        said = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return done.returncode, said[0] if said else (done.stdout + done.stderr)[-600:]


def drop(scratch: Scratch, file: str, entry: Dropped) -> bool:
    """Whether a test has noticed; what happened is printed."""
    path = scratch.package / file
    whole = path.read_text(encoding="utf-8")
    if whole.count(entry.text) != 1:
        print(f"TEXT NOT FOUND ONCE  {entry.name}: {file}", flush=True)
        return False
    scratch.put(path, whole.replace(entry.text, entry.instead))
    try:
        code, said = scratch.tests_pass(entry.tests or EVERYWHERE)
    finally:
        scratch.put(path, whole)
    is_caught = code == 1
    word = "caught  " if is_caught else "SURVIVED" if code == 0 else "BROKEN  "
    detail = said if code not in (0, 1) or (is_caught and not entry.tests) else ""
    print(f"{word}  {entry.condition}: {entry.name} ({file})" + (f"\n    {detail}" if detail else ""), flush=True)
    return is_caught


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="only entries whose name, condition or file has it")
    asked = parser.parse_args()
    chosen = [
        (file, entry)
        for file, entries in CONDITIONS.items()
        for entry in entries
        if asked.only in f"{entry.condition}: {entry.name} ({file})" and not entry.implied
    ]
    with TemporaryDirectory() as folder:
        scratch = Scratch(Path(folder))
        where = scratch.run([sys.executable, "-c", "import quorbit; print(quorbit.__path__[0])"]).stdout.strip()
        assert where == str(scratch.package), where
        code, said = scratch.tests_pass(
            list(dict.fromkeys(t for _, entry in chosen for t in entry.tests or EVERYWHERE))
        )
        if code != 0:
            print(f"With nothing dropped the tests do not pass: {said}")
            return 1
        missed = [entry for file, entry in chosen if not drop(scratch, file, entry)]
    print(f"{len(chosen) - len(missed)} of {len(chosen)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
