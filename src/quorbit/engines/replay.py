"""From a path of representatives to a run of the unreduced model, replayed before anyone sees it.

The path is r0, r1, ...: every r is a representative, and some move of r_k leads to a state t with ``reduce(t)`` =
r_{k+1}.  While lifting we keep g with g(r_k) = the concrete state; a move r_k -> t becomes g(r_k) -> g(t), and from
h(t) = r_{k+1} follows that the next g is "first h backwards, then g".  No plan needs to be exact for this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from quorbit.canon.minimise import Reduce
from quorbit.groups.group import swap
from quorbit.groups.moves import permutation_of
from quorbit.groups.permutation import Permutation, compose, identity, inverse
from quorbit.model.meaning.evaluate import Meaning, Move, Violation
from quorbit.model.meaning.permute import permute_places, permute_state
from quorbit.model.system.command import parameters_of
from quorbit.model.system.expression import Fresh
from quorbit.model.system.system import NoDeadlock, Property, State, System
from quorbit.result.outcome import Step, Trace

__all__ = ["ReplayError", "check", "check_stuck", "find_start", "is_way_out", "lift"]


class ReplayError(Exception):
    """A path that is not a run of the model: a bug of ours, never a verdict."""


def lift(system: System, path: Sequence[State], reduce: Reduce | None, violation: Violation | None) -> Trace:
    """The run of the unreduced model along a path of representatives.

    If a violation is given, one more move follows that ends in it."""
    meaning = Meaning(system)
    start, g = find_start(meaning, path[0], reduce)
    s = start
    steps: list[Step] = []
    for r, following in pairwise(path):
        t, h = find_move(meaning, r, following, reduce)
        step, renamed = find_step(meaning, s, permute_state(system, g, t), None)
        steps.append(step)
        s = step.state
        g = compose(compose(inverse(h), g), renamed)
    if violation is not None:
        bad = find_violation(meaning, path[-1], violation)
        steps.append(find_bad_step(meaning, s, permute_state(system, g, bad.target), violation))
    trace = Trace(start, tuple(steps))
    check(meaning, trace, violation)
    return trace


def find_start(meaning: Meaning, r: State, reduce: Reduce | None) -> tuple[State, Permutation]:
    """An initial state whose representative is r, and the permutation from r to it."""
    for s in meaning.initial_states():
        representative, h = reduced(meaning.system, s, reduce)
        if representative == r:
            return s, inverse(h)
    raise ReplayError("the path does not start in an initial state")


def find_move(meaning: Meaning, r: State, following: State, reduce: Reduce | None) -> tuple[State, Permutation]:
    """A successor of r whose representative is ``following``, and the permutation to that."""
    for move in meaning.moves(r):
        if move.violation is None:
            representative, h = reduced(meaning.system, move.target, reduce)
            if representative == following:
                return move.target, h
    raise ReplayError("a step of the path is not a step of the model")


def find_violation(meaning: Meaning, r: State, violation: Violation) -> Move:
    for move in meaning.moves(r):
        if move.violation == violation:
            return move
    raise ReplayError("the violation is not where the path ends")


def find_step(meaning: Meaning, s: State, t: State, violation: Violation | None) -> tuple[Step, Permutation]:
    """The concrete move from s to t, or to what t becomes when unused atoms are renamed, and that renaming.

    Where a process is created, the model takes the first unused atom, whichever g makes of it.  If there is no such
    move the permutation is not a symmetry."""
    moves = {m.target: m for m in reversed(list(meaning.moves(s))) if same_violation(m.violation, violation)}
    for image, renamed in renamings(meaning.system, s, t):
        if image in moves:
            return Step(moves[image].firings, image), renamed
    raise ReplayError("the image of a step is not a step: the permutation used is not a symmetry")


def find_bad_step(meaning: Meaning, s: State, t: State, violation: Violation) -> Step:
    """The concrete move from s that ends in the violation, at best in t: symmetries of steps that nobody can interrupt
    need not map the middle of one step to the middle of another."""
    try:
        return find_step(meaning, s, t, violation)[0]
    except ReplayError:
        for move in meaning.moves(s):
            if same_violation(move.violation, violation):
                return Step(move.firings, move.target)
        raise


MOST_RENAMINGS = 50_000


def renamings(system: System, s: State, t: State) -> Iterator[tuple[State, Permutation]]:
    """t itself, and the images of t under exchanges of atoms that can be created and that s does not tell apart."""
    found: dict[State, Permutation] = {t: identity(len(system.atoms))}
    yield t, found[t]
    swaps = [g for g in exchanges(system) if permute_places(system, g) is not None and permute_state(system, g, s) == s]
    waiting = [t]
    for u in waiting:
        for g in swaps:
            image = permute_state(system, g, u)
            if image not in found and len(found) < MOST_RENAMINGS:
                found[image] = compose(found[u], g)
                waiting.append(image)
                yield image, found[image]


def exchanges(system: System) -> list[Permutation]:
    """Exchanges of two atoms that one parameter of a command may create."""
    domains = [p.domain for command in system.commands for p in parameters_of(command)]
    cells = (cell for domain in domains if isinstance(domain, Fresh) for cell in domain.cells or (domain.atoms,))
    classes = dict.fromkeys(cells)
    points = tuple(range(len(system.atoms)))
    return [permutation_of(swap(a, b), points) for atoms in classes for a, b in combinations(atoms, 2)]


def same_violation(a: Violation | None, b: Violation | None) -> bool:
    """Alike up to the names of the atoms in the message."""
    return (a is None) == (b is None) and (a is None or b is None or a.property == b.property)


def reduced(system: System, s: State, reduce: Reduce | None) -> tuple[State, Permutation]:
    """The representative of s, and the permutation to it: none where s is its own, for what a model does only once at
    its beginning need not have an image."""
    representative, h = reduce(s) if reduce else (s, ())
    return representative, identity(len(system.atoms)) if representative == s else h


def check(meaning: Meaning, trace: Trace, violation: Violation | None) -> None:
    """Replay a trace on the model's meaning, command by command."""
    if trace.start not in meaning.initial_states():
        raise ReplayError("the trace does not start in an initial state")
    replay_part(meaning, trace.start, trace.steps, violation)


def check_stuck(meaning: Meaning, properties: Sequence[Property], s: State) -> None:
    """That a state which was told as a deadlock cannot be left."""
    if any(is_way_out(properties, s, move) for move in meaning.moves(s)):
        raise ReplayError("a state that was told as a deadlock can be left")


def is_way_out(properties: Sequence[Property], s: State, move: Move) -> bool:
    """Whether a move keeps a state from being a deadlock: it leads to another state, or to a violation."""
    stuttering = any(isinstance(p, NoDeadlock) and p.stuttering for p in properties)
    return not stuttering or move.violation is not None or move.target != s


def replay_part(meaning: Meaning, s: State, steps: Sequence[Step], violation: Violation | None = None) -> None:
    """Replay steps from a state on; if a violation is given the last of them ends in one."""
    for k, step in enumerate(steps):
        reached, broken = run(meaning, s, step)
        expected = violation is not None and k == len(steps) - 1
        if expected and broken is None:
            broken = meaning.guard_fault(reached) or meaning.endless(s, step.firings)
        if reached != step.state or (broken is not None) != expected:
            raise ReplayError(f"step {k + 1} of the trace does not replay")
        s = step.state


def run(meaning: Meaning, s: State, step: Step) -> tuple[State, Violation | None]:
    violation = None
    for firing in step.firings:
        if violation is not None or firing not in meaning.enabled(s):
            raise ReplayError("a command of the trace cannot run where it stands")
        s, violation = meaning.fire(s, firing)
    return s, violation
