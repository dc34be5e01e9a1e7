"""Plans as tables for the engine's canonicalisers (runtime/reduce.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from quorbit.canon.classify import orbital_arcs
from quorbit.canon.minimise import Reduce
from quorbit.canon.plan import (
    Descend,
    Enumerate,
    EnumerateChain,
    Identity,
    InTurn,
    LabelGraph,
    Mark,
    MinimisingSet,
    Node,
    Plan,
    Refine,
    SearchOrbit,
    SortColumns,
    Transposition,
)
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.machine import library
from quorbit.machine.compile.encoding import value_at
from quorbit.machine.compile.packing import Field, StateLayout, pack_state, unpack_state
from quorbit.machine.compile.shapes import Shape, count
from quorbit.machine.interned import ValueTable
from quorbit.machine.kernels.choice import cache_bits, compares, orders_of_classes, quickest, refined_order, understood
from quorbit.machine.kernels.cosets import coset_table, suits_cosets
from quorbit.machine.kernels.forest import forest_table
from quorbit.machine.kernels.movement import Item, Movement, Unit, movement
from quorbit.machine.library import (
    CHAIN,
    COSETS,
    DESCEND,
    ENUMERATE,
    FOREST,
    IDENTITY,
    MARK,
    ORBIT,
    REFINE,
    SORT,
    SWAPS,
    SYMMETRIC,
    TURN,
    CellRecord,
    FieldRecord,
    PlanRecord,
    UnitRecord,
)
from quorbit.model.system.system import State, System
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError
from quorbit.source.exhaustive import assert_never

__all__ = ["plan_record", "reducer"]

IS_VALUE = 2  # a cell that holds the number of an interned value
MOST_ATOMS = 1024
LARGEST_FAMILY = 1 << 22
MOST_ORBITALS = 128  # atoms; labels of pairs help to tell atoms apart


def plan_record(system: System, layout: StateLayout, plan: Plan, counting: bool = False) -> PlanRecord:
    """A plan as the runtime reads it; the arrays live as long as the record.  ``counting``: for stabilisers, too."""
    atoms = len(system.atoms)
    if atoms > MOST_ATOMS:
        raise UserError(None, f"the explicit engine reduces models of at most {MOST_ATOMS} atoms")
    node = understood(plan.node)
    moves = movement(layout, system.places, frozenset(moved_by(node)))
    if not counting:
        node = quickest(plan, node, moves)
    run_starts, runs = run_table(moves, atoms)
    lengths = list(dict.fromkeys(cell.length for cell in moves.cells if cell.length is not None))
    cells, families = cell_table(moves, atoms, lengths, layout.table)
    units, unit_fields = unit_table(moves, layout.table) if compares(node) else ([], [])
    nodes = node_table(node, atoms, None if counting else moves)
    record = PlanRecord(
        layout.words, atoms, len(runs), len(cells), len(families), len(lengths), len(units), len(unit_fields)
    )
    record.cache_bits = cache_bits(node, layout.words)
    record.node_count = len(nodes)
    record.run_starts = array(ctypes.c_uint32, run_starts)
    record.runs = array(FieldRecord, map(field_row, runs))
    record.cells = array(CellRecord, cells)
    record.families = array(ctypes.c_int32, families)
    record.lengths = array(FieldRecord, map(field_row, lengths))
    record.keep = array(ctypes.c_uint64, moves.keep)
    record.units = array(UnitRecord, units)
    record.unit_fields = array(FieldRecord, map(field_row, unit_fields))
    record.nodes = array(ctypes.c_int64, nodes)
    record.values = layout.table.handle if layout.table.is_open else None
    record.value_fields = array(FieldRecord, map(field_row, (f for cell in moves.cells for f in cell.words)))
    record.value_field_count = sum(len(cell.words) for cell in moves.cells)
    return record


def array(kind: Any, values: Iterable[Any]) -> Any:
    listed = list(values)
    return (kind * max(1, len(listed)))(*listed)


# Tables of bits.


def field_row(f: Field) -> tuple[int, int, int]:
    return f.word, f.shift, f.width


def run_table(moves: Movement, atoms: int) -> tuple[list[int], list[Field]]:
    starts, runs = [0], []
    for a in range(atoms):
        runs += moves.runs.get(a, [])
        starts.append(len(runs))
    return starts, runs


def cell_table(
    moves: Movement, atoms: int, lengths: list[Any], table: ValueTable
) -> tuple[list[tuple[Any, ...]], list[int]]:
    kinds: dict[tuple[object, ...], int] = {}
    first: dict[int, int] = {}
    families: list[int] = []
    rows = []
    words = 0  # of sets that move as values, so far
    for number, cell in enumerate(moves.cells):
        refers = IS_VALUE if cell.value is not None else int(cell.refers)
        key = (*cell.kind, len(cell.owners), refers)
        kind = kinds.setdefault(key, len(kinds))
        if kind not in first:
            first[kind] = len(families)
            size = (atoms + 1) ** len(cell.owners)
            if len(families) + size > LARGEST_FAMILY:
                raise UserError(None, "the explicit engine cannot reduce: relations join too many atoms")
            families += [-1] * size
        families[first[kind] + family_index(cell, atoms)] = number
        owners = (*cell.owners, *(NONE,) * (3 - len(cell.owners)))
        length = -1 if cell.length is None else lengths.index(cell.length)
        low = cell.field.low if cell.refers else 0 if cell.value is None else table.form_of(cell.value)
        slot, elements = (universe_number(cell.universe, table), words) if cell.words else (cell.slot, cell.elements)
        words += len(cell.words)
        rows.append(
            (
                field_row(cell.field),
                low,
                refers,
                kind,
                first[kind],
                length,
                slot,
                len(cell.owners),
                elements,
                owners,
            )
        )
    return rows, families


def universe_number(shape: Shape | None, table: ValueTable) -> int:
    """1 + the number of the universe that a set in bits is taken from."""
    listed = [value_at(shape, k) for k in range(count(shape))]
    return 1 + table.universe_of(listed)


def family_index(cell: Item, atoms: int) -> int:
    index = 0
    for a in cell.owners:
        index = index * (atoms + 1) + a + 1
    return index


def unit_table(moves: Movement, table: ValueTable) -> tuple[list[tuple[int, int, int]], list[Field]]:
    units: list[tuple[int, int, int]] = []
    fields: list[Field] = []
    for unit in moves.units:
        units.append((unit_kind(unit, table), len(fields), len(unit.fields)))
        fields += unit.fields
    return units, fields


def unit_kind(unit: Unit, table: ValueTable) -> int:
    if unit.universe is not None:
        return 2 + universe_number(unit.universe, table)
    return 2 if unit.is_value else int(unit.is_set)


# Nodes.


def moved_by(node: Node) -> set[int]:
    match node:
        case SortColumns(columns):
            return {a for column in columns for a in column}
        case InTurn(parts):
            return {a for part in parts for a in moved_by(part)}
        case Refine(classes=classes) | Mark(classes):
            return set(active_atoms(classes))
        case Enumerate(listed) | MinimisingSet(listed) | SearchOrbit(listed):
            return {a for g in listed for a, b in enumerate(g) if a != b}
        case Descend(generators, restarts):
            return {a for g in (*generators, *restarts) for a, b in enumerate(g) if a != b}
        case EnumerateChain(levels):
            return {a for level in levels for word in level for pair in word for a in pair}
        case Identity():
            return set()
        case LabelGraph():
            raise AssertionError("no kernel labels graphs: choice.understood comes first")
        case _:
            assert_never(node)


def active_atoms(classes: tuple[int, ...]) -> list[int]:
    """The atoms that share their class, class by class."""
    members: dict[int, list[int]] = {}
    for a, c in enumerate(classes):
        members.setdefault(c, []).append(a)
    return [a for c in sorted(members) if len(members[c]) > 1 for a in members[c]]


def node_table(node: Node, atoms: int, moves: Movement | None) -> list[int]:
    """``moves``: None if the kernel has to count stabilisers."""
    match node:
        case Enumerate(listed):
            return [ENUMERATE, *permutations(listed)]
        case MinimisingSet(listed):
            return [SWAPS, *permutations(listed)]
        case SearchOrbit(listed):
            return [ORBIT, *permutations(listed)]
        case Descend(generators, restarts):
            return [DESCEND, *permutations(generators), *permutations(restarts)]
        case EnumerateChain(levels):
            steps = [permutations([product_of(word, atoms) for word in level]) for level in levels]
            return [CHAIN, len(levels), *(n for step in steps for n in step)]
        case SortColumns(columns):
            rows = len(columns[0]) if columns else 0
            return [SORT, len(columns), rows, *(a for column in columns for a in column)]
        case InTurn(parts):
            return [TURN, len(parts), *(n for part in parts for n in node_table(part, atoms, moves))]
        case Mark(classes):
            return [MARK, *class_table(classes, ())]
        case Refine(classes=classes):
            return refine_table(node, classes, moves)
        case Identity():
            return [IDENTITY]
        case LabelGraph():
            raise AssertionError("no kernel labels graphs: choice.understood comes first")
        case _:
            assert_never(node)


def permutations(listed: Iterable[Permutation]) -> list[int]:
    found = list(listed)
    return [len(found), *(a for g in found for a in g)]


def product_of(word: tuple[Transposition, ...], atoms: int) -> Permutation:
    """The transpositions of a word, applied one after the other."""
    images = list(range(atoms))
    for a, b in word:
        images = [b if x == a else a if x == b else x for x in images]
    return tuple(images)


def refine_table(node: Refine, classes: tuple[int, ...], moves: Movement | None) -> list[int]:
    active = active_atoms(classes)
    if not node.free and (not node.levels or refined_order(node) == orders_of_classes(classes)):
        return [SYMMETRIC, *class_table(classes, ())]
    if node.sorting is not None:
        return [FOREST, *forest_table(node.sorting, classes)]
    if moves is not None and suits_cosets(node, moves):
        return [COSETS, *coset_table(node)]
    generators = tuple(h for level in node.levels for _, h in level.representatives)
    generators += tuple(exchange(a, b, len(classes)) for block in node.free for a, b in pairwise(block))
    found = [REFINE, *class_table(classes, generators if len(active) <= MOST_ORBITALS else ()), len(node.levels)]
    for level in node.levels:
        found += [level.point, len(level.representatives), *(a for a, _ in level.representatives)]
        found += [b for _, h in level.representatives for b in h]
    return [*found, len(node.free), *(n for block in node.free for n in (len(block), *block))]


def exchange(a: int, b: int, atoms: int) -> Permutation:
    return product_of(((a, b),), atoms)


def class_table(classes: tuple[int, ...], generators: tuple[Permutation, ...]) -> list[int]:
    active = active_atoms(classes)
    table = [*classes, len(active), *active, int(bool(generators))]
    if generators:
        label = {(a, b): k for a, b, k in orbital_arcs(Group(len(classes), generators))}
        dense = {k: i + 1 for i, k in enumerate(sorted(set(label.values())))}
        table += [dense[label[a, b]] if a != b else 0 for a in active for b in active]
    return table


# The kernels as a function of states.


def reducer(system: System, layout: StateLayout, record: PlanRecord) -> tuple[Reduce, Callable[[], None]]:
    """The engine's canonicaliser as replay needs it, and how to close it."""
    runtime = library.runtime()
    handle = runtime.qb_reducer_open(ctypes.byref(record))
    if not handle:
        raise AssertionError("the tables of a plan are unsound")
    atoms, kept = len(system.atoms), [record]  # the kernels read the record as long as they are open

    def reduce(s: State) -> tuple[State, Permutation]:
        words = (ctypes.c_uint64 * layout.words)(*pack_state(layout, s))
        g = (ctypes.c_int32 * atoms)()
        runtime.qb_reduce_witness(handle, words, g)
        return unpack_state(layout, words), tuple(g)

    def close() -> None:
        runtime.qb_reducer_close(handle)
        kept.clear()

    return reduce, close
