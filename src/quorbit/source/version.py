"""The version of the program; the package takes it from here."""

from __future__ import annotations

__all__ = ["VERSION"]

VERSION = "0.3.0"
