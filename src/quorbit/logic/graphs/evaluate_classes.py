"""CTL* with symmetric sub-formulas: one evaluation per class, the rest by renaming ([M97, 3.4]).

For the unreduced graph.  If g carries f to g·f, the states of g·f are the images under g of those of f; so the caller
says how a permutation acts on the numbers of states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.groups.permutation import Permutation
from quorbit.logic.formulas.fairness import UNFAIR, Fairness
from quorbit.logic.formulas.subformulas import SubformulaClass
from quorbit.logic.graphs.evaluate import Evaluator, stored
from quorbit.logic.graphs.kripke import Flags, Kripke
from quorbit.model.system.formula import Formula, is_state_formula

Move = Callable[[Permutation], Sequence[int]]  # the image of every state


def evaluate_classes(
    kripke: Kripke, formula: Formula, found: tuple[SubformulaClass, ...], move: Move, fairness: Fairness = UNFAIR
) -> tuple[Flags, int]:
    """The states with the formula, and how many sub-formulas were obtained by renaming.

    Requires: the group acts on the graph by automorphisms, and the fairness is invariant under it.
    """
    evaluator = Evaluator(stored(kripke, fairness))
    renamed = 0
    for group in reversed(found):  # smaller formulas come later in the list
        if len(group.members) < 2 or not is_state_formula(group.representative):
            continue
        flags = evaluator.states(group.representative)
        for member in group.members[1:]:
            evaluator.known[member.formula] = rename(flags, move(member.witness))
            renamed += 1
    return evaluator.states(formula), renamed


def rename(flags: Flags, images: Sequence[int]) -> Flags:
    """The images of the states of a set."""
    result = bytearray(len(flags))
    for s, flag in enumerate(flags):
        if flag:
            result[images[s]] = 1
    return bytes(result)
