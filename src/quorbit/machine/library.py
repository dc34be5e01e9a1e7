"""The compiled runtime, loaded with ctypes: its records and functions (runtime/*.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from quorbit.machine.compile.gate_tables import GateTables
from quorbit.machine.compile.instructions import Program
from quorbit.machine.shared_records import check_constants, check_records, runtime_layouts
from quorbit.source.errors import UserError

__all__ = [
    "BY_MOVE",
    "CHAIN",
    "COSETS",
    "DEPTH",
    "DESCEND",
    "DONE",
    "ENUMERATE",
    "FAILED",
    "FOREST",
    "IDENTITY",
    "IN_STATE",
    "MARK",
    "MEMORY",
    "NOTHING",
    "NO_PARENT",
    "ORBIT",
    "REFINE",
    "RUNNING",
    "SORT",
    "STATES",
    "STOPPED",
    "STUCK",
    "SWAPS",
    "SYMMETRIC",
    "TOO_LARGE",
    "TURN",
    "CellRecord",
    "FieldRecord",
    "PlanRecord",
    "ProgramRecord",
    "ReportRecord",
    "RunView",
    "UnitRecord",
    "is_available",
    "layouts_text",
    "program_record",
    "runtime",
    "u32",
    "u64",
]

RUNNING, DONE, FAILED, MEMORY, DEPTH, STATES, TOO_FEW_ATOMS, TOO_LARGE, STOPPED, DISK = range(10)
BUSY = -1
NOTHING, BY_MOVE, IN_STATE, STUCK = range(4)
NO_PARENT = 2**64 - 1
PARENTS_PLAIN, PARENTS_ORDERED, PARENTS_NONE = range(3)
ORDERS = {"bfs": 0, "dfs": 1, "mixed": 2}
IDENTITY, ENUMERATE, CHAIN, SWAPS, SORT, TURN, DESCEND, ORBIT, REFINE, SYMMETRIC, MARK, FOREST, COSETS = range(
    13
)  # of plans
LATE, DAMAGED, NO_ROOM = -1, -2, -3  # what becomes of a message
u32, u64, i64 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64


class InstructionRecord(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint16) for name in ["op", "a", "b", "c"]] + [("x", i64), ("y", i64)]


class ExpressionRecord(ctypes.Structure):
    _fields_ = [*((name, u32) for name in ("kind", "first", "count", "unused")), ("value", i64)]


class GateSymmetryRecord(ctypes.Structure):
    _fields_ = [("first", u32), ("count", u32), ("spared", ctypes.POINTER(u64))]


class GatesRecord(ctypes.Structure):
    _fields_ = [
        *((name, u32) for name in ("bits", "state_nodes", "columns", "mixed_nodes", "choices", "blocks", "guard")),
        *((name, u32) for name in ("condition_count", "symmetry_count", "pair_count")),
        *(
            (name, ctypes.POINTER(u32))
            for name in ("places", "state_edges", "mixed_edges", "next", "conditions", "pairs")
        ),
        ("values", ctypes.POINTER(u64)),
        ("symmetries", ctypes.POINTER(GateSymmetryRecord)),
    ]


class ProgramRecord(ctypes.Structure):
    _fields_ = [
        *((name, u32) for name in ("words", "registers", "call_words", "commands", "next", "check", "stuck")),
        *((name, u32) for name in ("code_count", "table_count", "target_count")),
        ("code", ctypes.POINTER(InstructionRecord)),
        ("table", ctypes.POINTER(i64)),
        ("targets", ctypes.POINTER(i64)),
        ("memo", ctypes.c_void_p),
        ("call", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("chain_count", u32),
        ("chain_starts", ctypes.POINTER(u32)),
        ("chain_commands", ctypes.POINTER(u32)),
        ("gates", ctypes.POINTER(GatesRecord)),
    ]


class FieldRecord(ctypes.Structure):
    _fields_ = [("word", ctypes.c_uint16), ("shift", ctypes.c_uint8), ("width", ctypes.c_uint8)]


class CellRecord(ctypes.Structure):
    _fields_ = [
        ("field", FieldRecord),
        ("low", ctypes.c_int32),
        *((name, u32) for name in ("is_atom", "kind", "family")),
        ("length", ctypes.c_int32),
        *((name, u32) for name in ("slot", "owner_count", "elements")),
        ("owners", ctypes.c_int32 * 3),
    ]


class UnitRecord(ctypes.Structure):
    _fields_ = [(name, u32) for name in ("is_set", "first", "count")]


class PlanRecord(ctypes.Structure):
    _fields_ = [
        *((name, u32) for name in ("words", "atoms", "run_count", "cell_count", "family_count", "length_count")),
        *((name, u32) for name in ("unit_count", "unit_field_count", "cache_bits", "unused")),
        ("node_count", u64),
        ("run_starts", ctypes.POINTER(u32)),
        ("runs", ctypes.POINTER(FieldRecord)),
        ("cells", ctypes.POINTER(CellRecord)),
        ("families", ctypes.POINTER(ctypes.c_int32)),
        ("lengths", ctypes.POINTER(FieldRecord)),
        ("keep", ctypes.POINTER(u64)),
        ("units", ctypes.POINTER(UnitRecord)),
        ("unit_fields", ctypes.POINTER(FieldRecord)),
        ("nodes", ctypes.POINTER(i64)),
        ("values", ctypes.c_void_p),
        ("value_fields", ctypes.POINTER(FieldRecord)),
        ("value_field_count", u64),
    ]


class OptionsRecord(ctypes.Structure):
    _fields_ = [
        ("program", ProgramRecord),
        *((name, u64) for name in ("most_bytes", "most_states", "most_depth")),
        *((name, u32) for name in ("all_errors", "transient", "check", "stuck", "threads")),
        *((name, u32) for name in ("order", "compact", "limbs", "squeezed", "most_moves", "parents", "wide")),
        ("bit_bytes", u64),
        ("alpha", ctypes.c_double),
        ("seed", u64),
        ("plan", ctypes.POINTER(PlanRecord)),
        ("counting", ctypes.POINTER(PlanRecord)),
        ("partial_order", ctypes.c_void_p),
    ]


class ReportRecord(ctypes.Structure):
    _fields_ = [
        *((name, u64) for name in ("states", "transitions", "levels", "cursor", "bytes", "errors")),
        *((name, u64) for name in ("failure_kind", "failure_state")),
        ("cpu_seconds", ctypes.c_double),
        ("lost", ctypes.c_double),
        ("cache_hits", u64),
        ("deepest", u64),
        ("status", u64),
        ("left_out", u64),
    ]


class LevelReport(ctypes.Structure):
    _fields_ = [
        *((name, u64) for name in ("found", "checksum", "transitions", "errors", "failure_kind")),
        *((name, u64) for name in ("bytes", "sent_count", "sent_bytes", "partly")),
        ("cpu_seconds", ctypes.c_double),
    ]


class RunView(ctypes.Structure):
    _fields_ = [
        ("steps", u64),
        ("states", ctypes.POINTER(u64)),
        ("ends", ctypes.POINTER(u64)),
        ("commands", ctypes.POINTER(u32)),
    ]


RECORDS: dict[str, type[ctypes.Structure]] = {
    "qb_instruction": InstructionRecord,
    "qb_expression": ExpressionRecord,
    "qb_program": ProgramRecord,
    "qb_gate_symmetry": GateSymmetryRecord,
    "qb_gates": GatesRecord,
    "qb_field": FieldRecord,
    "qb_cell": CellRecord,
    "qb_unit": UnitRecord,
    "qb_plan": PlanRecord,
    "qb_options": OptionsRecord,
    "qb_report": ReportRecord,
    "qb_level_report": LevelReport,
    "qb_run_view": RunView,
}  # by their names in C
FIRST_QUANTIFIER = 38  # among the kinds of expressions that the runtime evaluates
CONSTANTS = {
    "QB_E_ALL": FIRST_QUANTIFIER,
    "QB_RUNNING": RUNNING,
    "QB_DONE": DONE,
    "QB_FAILED": FAILED,
    "QB_MEMORY": MEMORY,
    "QB_DEPTH": DEPTH,
    "QB_STATES": STATES,
    "QB_TOO_FEW_ATOMS": TOO_FEW_ATOMS,
    "QB_TOO_LARGE": TOO_LARGE,
    "QB_STOPPED": STOPPED,
    "QB_DISK": DISK,
    "QB_NOTHING": NOTHING,
    "QB_BY_MOVE": BY_MOVE,
    "QB_IN_STATE": IN_STATE,
    "QB_STUCK": STUCK,
    "QB_PARENTS_PLAIN": PARENTS_PLAIN,
    "QB_PARENTS_ORDERED": PARENTS_ORDERED,
    "QB_PARENTS_NONE": PARENTS_NONE,
    "QB_OLDEST_FIRST": ORDERS["bfs"],
    "QB_NEWEST_FIRST": ORDERS["dfs"],
    "QB_MIXED": ORDERS["mixed"],
    "QB_IDENTITY": IDENTITY,
    "QB_ENUMERATE": ENUMERATE,
    "QB_CHAIN": CHAIN,
    "QB_SWAPS": SWAPS,
    "QB_SORT": SORT,
    "QB_TURN": TURN,
    "QB_DESCEND": DESCEND,
    "QB_ORBIT": ORBIT,
    "QB_REFINE": REFINE,
    "QB_SYMMETRIC": SYMMETRIC,
    "QB_MARK": MARK,
    "QB_FOREST": FOREST,
    "QB_COSETS": COSETS,
    "QB_LATE": LATE,
    "QB_DAMAGED": DAMAGED,
    "QB_NO_ROOM": NO_ROOM,
}


def runtime_file() -> Path | None:
    """The compiled runtime beside this file, if the package was built with one."""
    found = sorted(Path(__file__).parent.glob("_runtime*.so")) + sorted(Path(__file__).parent.glob("_runtime*.pyd"))
    return found[0] if found else None


def is_available() -> bool:
    return runtime_file() is not None


@cache
def runtime() -> Any:
    """The library; a message for the user if it was not built."""
    file = runtime_file()
    if file is None:
        raise UserError(
            None,
            "the explicit engine was not built when this package was installed (no C compiler was found): "
            "only the reference engine is available; install a C compiler or the ziglang wheel and install again",
        )
    return declared(ctypes.CDLL(str(file)))


def declared(library: Any) -> Any:
    """The library, once it was compared with this file; ctypes is told the types of its functions."""
    check_records(library, RECORDS)
    check_constants(library, CONSTANTS)
    pointer = ctypes.c_void_p
    types: dict[str, tuple[Any, list[Any]]] = {
        "qb_operation_name": (ctypes.c_char_p, [u32]),
        "qb_operation_operands": (ctypes.c_char_p, [u32]),
        "qb_verify": (i64, [ctypes.POINTER(ProgramRecord)]),
        "qb_open": (pointer, [ctypes.POINTER(OptionsRecord)]),
        "qb_close": (None, [pointer]),
        "qb_start": (ctypes.c_bool, [pointer, ctypes.POINTER(u64), u64]),
        "qb_stop": (None, [pointer]),
        "qb_step": (ctypes.c_int, [pointer, ctypes.c_double]),
        "qb_apart_open": (pointer, [pointer, pointer]),
        "qb_apart_begin": (None, [pointer, ctypes.c_double]),
        "qb_apart_await": (ctypes.c_int, [pointer, ctypes.c_double]),
        "qb_apart_close": (None, [pointer]),
        "qb_ask": (None, [pointer, ctypes.POINTER(ReportRecord)]),
        "qb_levels": (ctypes.POINTER(u64), [pointer]),
        "qb_fired": (ctypes.POINTER(u64), [pointer]),
        "qb_state": (ctypes.c_bool, [pointer, u64, ctypes.POINTER(u64)]),
        "qb_parent": (u64, [pointer, u64]),
        "qb_level_of": (u64, [pointer, u64]),
        "qb_find_parent": (ctypes.c_int, [pointer, u64, *[ctypes.POINTER(u64)] * 2, ctypes.c_double]),
        "qb_count_from": (ctypes.c_bool, [pointer, u64]),
        "qb_failure": (None, [pointer, ctypes.POINTER(u64)]),
        "qb_path": (u64, [pointer, u64, ctypes.POINTER(u64), u64]),
        "qb_follow_open": (pointer, [pointer, ctypes.POINTER(u64), u64, ctypes.POINTER(u64)]),
        "qb_follow_step": (ctypes.c_int, [pointer, ctypes.c_double]),
        "qb_follow_view": (None, [pointer, ctypes.POINTER(RunView)]),
        "qb_follow_close": (None, [pointer]),
        "qb_watch": (None, [pointer, ctypes.POINTER(u64), u64, ctypes.POINTER(u64)]),
        "qb_watched": (u64, [pointer]),
        "qb_partly": (u64, [pointer]),
        "qb_limit_states": (None, [pointer, u64]),
        "qb_orbit_counts": (u64, [pointer, u32, pointer, pointer]),
        "qb_workers": (u32, [pointer]),
        "qb_level_rows": (u64, [pointer, u64, pointer, pointer]),
        "qb_ask_snapshot": (None, [pointer, ctypes.POINTER(ReportRecord), ctypes.POINTER(u64)]),
        "qb_restore_rows": (ctypes.c_bool, [pointer, ctypes.POINTER(u64), ctypes.POINTER(u32), u64]),
        "qb_restore_level": (ctypes.c_bool, [pointer, ctypes.c_bool]),
        "qb_restore_snapshot": (None, [pointer, ctypes.POINTER(ReportRecord), ctypes.POINTER(u64)]),
        "qb_own": (ctypes.c_bool, [pointer, u32, u32, pointer, ctypes.POINTER(FieldRecord), u32]),
        "qb_own_again": (ctypes.c_bool, [pointer, u32, u32]),
        "qb_seed": (ctypes.c_bool, [pointer, ctypes.POINTER(u64), u64]),
        "qb_expand": (u64, [pointer, u64, ctypes.c_double]),
        "qb_left": (u64, [pointer]),
        "qb_outbox_of": (pointer, [pointer, u32, u64, ctypes.POINTER(u64)]),
        "qb_empty_outbox": (None, [pointer, u32]),
        "qb_take": (i64, [pointer, pointer, u64, pointer]),
        "qb_note_open": (None, [pointer, u32, u64, u64, ctypes.c_char_p]),
        "qb_expand_rest": (u64, [pointer, u64, ctypes.c_double]),
        "qb_prepare": (ctypes.c_bool, [pointer, ctypes.POINTER(u64), ctypes.POINTER(LevelReport)]),
        "qb_worst": (None, [pointer, ctypes.POINTER(u64)]),
        "qb_commit": (ctypes.c_bool, [pointer, u64]),
        "qb_abort": (None, [pointer, u64, u64]),
        "qb_level_start": (u64, [pointer, u64]),
        "qb_export": (u64, [pointer, u64, u64, u32, u32, u64, pointer, ctypes.POINTER(u64)]),
        "qb_restore": (i64, [pointer, pointer, u64]),
        "qb_predecessor": (ctypes.c_int, [pointer, u64, *[ctypes.POINTER(u64)] * 3, pointer, ctypes.c_double]),
        "qb_tell_state": (pointer, [pointer, ctypes.POINTER(u64), ctypes.POINTER(u64)]),
        "qb_read_state": (ctypes.c_bool, [pointer, pointer, u64, ctypes.POINTER(u64)]),
        "qb_order": (ctypes.c_int, [pointer, ctypes.POINTER(u64), ctypes.POINTER(u64)]),
        "qb_spill_open": (pointer, [pointer, ctypes.c_char_p, u32]),
        "qb_spill_close": (None, [pointer]),
        "qb_spill_start": (ctypes.c_bool, [pointer, ctypes.POINTER(u64), u64]),
        "qb_spill_step": (ctypes.c_int, [pointer, ctypes.c_double]),
        "qb_spill_ask": (None, [pointer, ctypes.POINTER(ReportRecord)]),
        "qb_spill_error": (ctypes.c_int, [pointer]),
        "qb_spill_failure": (None, [pointer, ctypes.POINTER(u64)]),
        "qb_spill_predecessor": (ctypes.c_bool, [pointer, u64, ctypes.POINTER(u64)]),
        "qb_reducer_open": (pointer, [ctypes.POINTER(PlanRecord)]),
        "qb_reducer_close": (None, [pointer]),
        "qb_reduce": (None, [pointer, ctypes.POINTER(u64)]),
        "qb_reduce_all": (None, [pointer, ctypes.POINTER(u64), u64]),
        "qb_reduce_witness": (None, [pointer, ctypes.POINTER(u64), ctypes.POINTER(ctypes.c_int32)]),
        "qb_set_native": (None, [pointer, pointer, pointer, pointer]),
        "qb_values_open": (pointer, []),
        "qb_values_close": (None, [pointer]),
        "qb_values_count": (u64, [pointer]),
        "qb_values_bytes": (u64, [pointer]),
        "qb_values_failed": (ctypes.c_bool, [pointer]),
        "qb_value_number": (u32, [pointer, u32, ctypes.POINTER(i64), u64]),
        "qb_value_parts": (u64, [pointer, u32, ctypes.POINTER(u32), ctypes.POINTER(i64), u64]),
        "qb_value_form": (u32, [pointer, u32, ctypes.POINTER(u32), u32]),
        "qb_value_universe": (u32, [pointer, ctypes.POINTER(u32), u32]),
        "qb_memo_open": (pointer, [pointer, u64]),
        "qb_memo_close": (None, [pointer]),
        "qb_memo_declare": (u32, [pointer, u32, u32]),
        "qb_memo_evaluate": (
            ctypes.c_bool,
            [
                *(pointer, u32, pointer, ctypes.POINTER(ExpressionRecord), u32),
                *(ctypes.POINTER(u32), u32, ctypes.c_bool, i64, i64),
            ],
        ),
        "qb_memo_call": (ctypes.c_int, [pointer, u32, ctypes.POINTER(i64), ctypes.POINTER(i64)]),
        "qb_memo_bytes": (u64, [pointer]),
        "qb_memo_limit": (None, [pointer, u64]),
        "qb_memo_misses": (u64, [pointer]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


@cache
def layouts_text() -> str:
    """All the records that the runtime shares; a part of digests, since what was made for others is of no use."""
    return repr(runtime_layouts(runtime()))


def program_record(program: Program, commands: int, memo: Any = None, values: Any = None) -> ProgramRecord:
    """A program as the runtime reads it; the arrays live as long as the record; ``memo`` has the functions it calls,
    ``values`` those that states name by numbers."""
    rows: list[Any] = list(program.code)
    code = (InstructionRecord * max(1, len(rows)))(*rows)
    table = (i64 * max(1, len(program.table)))(*program.table)
    targets = (i64 * max(1, len(program.targets)))(*program.targets)
    record = ProgramRecord(
        program.words,
        program.registers,
        program.call_words,
        max(1, commands),
        program.entries["next"],
        program.entries["check"],
        program.entries["stuck"],
        len(program.code),
        len(program.table),
        len(program.targets),
    )
    record.code, record.table, record.targets = code, table, targets
    record.memo, record.values = memo, values
    starts = list(accumulate(map(len, program.chains), initial=0))
    record.chain_count = len(program.chains)
    record.chain_starts = (u32 * len(starts))(*starts)
    record.chain_commands = (u32 * max(1, starts[-1]))(*(n for chain in program.chains for n in chain))
    if program.gates is not None:
        record.gates = ctypes.pointer(gates_record(program.gates))
    return record


def gates_record(t: GateTables) -> GatesRecord:
    """The gates of a circuit as the runtime reads them; the arrays live as long as the record."""
    blocks = (t.choices + 63) // 64
    numbers = [pair for spared in t.spared for pair in spared.pairs]
    record = GatesRecord(
        len(t.places),
        len(t.state_edges) // 2,
        len(t.columns),
        len(t.mixed_edges) // 2,
        t.choices,
        blocks,
        t.guard,
        len(t.conditions),
        len(t.spared),
        len(numbers),
        *(words32(listed) for listed in (t.places, t.state_edges, t.mixed_edges, t.next, t.conditions)),
        words32([bit for pair in numbers for bit in pair]),
        words64(t.columns, blocks),
    )
    first, listed = 0, []
    for spared in t.spared:
        listed.append(GateSymmetryRecord(first, len(spared.pairs), words64([spared.choices], blocks)))
        first += len(spared.pairs)
    record.symmetries = (GateSymmetryRecord * max(1, len(listed)))(*listed)
    return record


def words32(numbers: Sequence[int]) -> Any:
    return (u32 * max(1, len(numbers)))(*numbers)


def words64(columns: Sequence[int], blocks: int) -> Any:
    """Columns of one bit for each choice, as words of 64 choices, one column after the other."""
    text = b"".join(column.to_bytes(8 * blocks, "little") for column in columns)
    return (u64 * max(1, len(text) // 8)).from_buffer_copy(text or bytes(8))
