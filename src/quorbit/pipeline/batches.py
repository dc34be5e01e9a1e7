"""Questions that one search answers together, and questions that are answered part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.detection.conjuncts import one_per_class
from quorbit.engines.engine import Engine, Guide, Kind
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import Property, System, Temporal
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import Question
from quorbit.pipeline.steps import Steps
from quorbit.source.frozen import frozen, replace


@frozen
class Batch:
    """Questions about one System, with their numbers among all, and the engines to try."""

    questions: tuple[Question, ...]
    numbers: tuple[int, ...]
    engines: tuple[Engine, ...]

    @property
    def properties(self) -> tuple[Property, ...]:
        return tuple(p for question in self.questions for p in question.properties)

    @property
    def system(self) -> System:
        """Its properties are those asked for."""
        return replace(self.questions[0].system, properties=self.properties)

    @property
    def options(self) -> CheckOptions:
        return self.questions[0].options

    @property
    def limits(self) -> SearchOptions:
        return self.options.search

    def noted(self, *notes: str) -> Batch:
        """The same with these notes to every question."""
        noted = tuple(replace(question, notes=(*question.notes, *notes)) for question in self.questions)
        return replace(self, questions=noted) if notes else self


def batches_of(questions: Sequence[Question], engines: Sequence[tuple[Engine, ...]]) -> list[Batch]:
    """Every question by itself, but those about one System together that an engine answers in one search."""
    together: dict[tuple[object, ...], list[int]] = {}
    for k, question in enumerate(questions):
        first = engines[k][0]
        joins = first.together and bool(question.properties)
        key = (first.name, id(question.system), question.options.search) if joins else (k,)
        together.setdefault(key, []).append(k)
    return [
        Batch(tuple(questions[k] for k in numbers), tuple(numbers), engines[numbers[0]])
        for numbers in together.values()
    ]


def split_conjuncts(batch: Batch, steps: Steps) -> Iterator[Batch]:
    """The batch itself, or its one question conjunct by conjunct, one of each class that symmetries make."""
    question, options = batch.questions[0], batch.options
    if batch.engines[0].guide is not Guide.PLAN or options.symmetry == "off" or question.kind is not Kind.TEMPORAL:
        yield batch
        return
    with steps.step("detect"):
        found = [one_per_class(question.system, p) for p in question.properties if isinstance(p, Temporal)]
    parts = [p for conjuncts in found for p in conjuncts.representatives]
    total = sum(size for conjuncts in found for size in conjuncts.sizes)
    if len(parts) == total == 1:
        yield batch
        return
    note = f"{len(parts)} of {total} conjuncts checked, the others are their images under symmetries of the model"
    for p in parts:
        yield replace(batch, questions=(replace(question, properties=(p,)),)).noted(note)
