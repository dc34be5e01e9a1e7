"""The user, or the time limit, ends a run."""

from __future__ import annotations

__all__ = ["Interrupted"]


class Interrupted(Exception):
    """The run ends here; the message says why.  Raised by whoever watches the run."""
