"""What a user can say about how a model file is read; every front end refuses what it does not know."""

from __future__ import annotations

from quorbit.source.frozen import frozen

__all__ = ["LoadOptions"]


@frozen
class LoadOptions:
    defines: tuple[tuple[str, str], ...] = ()  # -D NAME=VALUE, in order
    count_like: str = "own"  # own, spin or plain: which states are stored (Promela); cmurphi (Murphi)
    deadlock: str = "model"  # as the language means it; stuck: no move; stuttering: no move to another state; off
    set_sizes: tuple[tuple[str, int], ...] = ()  # --set NAME=SIZE of deferred sets (B)
    max_int: int | None = None  # --maxint (B)
    min_int: int | None = None
    preferences: tuple[tuple[str, str], ...] = ()  # --pref NAME=VALUE, as SET_PREF_NAME in the text would (B)
    ignore: tuple[str, ...] = ()  # --ignore: kinds of errors that are not looked for
    bounds: int = 1  # a factor on what the front end bounds by itself (live processes, ...); doubled when exceeded
    lossy: bool = False  # a message sent to a full channel is lost (Promela; SPIN's -m)
    files: tuple[str, ...] = ()  # further files of the design (circuits)
    includes: tuple[str, ...] = ()  # -I: where included files are looked for, too (circuits)
    top: str | None = None  # --top: the module that is the circuit
    parameters: tuple[tuple[str, str], ...] = ()  # -P NAME=VALUE, of the top module (circuits)
    task: str | None = None  # --task: of a .sby file, the first if None (circuits)
    dialect: str = "auto"  # --dialect: standard, vis; auto: vis where only VIS could read the text (circuits)
    follow_memories: bool = False  # large memories at single addresses, where the answers are the same (circuits)
    language: str | None = None  # --language: what the file is written in, whatever its suffix
    machine: str | None = None  # --machine: which machine of a project (Event-B)
    refines: str | None = None  # --refines: the pairs of this machine's states with those of the model (B, Event-B)
    deadlock_free: bool = False  # in a pair: where the abstract machine has a step, the concrete one has one
    stepwise: bool = False  # every statement a step, every variable stored: for simulation (Promela)
