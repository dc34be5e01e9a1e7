"""Modules of the package are found in fewer steps, and are the ones that Python would find."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import pytest

from quorbit.source.quick_import import Finder, Loader

ENDING = f".{sys.implementation.cache_tag}.pyc"
OURS = Finder("quorbit.", ENDING)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package called hasty."""
    folder = tmp_path / "hasty"
    (folder / "inner").mkdir(parents=True)
    for name, text in (("__init__", ""), ("one", "VALUE = 1"), ("inner/__init__", "HERE = 2"), ("inner/two", "X = 3")):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [Finder("hasty.", ENDING), *sys.meta_path])
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    yield folder
    forget()


def forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "hasty"]:
        del sys.modules[name]


def test_every_module_of_ours_is_the_one_that_python_finds() -> None:
    root = Path(sys.modules["quorbit"].__path__[0])
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        if parts == ("__init__",):
            continue
        name = ".".join(("quorbit", *(parts[:-1] if parts[-1] == "__init__" else parts)))
        place = [str(root.joinpath(*name.split(".")[1:-1]))]
        found, expected = OURS.find_spec(name, place), PathFinder.find_spec(name, place)
        assert found is not None, name
        assert expected is not None, name
        assert found.origin == expected.origin, name
        assert found.cached == expected.cached, name
        assert found.submodule_search_locations == expected.submodule_search_locations, name


def test_others_are_left_to_python(tmp_path: Path) -> None:
    assert OURS.find_spec("quorbit", None) is None
    assert OURS.find_spec("json.decoder", [str(tmp_path)]) is None
    assert OURS.find_spec("quorbit.nothing", [str(tmp_path)]) is None
    assert OURS.find_spec("quorbit.nothing", [str(tmp_path / "missing")]) is None
    assert OURS.find_spec("quorbit.nothing", [str(tmp_path), str(tmp_path)]) is None


def test_modules_are_complete(package: Path) -> None:
    one, two = importlib.import_module("hasty.one"), importlib.import_module("hasty.inner.two")
    assert (one.VALUE, two.X, sys.modules["hasty.inner"].HERE) == (1, 3, 2)
    assert isinstance(one.__loader__, Loader)
    assert one.__file__ == str(package / "one.py")
    assert one.__cached__ == str(package / "__pycache__" / f"one{ENDING}")
    assert sys.modules["hasty.inner"].__path__ == [str(package / "inner")]
    assert (one.__package__, sys.modules["hasty.inner"].__package__) == ("hasty", "hasty.inner")


def test_a_changed_source_is_compiled_again(package: Path) -> None:
    source = package / "one.py"
    assert importlib.import_module("hasty.one").VALUE == 1
    compiled = package / "__pycache__" / f"one{ENDING}"
    before = compiled.read_bytes()
    status = source.stat()
    for text, seconds in (("VALUE = 12", 0), ("VALUE = 34", 5)):  # another size; another time
        source.write_text(text)
        os.utime(source, (status.st_atime, status.st_mtime + seconds))
        forget()
        assert f"VALUE = {importlib.import_module('hasty.one').VALUE}" == text
    assert compiled.read_bytes() != before


def test_what_was_compiled_before_is_used(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importlib.import_module("hasty.one")
    forget()
    monkeypatch.setattr(SourceFileLoader, "get_code", lambda self, name: pytest.fail(f"{name} is read by Python"))
    assert (
        Loader("hasty.one", str(package / "one.py"), str(package / "__pycache__" / f"one{ENDING}")).get_code("")
        is not None
    )


@pytest.mark.parametrize("damage", [b"", b"abc", bytes(16), bytes(100)])
def test_damaged_code_is_compiled_again(package: Path, damage: bytes) -> None:
    importlib.import_module("hasty.one")
    (package / "__pycache__" / f"one{ENDING}").write_bytes(damage)
    forget()
    assert importlib.import_module("hasty.one").VALUE == 1


def test_a_command_uses_it_where_compiled_code_lies_beside_its_source() -> None:
    words = "import quorbit.source.quick_import as quick; quick.find_quickly('quorbit')"
    asked = f"{words}; import quorbit.groups.group as group; print(type(group.__loader__).__name__)"
    for options, loader in (
        ([], "Loader"),
        (["-O"], "SourceFileLoader"),
        (["-X", "pycache_prefix=/tmp"], "SourceFileLoader"),
    ):
        done = subprocess.run([sys.executable, "-B", *options, "-c", asked], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [loader], options
