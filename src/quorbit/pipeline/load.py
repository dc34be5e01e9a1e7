"""Text -> System: a model file that was read, and faults that come up before its first state."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from quorbit.languages.options import LoadOptions
from quorbit.languages.python.language import PYTHON
from quorbit.languages.registry import lower_model, read_model
from quorbit.model.meaning.evaluate import Fault
from quorbit.model.system.system import System
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, replace

if TYPE_CHECKING:
    from quorbit.languages.python.builder import Builder
    from quorbit.netlists.check import Checked

__all__ = ["Given", "Growing", "Model", "faults_at_the_start", "load", "load_larger"]


@frozen
class Model:
    """A model file that was read; of a circuit the System with its own properties is made when somebody asks for it,
    since questions in files have Systems of their own."""

    path: Path
    options: LoadOptions
    read: System | Checked = field(repr=False)
    parse_seconds: float = 0.0

    @cached_property
    def system(self) -> System:
        return lower_model(self.path, self.read, self.options)

    @property
    def circuit(self) -> Checked | None:
        return None if isinstance(self.read, System) else self.read

    def _repr_svg_(self) -> str:
        """The local-state diagram, for models that have one."""
        from quorbit.report.pictures.local_states_svg import draw_local_states

        return draw_local_states(self.system)


Given: TypeAlias = "Model | Builder | str | Path"  # whatever can be checked


def load(path: str | Path | Builder, options: LoadOptions | None = None) -> Model:
    """Read a model; its language follows from the options or the suffix of the file. A Builder is a model itself."""
    if not isinstance(path, str | Path):
        return Model(path.path, LoadOptions(language=PYTHON.name), path.system())
    path, options = Path(path), options or LoadOptions()
    began = time.monotonic()
    found = read_model(path, options)
    if isinstance(found, System) and any(command.claimed for command in found.commands):
        check_claims(found)
    return Model(path, options, found, time.monotonic() - began)


def load_larger(model: Model) -> Model:
    """The model again, with twice the bounds that its front end chooses by itself."""
    return load(model.path, replace(model.options, bounds=2 * model.options.bounds))


class Growing:
    """A model that can be read again with larger bounds, for whoever runs it step by step."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def __call__(self) -> System:
        self.model = load_larger(self.model)
        return self.model.system


def check_claims(system: System) -> None:
    """Refuses a model that says something untrue about what its commands tell apart."""
    from quorbit.detection.commands import partition as command_partition

    command_partition.check_claims(system)


@contextmanager
def faults_at_the_start() -> Iterator[None]:
    """An initial state that cannot be computed is a mistake in the model; later faults are answers of the search."""
    try:
        yield
    except Fault as fault:
        raise UserError(fault.span, f"run-time error before the first state: {fault.message}") from None
