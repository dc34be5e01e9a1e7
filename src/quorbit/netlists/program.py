"""BLIF and BLIF-MV text as written: models with words and their places, before names and values are resolved."""

from __future__ import annotations

from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

__all__ = ["Declared", "Instance", "Model", "Program", "Word", "Written", "WrittenLatch"]


@frozen
class Word:
    text: str
    span: Span


@frozen
class Declared:
    """The domain given to a name by ``.mv``."""

    values: tuple[str, ...]
    span: Span


@mutable
class Written:
    """A table (or reset table) as written; rows hold inputs then outputs.  Filled while its lines are read."""

    inputs: tuple[Word, ...]
    outputs: tuple[Word, ...]
    span: Span
    rows: list[tuple[Word, ...]] = field(default_factory=list)
    default: tuple[Word, ...] | None = None
    default_value: int | None = None  # BLIF: the value where no row matches


@frozen
class WrittenLatch:
    input: Word
    output: Word
    start: int | None  # a BLIF initial value; None: a reset table says it, or nothing does
    span: Span


@frozen
class Instance:
    model: Word
    name: str
    bindings: tuple[tuple[Word, Word], ...]
    span: Span


@mutable
class Model:
    name: str
    span: Span
    inputs: list[Word] = field(default_factory=list)
    outputs: list[Word] = field(default_factory=list)
    domains: dict[str, Declared] = field(default_factory=dict)
    tables: list[Written] = field(default_factory=list)
    latches: list[WrittenLatch] = field(default_factory=list)
    resets: dict[str, Written] = field(default_factory=dict)
    instances: list[Instance] = field(default_factory=list)


@frozen
class Program:
    models: dict[str, Model]
    root: str
