"""The whole way: text -> Program -> System -> Group -> Plan -> Outcome, and how long each step took.

The only file that names all steps.  ``load`` reads a model, ``check`` answers about its properties, ``symmetry`` finds
its group, ``explain`` says what breaks a permutation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of, vector_layout
from quorbit.canon.minimise import minimise
from quorbit.canon.plan import Plan
from quorbit.engines.adaptive.applicable import choose_classes, is_applicable, kinds
from quorbit.engines.go_on import go_on
from quorbit.engines.options import SearchOptions
from quorbit.engines.replay import ReplayError
from quorbit.engines.select import (
    Progress,
    can_reduce,
    check_each,
    explore_with,
    find_engines,
    why_not,
    worst_of,
)
from quorbit.engines.symbolic.isolate import CAN_FORK, run_isolated
from quorbit.engines.temporal.assertions import without_assertions
from quorbit.engines.translate import translate, translate_statistics
from quorbit.groups.group import Group, orbits, trivial
from quorbit.groups.partition import restrict
from quorbit.groups.permutation import Permutation
from quorbit.groups.reach import BeyondReach
from quorbit.groups.structure import describe, structure, structure_order
from quorbit.languages.options import LoadOptions
from quorbit.languages.registry import has_property_files, load_model, property_reader, system_reader
from quorbit.model.evaluate import BoundExceeded, Fault
from quorbit.model.partitions import Partitions
from quorbit.model.specialise import searchable, settle, specialise
from quorbit.model.system import Assertions, Invariant, Property, State, System, Temporal
from quorbit.report.picture import draw_local_states
from quorbit.report.record import CheckResult, CheckResults, Seconds, SymmetryResult
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span
from quorbit.symmetry.command_group import describe_steps, group_of_friends, group_of_ring
from quorbit.symmetry.command_partition import check_claims, coarser_share, infer_partitions
from quorbit.symmetry.conjuncts import one_per_class
from quorbit.symmetry.derived import Derived, derive
from quorbit.symmetry.detect import Symmetry, detect
from quorbit.symmetry.netlist_extend import extend_mapping, is_circuit
from quorbit.symmetry.restore import Change, smallest_change
from quorbit.symmetry.reveal import reveal
from quorbit.symmetry.why import Breach, extended, why

LEAST_SHARE = 0.8  # of the commands must tell fewer processes apart than the System does, for adaptive reduction
MOST_PIECES = 5_000  # of orbits, before adaptive reduction that was not asked for by name is given up
EXTEND_SECONDS = 10.0  # to complete a mapping of some latches
SYMMETRY_SECONDS = 2.0  # to look for the symmetries of a circuit
MOST_DOUBLINGS = 10  # of the bounds a front end chooses by itself
Watch = Callable[[str, Statistics], bool]  # told the step and what is known so far; answers whether to stop


class Interrupted(Exception):
    """The user, or the time limit, ends the run here; the message says which.  Raised by whoever watches the run."""


@frozen
class CheckOptions:
    """What a user can ask of a check.  ``properties``: names, formulas or files; none for all safety properties."""

    properties: tuple[str, ...] = ()
    symmetry: str = "auto"  # or "off"
    strategy: str = "auto"
    engine: str = "auto"
    witnesses: bool = False  # circuits: a trace also for a formula that one path shows to hold
    search: SearchOptions = field(default_factory=SearchOptions)
    adapt: bool = True  # whether engine auto may choose adaptive reduction, whose states are not orbits of the group


@frozen
class Model:
    """A model file that was read."""

    path: Path
    options: LoadOptions
    system: System = field(repr=False)
    parse_seconds: float = 0.0

    def _repr_svg_(self) -> str:
        """The local-state diagram, for models that have one."""
        return draw_local_states(self.system)


@frozen
class Asked:
    """A question: the user's words ("" for everything) and the properties they stand for."""

    words: str
    properties: tuple[Property, ...]
    notes: tuple[str, ...] = ()
    system: System | None = None  # to check them on, if it is not that of the model as it was loaded


@frozen
class Prepared:
    """The System to search (its properties are those asked for), the symmetry that allows, what guides the engine, and
    the seconds both took."""

    system: System
    symmetry: SymmetryResult
    guide: Plan | Partitions | None
    detect_seconds: float
    classify_seconds: float


@frozen
class Adaptive:
    """What the adaptive engine needs, and why it is chosen."""

    prepared: Prepared
    note: str


def load(path: str | Path, options: LoadOptions | None = None) -> Model:
    """Read a model; its language follows from the suffix of the file."""
    path, options = Path(path), options or LoadOptions()
    began = time.monotonic()
    system = load_model(path, options)
    check_claims(system)
    return Model(path, options, system, time.monotonic() - began)


def check(model: Model | str | Path, options: CheckOptions | None = None, watch: Watch | None = None) -> CheckResults:
    """Answer about every property asked for, one after the other."""
    options = options or CheckOptions()
    refuse_combinations(options)
    model = model if isinstance(model, Model) else load(model)
    for _ in range(MOST_DOUBLINGS):
        try:
            with faults_at_the_start():
                return CheckResults(tuple(check_all(model, find_asked(model, options), options, watch)))
        except BoundExceeded:
            model = load(model.path, replace(model.options, bounds=2 * model.options.bounds))
    raise UserError(None, f"{model.path}: processes are created without end")


@contextmanager
def faults_at_the_start() -> Iterator[None]:
    """An initial state that cannot be computed is a mistake in the model; later faults are answers of the search."""
    try:
        yield
    except Fault as fault:
        raise UserError(fault.span, f"run-time error before the first state: {fault.message}") from None


def symmetry(
    model: Model | str | Path, options: CheckOptions | None = None, watch: Watch | None = None
) -> SymmetryResult:
    """The symmetry of a model together with the properties asked for, and the plan that would use it."""
    options = options or CheckOptions()
    model = model if isinstance(model, Model) else load(model)
    system, properties = asked_together(model, options)
    with faults_at_the_start():
        return prepare(system, properties, options, watch).symmetry


def revealed(model: Model, options: CheckOptions) -> System:
    """The System whose atoms ``explain`` permutes: specialised, with the properties asked for."""
    system, properties = asked_together(model, options)
    with faults_at_the_start():
        return reveal(system, properties)[0]


def explain(system: System, g: Permutation) -> tuple[Permutation, tuple[Breach, ...]]:
    """The permutation, with what belongs to the atoms it moves, and what breaks it: nothing if it is a symmetry."""
    whole = extended(system, g)
    breaches = why(system, system.properties, whole)
    if breaches and is_circuit(system) and CAN_FORK:
        completed = run_isolated(lambda send: send(extend_mapping(system, g)), EXTEND_SECONDS).told
        if completed and completed[0] is not None:
            return completed[0], ()
    return whole, breaches


def restoring_change(model: Model, system: System, g: Permutation, breaches: tuple[Breach, ...]) -> Change | None:
    """The smallest change of the model that makes g a symmetry, if one is found."""
    with faults_at_the_start():
        return smallest_change(model.system, properties_of(model, system), system, g, breaches)


def properties_of(model: Model, system: System) -> tuple[Property, ...]:
    """The properties of the loaded System that a specialised one is about."""
    names = {p.name for p in system.properties}
    return tuple(p for p in model.system.properties if p.name in names)


def formulas(model: Model, options: CheckOptions, most: int) -> list[Derived]:
    """For every formula asked for, the further ones that have the same verdict."""
    found = []
    for asked in find_asked(model, options):
        for p in asked.properties:
            if not isinstance(p, Temporal | Invariant):
                raise UserError(None, f"{p.name} is no formula")
            with faults_at_the_start():
                found.append(derive(asked.system or model.system, p, most))
    return found


def refuse_combinations(options: CheckOptions) -> None:
    if options.symmetry == "off" and options.strategy != "auto":
        raise UserError(None, f"--strategy {options.strategy} has no use with --symmetry off")


# Which properties.


def find_asked(model: Model, options: CheckOptions) -> list[Asked]:
    if not options.properties:
        return [everything(model.system)]
    files = tuple(words for words in options.properties if is_file(words)) if has_property_files(model.path) else ()
    others = [words for words in options.properties if words not in files]
    asked = [found for words in others for found in find_property(model, words)]
    return [*asked, *read_property_files(model, files)] if files else asked


def asked_together(model: Model, options: CheckOptions) -> tuple[System, tuple[Property, ...]]:
    """All properties asked for, and the System they are about."""
    asked = find_asked(model, options)
    own = [question.system for question in asked if question.system is not None]
    if own and len(asked) > 1:
        raise UserError(None, "ask for one formula at a time, or write the formulas into the model")
    together = dict.fromkeys(p for question in asked for p in question.properties)
    return (own[0] if own else model.system), tuple(together)


def everything(system: System) -> Asked:
    """All safety properties together; formulas are checked one by one when they are asked for."""
    safety = tuple(p for p in system.properties if not isinstance(p, Temporal))
    left = [p.name for p in system.properties if isinstance(p, Temporal)]
    notes = (f"not checked: {', '.join(left)}; ask for a formula by --property NAME",) if left else ()
    return Asked("", safety, (*notes, *system.unread))


def find_property(model: Model, words: str) -> list[Asked]:
    """A property by its name, the formulas of a file, or a formula in the words of the model's language."""
    named = tuple(p for p in model.system.properties if p.name == words)
    if named:
        return [Asked(words, named)]
    if is_file(words):
        return read_property_file(model, Path(words))
    return [ask_formula(model, Span(Source("<property>", words), 0, len(words)), words)]


def is_file(words: str) -> bool:
    try:
        return "\n" not in words and Path(words).is_file()
    except (OSError, ValueError):
        return False


def read_property_files(model: Model, files: tuple[str, ...]) -> list[Asked]:
    """The formulas of all files together, for fairness constraints in one are about the formulas in another."""
    known = {p.name for p in model.system.properties}
    system = load_model(model.path, model.options, tuple(map(Path, files)))
    return [Asked(p.name, (p,), system=system) for p in system.properties if p.name not in known]


def read_property_file(model: Model, path: Path) -> list[Asked]:
    source = read_source(path)
    found = []
    for start, end in formula_lines(source.text):
        span = Span(source, start, end)
        name = f"{path.name}:{span.line}"
        found.append(ask_formula(model, span, name))
    if not found:
        raise UserError(Span(source, 0, 0), "there is no formula in this file")
    return found


def formula_lines(text: str) -> list[tuple[int, int]]:
    """Start and end of every line that holds a formula; lines that begin with // are comments."""
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        body = line.strip().rstrip(";").strip()
        if body and not body.startswith("//"):
            begin = start + line.index(body)
            found.append((begin, begin + len(body)))
        start += len(line)
    return found


def ask_formula(model: Model, span: Span, name: str) -> Asked:
    """A property in the words of the model's language."""
    if (system_for := system_reader(model.path)) is not None:
        system, p = system_for(model.path, model.options, span, name)
        return Asked(name, (p,), system=system)
    reader = property_reader(model.path)
    if reader is None:
        known = ", ".join(p.name for p in model.system.properties) or "none"
        raise UserError(None, f"{name}: no property of this name; the model has {known}")
    return Asked(name, (reader(model.path, model.options, span, name),))


# The questions, one by one.


def check_all(
    model: Model, questions: Sequence[Asked], options: CheckOptions, watch: Watch | None
) -> Iterator[CheckResult]:
    """An answer to every question; once the run is interrupted the others stay open."""
    reason = ""
    if wants_circuit_engine(model, questions, options):
        yield from check_circuit(model, questions, options, watch)
        return
    for asked in questions:
        try:
            if reason or (watch is not None and watch("prepare", Statistics())):
                yield leave_open(model, asked, reason or "interrupted")
            else:
                yield check_question(model, asked, options, watch)
        except Interrupted as interrupted:
            reason = str(interrupted)
            yield leave_open(model, asked, reason)


def wants_circuit_engine(model: Model, questions: Sequence[Asked], options: CheckOptions) -> bool:
    """Whether all questions are about properties of a circuit that the symbolic engine answers together."""
    if options.engine not in ("auto", "symbolic") or options.strategy != "auto" or not has_property_files(model.path):
        return False
    return all(
        asked.properties and not why_not("symbolic", asked.system or model.system, asked.properties, options.search)
        for asked in questions
    )


def check_circuit(
    model: Model, questions: Sequence[Asked], options: CheckOptions, watch: Watch | None
) -> Iterator[CheckResult]:
    """The answers to all questions about a System come from one call, since what is reachable is the same for all."""
    systems = {id(system): system for asked in questions for system in (asked.system or model.system,)}
    answers: dict[int, CheckResult] = {}
    for key, system in systems.items():
        numbers = [k for k, asked in enumerate(questions) if id(asked.system or model.system) == key]
        together = [(k, p) for k in numbers for p in questions[k].properties]
        began = time.monotonic()
        search = remaining_time(options.search, model.parse_seconds)
        try:
            generators = circuit_symmetries(system, together, options)
            asked_now = tuple(p for _, p in together)
            outcomes = check_each(system, asked_now, search, in_search(watch), options.witnesses, generators)
        except Interrupted as interrupted:
            outcomes = [Outcome(Verdict.UNKNOWN, p.name, str(interrupted)) for _, p in together]
        seconds = Seconds(parse=model.parse_seconds, explore=time.monotonic() - began)
        seconds = replace(seconds, total=seconds.parse + seconds.explore)
        plain = no_symmetry(system, "the symbolic engine does not use plans")
        for k in numbers:
            asked = questions[k]
            own = worst_of([outcome for (j, _), outcome in zip(together, outcomes, strict=True) if j == k])
            name = str(model.path)
            answers[k] = CheckResult(system, name, asked.words, own, plain, seconds, asked.notes, model.options)
    yield from (answers[k] for k in range(len(questions)))


def circuit_symmetries(
    system: System, together: Sequence[tuple[int, Property]], options: CheckOptions
) -> tuple[Permutation, ...]:
    """Symmetries that spare work where several formulas may be images of each other; looked for only for a moment."""
    if options.symmetry == "off" or sum(isinstance(p, Temporal) for _, p in together) < 2 or not CAN_FORK:
        return ()
    found = run_isolated(lambda send: send(detect(system, ()).group.generators), SYMMETRY_SECONDS)
    return tuple(found.told[0]) if found.told else ()


def leave_open(model: Model, asked: Asked, reason: str) -> CheckResult:
    symmetry_result = no_symmetry(model.system, "the run ended before a strategy was chosen")
    outcome = Outcome(Verdict.UNKNOWN, message=reason)
    seconds = Seconds(parse=model.parse_seconds, total=model.parse_seconds)
    return CheckResult(
        model.system, str(model.path), asked.words, outcome, symmetry_result, seconds, asked.notes, model.options
    )


def check_question(model: Model, asked: Asked, options: CheckOptions, watch: Watch | None) -> CheckResult:
    """A conjunction is answered by one conjunct of each class that the model's symmetries make."""
    if asked.system is not None:
        model, asked = replace(model, system=asked.system), replace(asked, system=None)
    if not any(isinstance(p, Assertions) for p in asked.properties):
        model = replace(model, system=without_assertions(model.system))
    elif options.search.all_errors:
        model = replace(model, system=go_on(model.system))
    if options.search.fairness != "none" and asked.words and not has_formulas(asked):
        options = replace(options, search=replace(options.search, fairness="none"))
        asked = replace(asked, notes=(*asked.notes, "fairness makes no difference to what is true of finite runs"))
    if options.symmetry == "off" or options.engine not in ("auto", "temporal"):
        return check_one(model, asked, options, watch)
    parts = [c for p in asked.properties if isinstance(p, Temporal) for c in split(model, p, watch)]
    if len(parts) < 2 and not any(count > 1 for _, count in parts):
        return check_one(model, asked, options, watch)
    total = sum(count for _, count in parts)
    note = f"{len(parts)} of {total} conjuncts checked, the others are their images under symmetries of the model"
    results = []
    for p, _ in parts:
        part = Asked(asked.words, (p,), (*asked.notes, note))
        results.append(check_one(model, part, options, watch))
        if results[-1].outcome.verdict is not Verdict.HOLDS:
            break
    return results[-1]


def split(model: Model, p: Temporal, watch: Watch | None) -> list[tuple[Temporal, int]]:
    """One conjunct of each class, and how many it stands for."""
    tell(watch, "detect")
    found = one_per_class(model.system, p)
    return list(zip(found.representatives, found.sizes, strict=True))


def check_one(model: Model, asked: Asked, options: CheckOptions, watch: Watch | None) -> CheckResult:
    began = time.monotonic()
    engines = find_engines(options.engine, model.system, asked.properties, options.search)
    prepared = prepare_for(engines, model.system, asked.properties, options, watch)
    if isinstance(prepared.guide, Plan):
        engines = tuple(filter(can_reduce, engines))
    if has_formulas(asked) and options.symmetry != "off" and can_reduce(engines[0]):
        asked = replace(asked, notes=(*asked.notes, *lost_symmetry(model, prepared)))
    if (adaptive := prefer_adaptive(model, asked, options, prepared, watch)) is not None:
        limited = replace(
            options, search=limit_adaptive(options.search, time.monotonic() - began + model.parse_seconds)
        )
        adapted = replace(asked, notes=(*asked.notes, adaptive.note))
        result = search_prepared(model, adapted, limited, ("adaptive",), adaptive.prepared, began, watch)
        if result.outcome.verdict is not Verdict.UNKNOWN:
            return result
        given_up = f"adaptive reduction was chosen and given up: {result.outcome.message}"
        asked = replace(asked, notes=(*asked.notes, given_up))
    return search_prepared(model, asked, options, engines, prepared, began, watch)


def search_prepared(
    model: Model,
    asked: Asked,
    options: CheckOptions,
    engines: tuple[str, ...],
    prepared: Prepared,
    began: float,
    watch: Watch | None,
) -> CheckResult:
    searching = time.monotonic()
    search = remaining_time(options.search, searching - began + model.parse_seconds)
    system = prepared.system
    try:
        outcome = explore_with(engines, system, system.properties, prepared.guide, search, in_search(watch))
        loaded = without_assertions(model.system) if has_formulas(asked) else model.system
        outcome = in_terms_of(loaded, system, outcome)
    except ReplayError as error:
        outcome = Outcome(Verdict.UNKNOWN, message=f"internal error, please report it: {error}", engine=engines[0])
    ended = time.monotonic()
    explore_seconds = outcome.statistics.explore_seconds
    seconds = Seconds(
        parse=model.parse_seconds,
        detect=prepared.detect_seconds,
        classify=prepared.classify_seconds,
        compile=max(0.0, ended - searching - explore_seconds) if outcome.engine != "reference" else 0.0,
        explore=explore_seconds,
        total=ended - began + model.parse_seconds,
    )
    return CheckResult(
        model.system, str(model.path), asked.words, outcome, prepared.symmetry, seconds, asked.notes, model.options
    )


def prefer_adaptive(
    model: Model, asked: Asked, options: CheckOptions, prepared: Prepared, watch: Watch | None
) -> Adaptive | None:
    """What the adaptive engine needs, if most commands tell fewer processes apart than the System as a whole does."""
    wanted = options.adapt and (options.engine, options.strategy, options.symmetry) == ("auto", "auto", "auto")
    if not wanted or has_formulas(asked) or why_not("adaptive", model.system, asked.properties, options.search):
        return None
    if model.system.count_once:
        return None  # moves are counted by the classes they lead to, and these are orbits [T07, Table 1]
    system = specialise(replace(model.system, properties=asked.properties))[0]
    together = restrict(orbits(prepared.symmetry.group), range(len(system.atoms)))
    classes = choose_classes(system, kinds(system)).permuted
    if all(cell in together for cell in classes):
        return None
    adaptive = prepare_adaptive(model.system, asked.properties, options, watch, thorough=False)
    assert isinstance(adaptive.guide, Partitions)
    share = coarser_share(adaptive.guide, together)
    if share < LEAST_SHARE:
        return None
    note = (
        f"adaptive reduction was chosen: {share:.0%} of the commands tell fewer processes apart than the model as a"
        " whole; its states are not orbits of the group (--engine explicit for these)"
    )
    used = adaptive.symmetry
    known = replace(prepared.symmetry, strategy=used.strategy, exact=used.exact, reason=used.reason)
    return Adaptive(replace(adaptive, symmetry=known), note)


def limit_adaptive(search: SearchOptions, spent: float) -> SearchOptions:
    """Half the time that is left, so that the usual engine has the other half."""
    timeout = None if search.timeout is None else spent + (search.timeout - spent) / 2
    return replace(search, timeout=timeout, pieces=MOST_PIECES)


def lost_symmetry(model: Model, prepared: Prepared) -> tuple[str, ...]:
    """A formula that names single processes may leave nothing of the model's symmetry; then the run says so."""
    if prepared.guide is not None:
        return ()
    group = reveal(model.system, ())[1].group
    if group.is_trivial:
        return ()
    return (f"the formula breaks the symmetry of the model ({describe_group(group)[1]}): nothing is reduced",)


def has_formulas(asked: Asked) -> bool:
    return any(isinstance(p, Temporal) for p in asked.properties)


def in_terms_of(loaded: System, searched: System, outcome: Outcome) -> Outcome:
    """The outcome told in terms of the System that was loaded."""
    if loaded.incomplete and outcome.verdict is Verdict.HOLDS:
        message = f"nothing wrong was found, but the search was incomplete: {'; '.join(loaded.incomplete)}"
        outcome = replace(outcome, verdict=Verdict.UNKNOWN, message=message)
    trace = None if outcome.trace is None else translate(outcome.trace, searched, loaded)
    return replace(outcome, trace=trace, statistics=translate_statistics(outcome.statistics, searched, loaded))


def prepare_for(
    engines: tuple[str, ...],
    system: System,
    properties: tuple[Property, ...],
    options: CheckOptions,
    watch: Watch | None,
) -> Prepared:
    """Engines that cannot use symmetry get none, and refuse a strategy that was asked for."""
    if can_reduce(engines[0]):
        return prepare(system, properties, options, watch)
    if engines == ("adaptive",) and options.strategy == "auto":
        return prepare_adaptive(system, properties, options, watch)
    if options.strategy != "auto":
        raise UserError(None, f"the {engines[0]} engine cannot use strategy {options.strategy}")
    asked = replace(system, properties=properties)
    return Prepared(asked, no_symmetry(system, f"the {engines[0]} engine does not use plans"), None, 0.0, 0.0)


def prepare_adaptive(
    system: System,
    properties: tuple[Property, ...],
    options: CheckOptions,
    watch: Watch | None,
    thorough: bool = True,
) -> Prepared:
    """Infer which processes each command tells apart; those that none does are the symmetry. [W07, 5 and 8]"""
    if options.symmetry == "off":
        raise UserError(None, "the adaptive engine cannot run with --symmetry off")
    tell(watch, "detect")
    began = time.monotonic()
    system, _ = specialise(replace(system, properties=properties))
    partitions = infer_partitions(system, system.properties, thorough)
    rotations = partitions.rotations
    if rotations is not None and is_applicable(system, (rotations.ring,)) is None:
        group, reason = group_of_ring(len(system.atoms), rotations), describe_steps(rotations)
    else:
        group = group_of_friends(len(system.atoms), partitions)
        reason = "processes are told apart only along the paths that do so"
    order, text = describe_group(group)
    names = tuple(a.name for a in system.atoms)
    result = SymmetryResult(group, order, text, "adaptive", True, reason, names, (), system)
    return Prepared(system, result, partitions, time.monotonic() - began, 0.0)


def in_search(watch: Watch | None) -> Progress | None:
    return None if watch is None else lambda statistics: watch("explore", statistics)


def remaining_time(search: SearchOptions, spent: float) -> SearchOptions:
    """The time limit is for the whole run."""
    return search if search.timeout is None else replace(search, timeout=max(0.0, search.timeout - spent))


def prepare(system: System, properties: tuple[Property, ...], options: CheckOptions, watch: Watch | None) -> Prepared:
    """Detect the symmetry and choose the plan, unless symmetry is off."""
    if options.symmetry == "off":
        return Prepared(settle(replace(system, properties=properties)), no_symmetry(system), None, 0.0, 0.0)
    tell(watch, "detect")
    began = time.monotonic()
    system, found = reveal(system, properties)
    system = searchable(system) if found.grounded is None or system.count_once else found.grounded
    detected = time.monotonic()
    tell(watch, "classify")
    names = tuple(a.name for a in system.atoms)
    try:
        plan = classify(layout_of(system), found.group, options.strategy)
        result = describe_symmetry(found.group, plan, names, found.notes, system)
    except BeyondReach as reason:
        result = beyond_reach(found, names, system, str(reason))
        return Prepared(system, result, None, detected - began, time.monotonic() - detected)
    used = None if found.group.is_trivial else plan
    return Prepared(system, result, used, detected - began, time.monotonic() - detected)


def beyond_reach(found: Symmetry, names: tuple[str, ...], system: System, reason: str) -> SymmetryResult:
    """A group that is found and cannot be used."""
    notes = (*found.notes, f"the symmetry is not used: {reason}")
    order, text = describe_group(found.group)
    return SymmetryResult(found.group, order, text, "none", True, "every state represents itself", names, notes, system)


def tell(watch: Watch | None, step: str) -> None:
    if watch is not None:
        watch(step, Statistics())


def no_symmetry(system: System, reason: str = "symmetry is off, every state represents itself") -> SymmetryResult:
    names = tuple(a.name for a in system.atoms)
    return SymmetryResult(trivial(len(names)), 1, "trivial", "none", True, reason, names, system=system)


# Groups.


def describe_symmetry(
    group: Group,
    plan: Plan,
    names: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
    system: System | None = None,
) -> SymmetryResult:
    order, structure_text = describe_group(group)
    return SymmetryResult(group, order, structure_text, plan.name, plan.exact, plan.reason, names, notes, system)


def describe_group(group: Group) -> tuple[int | None, str]:
    """Order and structure; None and "unknown" if they are beyond reach."""
    try:
        shape = structure(group)
        return structure_order(shape), describe(shape)
    except BeyondReach:
        return None, "unknown"


def plan_vector(group: Group, strategy: str = "auto") -> Plan:
    """The plan for a group by itself, acting on one number per point. [DM09, Def. 1]"""
    return classify(vector_layout(group.degree), group, strategy)


def minimise_vector(group: Group, vector: Sequence[int], strategy: str = "auto") -> tuple[State, Permutation]:
    """The representative of a vector of numbers, and the permutation that leads to it."""
    return minimise(vector_layout(group.degree), plan_vector(group, strategy), tuple(vector))
