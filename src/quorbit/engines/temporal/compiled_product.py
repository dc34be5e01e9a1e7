"""Products with automata in the compiled engine (runtime/product.h): accepting cycles, and ways round them."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any

from quorbit.engines.temporal.compiled_graph import Graph, fault_at, test_of
from quorbit.engines.temporal.space import Stopped
from quorbit.logic.automata.automaton import GeneralisedBuchi
from quorbit.logic.graphs.kripke import Flags
from quorbit.logic.graphs.product import Steps
from quorbit.machine import library
from quorbit.machine.library import ProgramRecord, u32, u64
from quorbit.machine.run import SLICE
from quorbit.machine.shared_records import check_records
from quorbit.model.meaning.partial import may_fail
from quorbit.model.system.expression import Expr, negation
from quorbit.model.system.formula import Proposition
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, mutable

FIND_FIRST, FIND_ALL, FIND_ROOTS = range(3)
FOUND, LETTER, NO_VALUE = 16, 17, 18
FAIRNESS = {"none": 0, "weak": 1, "strong": 2}
MOST_SETS = 64
ALL = 2**64 - 1
Letter = Callable[[int], int]  # from the bits of what was asked in a state to the automaton's letter there


class Search(Enum):
    """How far a search has come."""

    FOUND = auto()
    DONE = auto()
    PAUSED = auto()


class QuestionRecord(ctypes.Structure):
    _fields_ = [
        *((name, u32) for name in ("program_count", "label_count")),
        ("programs", ctypes.POINTER(ProgramRecord)),
        ("certain", ctypes.c_char_p),
        ("labels", ctypes.POINTER(ctypes.c_char_p)),
        ("all", u64),
        *((name, u32) for name in ("automaton_states", "automaton_initial", "fairness", "stutters")),
        *((name, u32) for name in ("expands", "aim", "root_count", "last_first")),
        ("roots", ctypes.POINTER(u32)),
        ("ends", ctypes.c_char_p),
    ]


class ProductView(ctypes.Structure):
    _fields_ = [
        *((name, u64) for name in ("nodes", "deepest", "cores", "letter", "bad_state", "bad_proposition")),
        ("key", ctypes.POINTER(u32)),
    ]


@frozen
class Ask:
    """What is looked for, and where: propositions are evaluated when a state is met, labels are known for all states;
    letter makes the automaton's letter of both, whose bits come in this order."""

    automaton: GeneralisedBuchi
    propositions: tuple[Proposition, ...]
    labels: tuple[Flags, ...]
    letter: Letter
    roots: Sequence[int]
    fairness: str
    stutters: bool
    may_end: bool = False  # a path that is accepted whatever follows is wanted without what follows


def good_roots(graph: Graph, asked: Ask) -> Flags:
    """From which roots there is such a path."""
    with opened_product(graph, asked, FIND_ROOTS) as product:
        product.search()
        flags = ctypes.create_string_buffer(max(1, len(asked.roots)))
        library.runtime().qb_product_good(product.handle, flags)
        return flags.raw[: len(asked.roots)]


@mutable
class Product:
    graph: Graph
    handle: Any
    asked: Ask
    steps: Steps
    kept: object  # what the runtime reads while the product lives

    def search(self, most: int = ALL) -> Search:
        """Depth-first, until an accepting cycle is found, all was looked at, or there are so many nodes."""
        while (status := library.runtime().qb_product_step(self.handle, most, SLICE)) not in (FOUND, library.DONE):
            self.attend(status)
            if status == library.RUNNING and self.view().nodes >= most:
                return Search.PAUSED
        return Search.FOUND if self.view().cores else Search.DONE

    def may_accept(self) -> bool:
        """Whether there is an accepting cycle among the states that are expanded by now, fair or not."""
        while (status := library.runtime().qb_product_trim(self.handle, SLICE)) not in (FOUND, library.DONE):
            self.attend(status)
        return bool(status == FOUND)

    def attend(self, status: int) -> None:
        """What a step wants before it can be gone on with; raises what ends it."""
        if status == library.RUNNING:
            self.graph.between_slices()
        elif status == LETTER:
            self.answer_letter()
        elif status == NO_VALUE:
            self.graph.settle(library.RUNNING)
            view = self.view()
            raise fault_at(self.graph.run, self.asked.propositions[view.bad_proposition], view.bad_state)
        else:
            self.graph.refuse(status)

    def view(self) -> ProductView:
        view = ProductView()
        library.runtime().qb_product_view_of(self.handle, ctypes.byref(view))
        return view

    def answer_letter(self) -> None:
        """What the automaton does on a letter that was met for the first time."""
        key = self.view().key
        words = (len(self.asked.propositions) + len(self.asked.labels)) // 32 + 1
        letter = self.asked.letter(sum(key[k] << 32 * k for k in range(words)))
        rows = [self.steps.of(q, letter) for q in range(self.asked.automaton.states)]
        every = [t for row in rows for t in row]
        counts = (u32 * max(1, len(rows)))(*(len(row) for row in rows))
        targets = (u32 * max(1, len(every)))(*(t.target for t in every))
        marks = (u64 * max(1, len(every)))(*(t.marks for t in every))
        if not library.runtime().qb_product_row(self.handle, counts, targets, marks):
            raise memory_stop(self.graph)


@contextmanager
def opened_product(
    graph: Graph, asked: Ask, aim: int, expands: bool = False, last_first: bool = False
) -> Iterator[Product]:
    """``expands``: a search looks beyond the states that are expanded already; ``last_first``: and takes the last edge
    of a state before the others."""
    declare(library.runtime())
    automaton = asked.automaton
    if automaton.sets > MOST_SETS:
        raise UserError(None, f"the explicit engine searches for at most {MOST_SETS} marks")
    tests: list[ProgramRecord] = []
    for p in asked.propositions:
        e: Expr = p.expression  # type: ignore[assignment]
        tests += [test_of(graph.run, e), test_of(graph.run, negation(e))]
    record = QuestionRecord(len(tests), len(asked.labels))
    record.certain = bytes(not may_fail(graph.run.system, p.expression, {}) for p in asked.propositions)  # type: ignore[arg-type]
    record.programs = (ProgramRecord * max(1, len(tests)))(*tests)
    record.labels = (ctypes.c_char_p * max(1, len(asked.labels)))(*asked.labels)
    record.all = (1 << automaton.sets) - 1
    record.automaton_states, record.automaton_initial = automaton.states, automaton.initial
    record.fairness = FAIRNESS[asked.fairness] if graph.processes else 0
    record.stutters, record.expands, record.aim = asked.stutters, expands, aim
    record.ends, record.last_first = ends_of(asked), last_first
    record.root_count = len(asked.roots)
    roots = array("I", asked.roots or (0,))
    record.roots = ctypes.cast(roots.buffer_info()[0], ctypes.POINTER(u32))
    handle = library.runtime().qb_product_open(graph.handle, ctypes.byref(record))
    if not handle:
        raise memory_stop(graph)
    try:
        yield Product(graph, handle, asked, Steps(automaton), (record, roots))
    finally:
        library.runtime().qb_product_close(handle)


def ends_of(asked: Ask) -> bytes:
    """The states of the automaton that accept whatever follows."""
    automaton, every = asked.automaton, (1 << asked.automaton.sets) - 1
    ends = bytearray(automaton.states)
    if asked.may_end:
        for t in automaton.transitions:
            if t.source == t.target and not t.positive and not t.negative and t.marks == every:
                ends[t.source] = True
    return bytes(ends)


def memory_stop(graph: Graph) -> Stopped:
    return graph.stopped("there is not enough memory for the product with the formula")


def declare(runtime: Any) -> None:
    check_records(runtime, {"qb_question": QuestionRecord, "qb_product_view": ProductView})
    pointer = ctypes.c_void_p
    types: dict[str, tuple[Any, list[Any]]] = {
        "qb_product_open": (pointer, [pointer, ctypes.POINTER(QuestionRecord)]),
        "qb_product_close": (None, [pointer]),
        "qb_product_step": (ctypes.c_int, [pointer, u64, ctypes.c_double]),
        "qb_product_trim": (ctypes.c_int, [pointer, ctypes.c_double]),
        "qb_product_row": (ctypes.c_bool, [pointer, ctypes.POINTER(u32), ctypes.POINTER(u32), ctypes.POINTER(u64)]),
        "qb_product_view_of": (None, [pointer, ctypes.POINTER(ProductView)]),
        "qb_product_good": (None, [pointer, ctypes.c_char_p]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(runtime, name)
        function.restype, function.argtypes = result, arguments
