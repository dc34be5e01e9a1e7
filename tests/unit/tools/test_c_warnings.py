"""The check of the C says which file a compiler warns about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.c_warnings import compilers, main


@pytest.mark.skipif(not list(compilers()), reason="there is no C compiler")
def test_a_warning_fails_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "runtime" / "vm"
    folder.mkdir(parents=True)
    (folder / "one.h").write_text("int one(void);\n", encoding="utf-8")
    file = folder / "one.c"
    file.write_text('#include "one.h"\nint one(void) { return 1; }\n', encoding="utf-8")
    assert main(tmp_path) == 0
    file.write_text('#include "one.h"\nint one(void) { int unused; return 1; }\n', encoding="utf-8")
    assert main(tmp_path) == 1
    assert "one.c:2" in capsys.readouterr().out
