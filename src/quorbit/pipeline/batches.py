"""Questions that one search answers together, formulas that are prepared together, and questions that are answered part
by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from quorbit.detection.conjuncts import one_per_class
from quorbit.detection.reveal import reveal
from quorbit.detection.together import arrays_of_nobody, keeps_each, leave_all_alike, subject_of
from quorbit.engines.engine import Engine, Guide, Kind
from quorbit.groups.group import Group
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import Property, System, Temporal
from quorbit.pipeline.case import Case
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import Question
from quorbit.pipeline.steps import Steps
from quorbit.report.record import Found
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace

Prepare = Callable[[Case], Case]


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
    """Every question by itself, but those about one System together that an engine answers in one search; what nobody
    can answer is left out."""
    together: dict[tuple[object, ...], list[int]] = {}
    for k, question in enumerate(questions):
        if question.refused is not None:
            continue
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


@frozen
class Formula:
    """A question that is one formula: its number, and what may be prepared together with others."""

    number: int
    asked: Temporal
    batch: Batch

    def goes_with(self, other: Formula, of_nobody: frozenset[str]) -> bool:
        mine, its = self.batch, other.batch
        same = mine.options == its.options and mine.questions[0].system == its.questions[0].system
        return same and subject_of(self.asked, of_nobody) == subject_of(other.asked, of_nobody)


class Shared:
    """The formulas of a run, and the cases that were prepared for several of them; None where these turned out to
    differ.  ``of_nobody``: what earlier cases showed about arrays.  ``models``: Systems without a formula, and their
    symmetries."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.formulas = [f for batch in batches for f in formulas_in(batch)]
        self.cases: dict[tuple[int, ...], Case | None] = {}
        self.of_nobody: frozenset[str] = frozenset()
        self.models: list[tuple[System, Group]] = []

    def learn(self, case: Case) -> None:
        if not self.cases:  # later it would tell formulas apart that are prepared together
            self.of_nobody |= arrays_of_nobody(case.system)

    def group_of_model(self, system: System) -> Group:
        """The symmetries of a System that no property restricts."""
        known = next((group for other, group in self.models if other == system), None)
        if known is None:
            known = reveal(system, ())[1].group
            self.models.append((system, known))
        return known

    def case_of(self, batch: Batch, case: Case, prepare: Prepare) -> Case | None:
        """The prepared case of one formula, taken from that of all it goes with; None if there are no others."""
        own = [f for f in self.formulas if f.number == batch.numbers[0] and f.asked == batch.properties[0]]
        together = [f for f in self.formulas if own and own[0].goes_with(f, self.of_nobody)]
        if len(together) < 2 or case.guide is not Guide.PLAN:
            return None
        numbers = tuple(f.number for f in together)
        if numbers not in self.cases:
            self.cases[numbers] = prepare_together(case, tuple(f.asked for f in together), prepare)
        whole = self.cases[numbers]
        return None if whole is None else only(whole, together.index(own[0]))


def formulas_in(batch: Batch) -> list[Formula]:
    """The formula that a batch is, if symmetries are looked for that leave it."""
    if batch.engines[0].guide is not Guide.PLAN or batch.options.symmetry == "off" or len(batch.properties) != 1:
        return []
    return [Formula(batch.numbers[0], p, batch) for p in batch.properties if isinstance(p, Temporal)]


def prepare_together(case: Case, asked: tuple[Temporal, ...], prepare: Prepare) -> Case | None:
    """The case of all these formulas, if each of them by itself leaves the symmetries that were found."""
    try:
        whole = prepare(replace(case, system=replace(case.system, properties=asked)))
    except UserError:
        return None  # whoever is to blame hears of it alone
    if whole.found is None or whole.special is None or len(whole.system.properties) != len(asked):
        return None
    proved = whole.found.composed or whole.found.grounded or ground(whole.system)
    exact = leave_all_alike(whole.system, asked, whole.special.pins) and keeps_each(
        proved, whole.found.group.generators
    )
    return whole if exact else None


def only(whole: Case, k: int) -> Case:
    """The case of one of the formulas."""

    def chosen(system: System) -> System:
        return replace(system, properties=(system.properties[k],))

    def told(found: Found) -> Found:
        composed = None if found.composed is None else chosen(found.composed)
        return replace(found, system=None if found.system is None else chosen(found.system), composed=composed)

    symmetry = told(whole.symmetry) if isinstance(whole.symmetry, Found) else whole.symmetry
    return replace(whole, system=chosen(whole.system), symmetry=symmetry)
