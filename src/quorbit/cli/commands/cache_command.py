"""``quorbit cache``: the models that were compiled to native code, listed or removed."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime
from pathlib import Path

from quorbit.cli.answer import print_json
from quorbit.machine.native.build import KeptLibrary, cache_directory, kept_libraries, remove
from quorbit.source.errors import UserError

__all__ = ["run"]


def run(options: Namespace) -> int:
    directory = cache_directory()
    if directory is None:
        raise UserError(None, "native code is not kept: there is no folder that only this user can write")
    found = kept_libraries(directory)
    if options.action == "clear":
        for library in found:
            remove(library)
    if options.json:
        print_json(answer_object(str(directory), found, options.action))
        return 0
    if options.action == "list":
        for library in found:
            print(describe(library))
    done = "removed" if options.action == "clear" else "kept"
    size = sum(library.size for library in found) / 2**20
    print(f"{directory}: {len(found)} compiled model{'' if len(found) == 1 else 's'} {done}, {size:.1f} MiB")
    return 0


def describe(library: KeptLibrary) -> str:
    name = "".join(c if c.isprintable() else "?" for c in Path(library.model).name) or "(not known)"
    size, made, used = f"{library.size / 1024:8.1f} KiB", day(library.made), day(library.used)
    return f"{name:32} {size}  compiled {made}  last used {used}  {library.path.stem[:12]}"


def day(moment: float) -> str:
    return datetime.fromtimestamp(moment).isoformat(" ", "minutes")


def answer_object(directory: str, found: list[KeptLibrary], action: str) -> dict[str, object]:
    libraries = [
        {
            "name": each.path.stem,
            "model": each.model,
            "bytes": each.size,
            "compiled": day(each.made),
            "last_used": day(each.used),
        }
        for each in found
    ]
    return {"directory": directory, "action": action, "libraries": libraries}
