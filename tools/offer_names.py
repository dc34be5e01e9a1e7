"""Write into every file of the package which of its names other folders import: its ``__all__``.

The rest is the file's own.  To be run again after a merge or a move, as ``python tools/offer_names.py src/quorbit``;
``tools/check_structure.py`` finds what is missing.  What a list offers to files of the same folder stays in it; what no
other file imports goes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

if __package__:
    from tools.check_structure import imported_names, offered, parsed
else:
    from check_structure import imported_names, offered, parsed


def offer(package: Path) -> int:
    """How many files were changed."""
    wanted, beside = imported(package, siblings=False), imported(package, siblings=True)
    changed = 0
    for file, text, tree in parsed(package):
        kept = set(offered(tree) or ()) & beside.get(file, set())
        names = wanted.get(file, set()) | kept | passed_on(tree)
        if file.parent == package or file.name == "__init__.py" or set(offered(tree) or ()) == names:
            continue
        file.write_text(rewritten(text, tree, sorted(names, key=order)), encoding="utf-8")
        changed += 1
    return changed


def imported(package: Path, siblings: bool) -> dict[Path, set[str]]:
    """By file, the names that others take from it."""
    found: dict[Path, set[str]] = {}
    for file, _, tree in parsed(package):
        for _, target, name in imported_names(package, file, tree, siblings):
            found.setdefault(target, set()).add(name)
    return found


def passed_on(tree: ast.Module) -> set[str]:
    """Names in ``__all__`` that a file offers although it imports them itself."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return set(offered(tree) or ()) & {alias.asname or alias.name for node in imports for alias in node.names}


def order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as the linter sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def rewritten(text: str, tree: ast.Module, names: Iterable[str]) -> str:
    """The text with another list of names, after its imports."""
    lines = text.split("\n")
    listed = list(names)
    said = [f"__all__ = [{', '.join(map(repr, listed))}]".replace("'", '"')] if listed else []
    if said and len(said[0]) > 120:
        said = ["__all__ = [", *(f'    "{name}",' for name in listed), "]"]
    old = next((node for node in tree.body if is_offer(node)), None)
    if old is not None:
        lines[old.lineno - 1 : old.end_lineno] = said
    elif said:
        at = end_of_imports(tree)
        lines[at:at] = ["", *said]
    return "\n".join(lines)


def is_offer(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets)


def end_of_imports(tree: ast.Module) -> int:
    """The number of the last line of the opening docstring and imports."""
    end = 0
    for node in tree.body:
        if not (isinstance(node, ast.Import | ast.ImportFrom) or is_docstring(node)):
            break
        end = node.end_lineno or 0
    return end


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


if __name__ == "__main__":
    print(f"{offer(Path(sys.argv[1]))} files changed")
