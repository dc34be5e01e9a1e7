"""Print which share of the C lines the tests have reached, file by file, from what gcov counted.

Run by ``make coverage`` as ``python tools/c_coverage.py build/coverage``, from the folder the runtimes were built in.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Lines = dict[int, bool]  # of one source file: whether each line that holds code was run


def read_counts(folder: Path) -> dict[str, Lines]:
    """By file; a header is compiled several times, and a line counts if one of them ran it."""
    found: dict[str, Lines] = defaultdict(dict)
    for notes in sorted(folder.rglob("*.gcno")):
        command = ["gcov", "--json-format", "--stdout", str(notes)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for file in json.loads(told)["files"]:
            if file["file"].startswith("/"):
                continue  # a header of the system
            lines = found[file["file"]]
            for line in file["lines"]:
                lines[line["line_number"]] = lines.get(line["line_number"], False) or line["count"] > 0
    return found


def show(found: dict[str, Lines]) -> None:
    for name, lines in sorted(found.items(), key=lambda item: sum(item[1].values()) / len(item[1])):
        print(f"{name:64} {row(lines)}")
    print(f"{'TOTAL of C':64} {row({(n, k): v for n, x in found.items() for k, v in x.items()})}")


def row(lines: Mapping[Any, bool]) -> str:
    reached = sum(lines.values())
    return f"{len(lines):6} {len(lines) - reached:6} {100 * reached / len(lines):5.0f}%"


if __name__ == "__main__":
    show({name: lines for name, lines in read_counts(Path(sys.argv[1])).items() if lines})
