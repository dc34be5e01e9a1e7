"""The check of the structure sees imports that hide: by a string, or inside a function."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.check_structure import breaches
from tools.offer_names import offer

LATE = '"""A file."""\n\n\ndef f() -> None:\n    from quorbit.groups.other import g\n\n    g()\n'
SECOND = '"""A file."""\n\n\ndef f() -> None:\n    x = 1\n    from quorbit.engines.one.explore import g\n\n    g(x)\n'
STRING = '"""A file."""\n\nfrom importlib import import_module\n\nother = import_module("quorbit.groups.other")\n'
SUFFIX = '"""A file."""\n\n\ndef f(path):\n    return path.suffix\n'
ENDING = '"""A file."""\n\n\ndef f(path):\n    return path.endswith((".pml", ".mch"))\n'
CIRCUIT = '"""A file."""\n\n\ndef f(model):\n    return model.is_circuit\n'
VALUES = '"""A file."""\n\nfrom dataclasses import field\n\nx = field()\n'


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("groups/some.py", LATE, "move it to the top of the file"),
        ("engines/one/engine.py", LATE, ""),
        ("engines/one/engine.py", SECOND, "move it to its first line"),
        ("groups/some.py", STRING, "imports by a string"),
        ("groups/some.py", SUFFIX, "looks at the suffix"),
        ("groups/some.py", ENDING, "looks at the suffix"),
        ("languages/one/load.py", SUFFIX, ""),
        ("groups/some.py", CIRCUIT, "is_circuit"),
        ("groups/some.py", VALUES, "imports dataclasses"),
        ("source/frozen.py", VALUES, ""),
    ],
)
def test_what_one_file_may_not_do(tmp_path: Path, path: str, text: str, expected: str) -> None:
    file = tmp_path / "quorbit" / path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    found = list(breaches(tmp_path / "quorbit"))
    assert [expected in breach for breach in found] == ([True] if expected else [])


def test_a_module_that_no_command_reaches(tmp_path: Path) -> None:
    package = tmp_path / "quorbit"
    (package / "cli").mkdir(parents=True)
    for name, text in (("main", "from quorbit.cli.used import f"), ("used", "f = 1"), ("left", "g = 1")):
        (package / "cli" / f"{name}.py").write_text(f'"""A file."""\n\n{text}\n', encoding="utf-8")
    assert [breach for breach in breaches(package) if "no command reaches" in breach] == [
        f"{package / 'cli' / 'left.py'}: no command reaches it"
    ]


def test_a_full_shelf(tmp_path: Path) -> None:
    folder = tmp_path / "quorbit" / "groups"
    folder.mkdir(parents=True)
    for number in range(20):
        (folder / f"file{number}.py").write_text('"""A file."""\n', encoding="utf-8")
    assert list(breaches(tmp_path / "quorbit")) == []
    (folder / "one_more.py").write_text('"""A file."""\n', encoding="utf-8")
    assert ["21 files on one shelf" in breach for breach in breaches(tmp_path / "quorbit")] == [True]


def test_only_what_is_offered_is_imported_from_another_folder(tmp_path: Path) -> None:
    package = tmp_path / "quorbit"
    texts = {
        "groups/one.py": '"""A file."""\n\nfrom os import path\n\n\ndef f() -> str:\n    return path.sep\n',
        "groups/two.py": '"""A file."""\n\nfrom quorbit.groups.one import f\n\nh = f\n',
        "graphs/three.py": '"""A file."""\n\n'
        "from quorbit.groups import two\nfrom quorbit.groups.one import f\n\ng = f, two.h\n",
    }
    for name, text in texts.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    found = [breach for breach in breaches(package) if "__all__" in breach]
    assert [breach.split(": ")[1].split(" is not")[0] for breach in found] == ["f", "h"]
    assert offer(package) == 2
    assert '\n\n__all__ = ["f"]\n\n\ndef f()' in (package / "groups/one.py").read_text(encoding="utf-8")
    assert list(breaches(package)) == []
    assert offer(package) == 0


def test_what_is_offered_to_the_own_folder_stays(tmp_path: Path) -> None:
    package = tmp_path / "quorbit"
    one = package / "groups" / "one.py"
    one.parent.mkdir(parents=True)
    one.write_text('"""A file."""\n\n__all__ = ["f", "nobody"]\n\nf = nobody = 1\n', encoding="utf-8")
    (package / "groups" / "two.py").write_text('"""A file."""\n\nfrom quorbit.groups.one import f\n\nh = f\n')
    assert offer(package) == 1
    assert '__all__ = ["f"]\n' in one.read_text(encoding="utf-8")
