"""What a process beside the page is asked to compute."""

from __future__ import annotations

from quorbit.languages.options import LoadOptions
from quorbit.source.frozen import frozen

LENGTH = 8  # bytes that tell how long a pickled Task is


@frozen
class Task:
    """``kind``: check, graph or missing.  ``properties``: those asked for; none for all that the model states."""

    kind: str
    path: str
    options: LoadOptions
    properties: tuple[str, ...] = ()
    symmetry: str = "auto"
