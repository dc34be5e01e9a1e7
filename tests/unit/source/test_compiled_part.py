"""Parts of packages that are loaded alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quorbit.source.compiled_part import load_compiled

ALONE = """
import sys
from quorbit.source.compiled_part import load_compiled
part = load_compiled("{package}", "{part}")
assert "{package}" not in sys.modules, "the package was loaded, too"
import {package}
assert sys.modules["{package}.{part}"] is part
assert load_compiled("{package}", "{part}") is part
"""


@pytest.mark.parametrize(("package", "part"), [("igraph", "_igraph"), ("oxidd", "_oxidd")])
def test_the_package_finds_the_part_that_was_loaded_before(package: str, part: str) -> None:
    program = ALONE.format(package=package, part=part)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_does_not_exist_is_left_to_the_import_that_follows() -> None:
    assert load_compiled("no_such_package", "_part") is None
    assert load_compiled("json", "_no_such_part") is None
