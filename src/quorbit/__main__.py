"""``python -m quorbit`` is ``quorbit``."""

from __future__ import annotations

from quorbit.cli.main import program

if __name__ == "__main__":
    program()
