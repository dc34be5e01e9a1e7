"""Which questions a user asks: by name, in the words of the model's language, or in files."""

from __future__ import annotations

from pathlib import Path

from quorbit.engines.engine import Kind
from quorbit.languages.language import Lowered
from quorbit.languages.registry import language_of
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.after_errors import continue_after_errors
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.expression import negation
from quorbit.model.system.properties import condition_to_reach
from quorbit.model.system.system import Assertions, Invariant, Property, System, Temporal
from quorbit.pipeline.load import Model
from quorbit.pipeline.options import CheckOptions
from quorbit.source.errors import Refused, UserError, raise_refused
from quorbit.source.frozen import frozen, replace
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span
from quorbit.source.suggest import did_you_mean

__all__ = ["ask", "find_questions"]

SAFETY = "safety"  # the word that asks for all safety properties, and for nothing else
NOTHING_STATED = "the model has no invariants or assertions: its states were explored, but nothing was checked"
NO_FORMULA = "there is no formula in this file"
FOR_ERRORS = (  # options that say how a search for errors goes, and not what is searched for
    "workers",
    "cluster",
    "replicas",
    "threads",
    "search",
    "alpha",
    "seed",
    "trace",
    "no_parents",
    "represented",
    "checkpoint",
    "resume",
    "spill",
    "hash_compact",
    "bitstate",
)
ONE_COUNTEREXAMPLE = f"not checked: the formula {SAFETY}, which has one counterexample; check it without --all-errors"


@frozen
class Question:
    """The user's words ("" for everything), the properties they stand for, and the System these are about."""

    words: str
    properties: tuple[Property, ...]
    system: System
    notes: tuple[str, ...] = ()
    options: CheckOptions = CheckOptions()
    is_safety: bool = False  # about all safety properties of the model, or one of the questions these are split into
    is_stated: bool = False  # the model asks it, not the user: where nobody can answer it, that is not a mistake
    cover: Temporal | None = None  # whether this is reached; the property is that it never is (covers.py)
    refused: Refused | None = None  # what is wrong with it: a property of a file that nobody can answer

    @property
    def kind(self) -> Kind:
        return Kind.TEMPORAL if any(isinstance(p, Temporal) for p in self.properties) else Kind.SAFETY


def ask(model: Model, options: CheckOptions) -> list[Question]:
    """The questions a user asks, each about the System that answers it."""
    found = find_each(model, options)
    if not options.properties:
        found = together_with(found, stated_covers(model))
    if not options.properties and not options.search.all_errors:  # a formula has one counterexample, not all
        found = together_with(found, stated_formulas(model))
    found = with_notes_of_the_reader(found)
    about_runs = any(question.kind is Kind.TEMPORAL for question in found)
    return [adjusted(question, options, about_runs) for question in found]


def with_notes_of_the_reader(found: list[Question]) -> list[Question]:
    """What was not read as it is written is told whatever is asked, with the first answer."""
    known = {note for question in found for note in question.notes}
    missing = dict.fromkeys(note for question in found for note in question.system.unread if note not in known)
    return [replace(found[0], notes=(*found[0].notes, *missing)), *found[1:]] if missing else found


def stated_formulas(model: Model) -> list[Question]:
    """The formulas of the model, each a question of its own: one that names a process has a smaller group."""
    return [
        Question(p.name, (p,), p.about or model.system, is_stated=True)
        for p in formulas_of(model.system)
        if not p.on_demand
    ]


def stated_covers(model: Model) -> list[Question]:
    """What the model wants to be reached, each a question of its own."""
    found = [p for p in covers_of(model.system) if not p.premise_of]
    return [replace(cover_question(model.system, p), is_stated=True) for p in found]


def cover_question(system: System, p: Temporal) -> Question:
    """Whether something is reached, asked as a search understands it: is it never reached?"""
    never = Invariant(p.name, negation(condition_to_reach(p)), span=p.span)
    return Question(p.name, (never,), p.about or system, cover=p)


def together_with(found: list[Question], others: list[Question]) -> list[Question]:
    """Where a model states only what is to be reached, or how runs go on, nothing else is asked."""
    if others and not any(question.properties for question in found):
        notes = tuple(note for question in found for note in question.notes if note != NOTHING_STATED)
        return [replace(others[0], notes=notes), *others[1:]]
    return found + others


def covers_of(system: System) -> list[Temporal]:
    return [p for p in system.properties if isinstance(p, Temporal) and p.cover]


def formulas_of(system: System) -> list[Temporal]:
    """Those that are about runs, beyond what is to be reached."""
    return [p for p in system.properties if isinstance(p, Temporal) and not p.cover]


def adjusted(question: Question, options: CheckOptions, about_runs: bool) -> Question:
    """Assertions matter only to who asks about them; where all errors are wanted a run goes on after one.  Fairness is
    for the questions ``about_runs``, how a search for errors goes is for the others."""
    if question.refused is not None:
        return question
    system, notes, search = question.system, question.notes, options.search
    if not any(isinstance(p, Assertions) for p in question.properties):
        system = without_assertions(system)
    elif search.all_errors:
        system = continue_after_errors(system)
    is_named = bool(question.words) or about_runs
    if search.fairness != "none" and is_named and question.kind is Kind.SAFETY:
        search = replace(search, fairness="none")
        notes = (*notes, "fairness makes no difference to what is true of finite runs")
    if question.is_stated and question.kind is Kind.TEMPORAL and (words := words_for_safety(search)):
        search = replace(search, **{name: getattr(SearchOptions(), name) for name in FOR_ERRORS})
        notes = (*notes, f"checked without {words}, which {'is' if ' and ' not in words else 'are'} for safety")
    return replace(question, system=system, notes=notes, options=replace(options, search=search))


def words_for_safety(search: SearchOptions) -> str:
    """Which options were given that say how a search for errors goes.  They are not for the formulas that a model
    states, whose verdicts depend on no option."""
    usual = SearchOptions()
    names = [name for name in FOR_ERRORS if getattr(search, name) != getattr(usual, name)]
    given = ["--no-trace" if name == "trace" else f"--{name.replace('_', '-')}" for name in names]
    return " and ".join(filter(None, (", ".join(given[:-1]), *given[-1:])))


def find_questions(model: Model, options: CheckOptions) -> list[Question]:
    """What the user names, or all safety properties, about the System as it was loaded; all of it is right."""
    found = find_each(model, options)
    raise_refused(question.refused for question in found if question.refused is not None)
    return found


def find_each(model: Model, options: CheckOptions) -> list[Question]:
    """The same, and what is wrong in a file beside what can be answered."""
    if not options.properties:
        return safety_questions(model, options, (*left_out(model.system, options), *beside(model)))
    has_files = model.circuit is not None
    files = tuple(words for words in options.properties if words != SAFETY and is_file(words)) if has_files else ()
    formulas = tuple(words for words in options.properties if words not in files and is_formula(model, words))
    if not files and (not has_files or len(formulas) < 2 or any(map(str.isidentifier, formulas))):
        formulas = ()  # each is read by itself, which suggests other names for one that is misspelt
    together = (*files, *formulas)
    others = [words for words in options.properties if words not in together]
    found = [question for words in others for question in find_property(model, options, words)]
    return [*found, *read_together(model, files, formulas)] if together else found


def is_formula(model: Model, words: str) -> bool:
    """Whether words are neither the name of a property nor that of all of them."""
    return words != SAFETY and all(p.name != words for p in model.system.properties)


def ask_together(model: Model, options: CheckOptions) -> tuple[System, tuple[Property, ...]]:
    """All properties asked for, and the System they are about."""
    found = find_questions(model, options)
    own = [question.system for question in found if question.system is not model.system]
    if own and len(found) > 1:
        raise UserError(None, "ask for one formula at a time, or write the formulas into the model")
    together = dict.fromkeys(p for question in found for p in question.properties)
    return (own[0] if own else model.system), tuple(together)


def safety_questions(model: Model, options: CheckOptions, notes: tuple[str, ...] = ()) -> list[Question]:
    """All safety properties together.  A question for each of them where the System moves as a whole and the engine
    answers them one by one, so that none is lost in the answer about another."""
    system = model.system
    safety = tuple(p for p in system.properties if not isinstance(p, Temporal))
    notes = (*(() if safety else (NOTHING_STATED,)), *notes, *system.unread)
    premises = [p for p in covers_of(system) if p.premise_of]
    if len(safety) + len(premises) < 2 or not system.synchronous or options.engine not in ("auto", "symbolic"):
        words = SAFETY if SAFETY in options.properties else ""
        return [Question(words, safety, system, notes, is_safety=True)]
    each = [Question(p.name, (p,), system, () if k else notes, is_safety=True) for k, p in enumerate(safety)]
    return [*each, *(cover_question(system, p) for p in premises)]


def left_out(system: System, options: CheckOptions) -> tuple[str, ...]:
    """What a model only mentions: labels that cycles could be about; formulas too where all errors are wanted."""
    left = [p.name for p in formulas_of(system) if p.on_demand or options.search.all_errors]
    return (f"not checked: {', '.join(left)}; check it with --property NAME",) if left else ()


def beside(model: Model) -> tuple[str, ...]:
    """Property files of the model's name are not read unasked, but named."""
    suffixes = language_of(model.path, model.options.language).property_suffixes
    found = [str(file) for suffix in suffixes if (file := model.path.with_suffix(suffix)).is_file()]
    return tuple(f"not checked: {file}; check it with --property {file}" for file in found)


def find_property(model: Model, options: CheckOptions, words: str) -> list[Question]:
    """A property by its name, the formulas of a file, or a formula in the words of the model's language."""
    named = tuple(p for p in model.system.properties if p.name == words)
    if words == SAFETY:  # a formula of this name does not excuse leaving anything unchecked
        formulas = tuple(p for p in named if isinstance(p, Temporal))
        if formulas and options.search.all_errors:
            return safety_questions(model, options, (ONE_COUNTEREXAMPLE,))
        safety = safety_questions(model, options)
        return [*safety, Question(words, formulas, model.system)] if formulas else safety
    if named:
        covers = [p for p in named if isinstance(p, Temporal) and p.cover]
        others = tuple(p for p in named if p not in covers)
        asked = [Question(words, others, system_of(model, others))] if others else []
        return [*asked, *(cover_question(model.system, p) for p in covers)]
    if is_file(words):
        return read_property_file(model, Path(words))
    try:
        return [ask_formula(model, Span(Source("<property>", words), 0, len(words)), words)]
    except UserError as error:
        meant = did_you_mean(words, [p.name for p in model.system.properties])
        if not words.isidentifier() or not meant:
            raise
        raise UserError(error.span, f"{words} is neither a property nor a formula of the model{meant}") from error


def is_file(words: str) -> bool:
    try:
        return "\n" not in words and Path(words).is_file()
    except (OSError, ValueError):
        return False


def read_together(model: Model, files: tuple[str, ...], formulas: tuple[str, ...]) -> list[Question]:
    """The formulas of all files together and those given in words, for fairness constraints in one file are about the
    formulas in another and about these."""
    lowered = lower_for(model, files, formulas)
    found = [Question(p.name, (p,), system) for system in lowered.systems for p in system.properties]
    if not found:
        raise UserError(Span(read_source(Path(files[0])), 0, 0), NO_FORMULA)
    order = {words: k - len(formulas) for k, words in enumerate(formulas)} | {
        str(Path(file)): k for k, file in enumerate(files)
    }
    found += [refused_question(model, each) for each in lowered.refused]
    return sorted(found, key=lambda question: stands_at(question, order))


def lower_for(model: Model, files: tuple[str, ...], formulas: tuple[str, ...]) -> Lowered:
    lower = language_of(model.path, model.options.language).lower_for
    assert lower is not None
    assert model.circuit is not None
    return lower(model.path, model.circuit, tuple(map(Path, files)), model.options, formulas)


def refused_question(model: Model, refused: Refused) -> Question:
    return Question(refused.name, (), model.system, refused=refused)


def stands_at(question: Question, order: dict[str, int]) -> tuple[int, int]:
    """Where a property stands in the files asked for."""
    span = question.properties[0].span if question.refused is None else question.refused.error.span
    return order.get(span.source.name, 0), span.start


def read_property_file(model: Model, path: Path) -> list[Question]:
    source = read_source(path)
    found = []
    for start, end in formula_lines(source.text):
        span = Span(source, start, end)
        name = f"{path.name}:{span.line}"
        try:
            found.append(ask_formula(model, span, name))
        except UserError as error:
            found.append(refused_question(model, Refused(name, error)))
    if not found:
        raise UserError(Span(source, 0, 0), NO_FORMULA)
    if all(question.refused is not None for question in found):
        raise_refused(question.refused for question in found if question.refused is not None)
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


def ask_formula(model: Model, span: Span, name: str) -> Question:
    """A property in the words of the model's language."""
    language = language_of(model.path, model.options.language)
    if model.circuit is not None:
        (system,) = lower_for(model, (), (span.text,)).systems
        return Question(name, system.properties, system)
    if language.load_for is not None:
        system, p = language.load_for(model.path, model.options, span, name)
        return Question(name, (p,), system)
    if language.read_property is None:
        known = ", ".join(p.name for p in model.system.properties) or "none"
        raise UserError(None, f"{name}: there is no property of this name; the model has {known}")
    found = (language.read_property(model.path, model.options, span, name),)
    return Question(name, found, system_of(model, found))


def system_of(model: Model, properties: tuple[Property, ...]) -> System:
    """The System that properties are checked on: one that keeps steps or the past, where a formula speaks of them."""
    own = [p.about for p in properties if isinstance(p, Temporal) and p.about is not None]
    return own[0] if own else model.system
