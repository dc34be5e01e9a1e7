"""Whether this program runs in the kernel of a notebook, and in which cell a text stands; imports nothing for it."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["cell_name", "kernel_shell"]


def kernel_shell() -> Any:
    """IPython's shell if a kernel shows what it displays, else None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell if getattr(shell, "kernel", None) is not None else None


def cell_name(file: str) -> str:
    """The name of a file; of one that stands for a cell of the notebook, as its messages name the cell."""
    name_of = getattr(getattr(kernel_shell(), "compile", None), "format_code_name", lambda _: None)
    return " ".join(name_of(file) or (file,))
