"""Run the benchmarks, print their tables and keep them in benchmarks/results: ``python -m benchmarks [NAME ...]``.

A benchmark is a module ``bench_<name>.py`` with ``run() -> list[tuple[str, float, str]]``: what, how much, which unit.
Figures are ratios to a peer that ran beside us wherever there is one; times alone say little about another machine.
"""

from __future__ import annotations

import importlib
import json
import platform
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(wanted: list[str]) -> int:
    names = sorted(file.stem for file in HERE.glob("bench_*.py"))
    chosen = [name for name in names if not wanted or name.removeprefix("bench_") in wanted]
    if not chosen:
        print(f"no such benchmark; there are {', '.join(name.removeprefix('bench_') for name in names)}")
        return 2
    for name in chosen:
        rows = importlib.import_module(f"benchmarks.{name}").run()
        print_table(name.removeprefix("bench_"), rows)
        keep(name.removeprefix("bench_"), rows)
    return 0


def print_table(name: str, rows: list[tuple[str, float, str]]) -> None:
    print(f"\n{name}")
    wide = max((len(what) for what, _, _ in rows), default=0)
    for what, value, unit in rows:
        print(f"  {what:<{wide}}  {value:>12.4g} {unit}", flush=True)


def keep(name: str, rows: list[tuple[str, float, str]]) -> None:
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    record = {"machine": platform.machine(), "python": platform.python_version(), "rows": rows}
    (results / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
