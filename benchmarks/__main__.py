"""Run the benchmarks, print their tables and keep them in benchmarks/results.

``python -m benchmarks [NAME ...] [DIR ...] [FILE ...]``

A benchmark is a module ``bench_<name>.py`` with ``run() -> list[Row]``: what, how much, which unit, and perhaps the
bound it is meant to keep (rows.py).  DIR: folders with models for those benchmarks that look at models of others
(public).  FILE: single models for them; what is found out about these is printed and not kept.
Figures are ratios to a peer that ran beside us wherever there is one; times alone say little about another machine.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TAKES_MODELS = ("bench_public",)


def main(wanted: list[str]) -> int:
    paths = tuple(word for word in wanted if Path(word).exists())
    wanted = [word for word in wanted if word not in paths]
    names = sorted(file.stem for file in HERE.glob("bench_*.py"))
    chosen = [name for name in names if not wanted or name.removeprefix("bench_") in wanted]
    if not chosen:
        print(f"no such benchmark; there are {', '.join(name.removeprefix('bench_') for name in names)}")
        return 2
    for name in chosen:
        module = importlib.import_module(f"benchmarks.{name}")
        takes_models = name in TAKES_MODELS
        rows = module.run(paths) if takes_models else module.run()
        table = print_table(name.removeprefix("bench_"), rows)
        if not takes_models or all(map(os.path.isdir, paths)):
            keep(name.removeprefix("bench_"), rows, table)
    return 0


def print_table(name: str, rows: Sequence[tuple[Any, ...]]) -> str:
    wide = max((len(row[0]) for row in rows), default=0)
    lines = [name, *(f"  {what:<{wide}}  {value:>12.4g} {unit:<12} {''.join(b)}" for what, value, unit, *b in rows)]
    text = "\n".join(line.rstrip() for line in lines)
    print(f"\n{text}", flush=True)
    return text


def keep(name: str, rows: Sequence[tuple[Any, ...]], table: str) -> None:
    """As JSON for programs, and as text with the day and the machine."""
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    record = {"date": date.today().isoformat(), "machine": machine, "rows": rows}
    (results / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    text = f"{table}\n\n{record['date']}, {machine}; load {os.getloadavg()[0]:.1f}\n"
    (results / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
