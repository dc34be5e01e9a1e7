"""The symbolic tableau of a path formula [Clarke, Grumberg, Hamaguchi 1994].

One new bit for every formula whose truth is promised for the next state: the body of an X, and every U and R.  A state
of the product is a state of the model with these bits; a step keeps the promises.  A path of the product satisfies the
formula it starts with if every U that is promised comes true, which is one fairness constraint per U.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.bdd.function import Manager, Variables
from quorbit.engines.symbolic.ctlstar.fixpoints import Structure
from quorbit.engines.symbolic.ctlstar.normal import Conjunction, Disjunction, Path, R, States, U, X
from quorbit.model.diagrams.cases import Bdd
from quorbit.source.frozen import frozen

__all__ = ["Tableau", "build_tableau"]


@frozen
class Tableau:
    product: Structure
    start: Bdd  # where the formula is promised to hold
    fair: tuple[Bdd, ...]
    variables: Variables
    promises: tuple[tuple[int, Bdd], ...]  # a bit, and what must hold in the next state exactly if it is set


def build_tableau(structure: Structure, p: Path, fair: Sequence[Bdd]) -> Tableau:
    m = structure.m
    bits: dict[Path, int] = {}
    following: dict[int, int] = {}
    for q in promised(p):
        bit, its_next = m.add_variables(2)
        bits[q], following[bit] = bit, its_next
    truth = {q: satisfied(m, structure.universe, q, bits) for q in bits}
    promises = tuple((bit, truth[q]) for q, bit in bits.items())
    variables = m.variables(following)
    to_following = m.rename(following)
    after = m.variables(following.values())
    kept = m.conjunction(m.equivalent(m.variable(b), m.substitute(f, to_following)) for b, f in promises)

    def preimage(states: Bdd) -> Bdd:
        """First the promises, within one state of the model, then the step of the model."""
        return structure.preimage(m.and_exists(m.substitute(states, to_following), kept, after))

    eventually = [
        structure.universe & (~truth[q] | satisfied(m, structure.universe, q.right, bits))
        for q in bits
        if isinstance(q, U)
    ]
    product = Structure(m, structure.universe, preimage, structure.clock)
    start = satisfied(m, structure.universe, p, bits)
    return Tableau(product, start, (*fair, *eventually), variables, promises)


def promised(p: Path) -> list[Path]:
    """The formulas that need a bit, inner ones first, each once."""
    found: dict[Path, None] = {}

    def visit(q: Path) -> None:
        match q:
            case Conjunction(parts) | Disjunction(parts):
                for part in parts:
                    visit(part)
            case X(body):
                visit(body)
                found[body] = None
            case U(left, right) | R(left, right):
                visit(left)
                visit(right)
                found[q] = None

    visit(p)
    return list(found)


def satisfied(m: Manager, universe: Bdd, p: Path, bits: dict[Path, int]) -> Bdd:
    """The product states that promise p."""
    match p:
        case States(states):
            return states
        case Conjunction(parts):
            return m.conjunction([universe, *(satisfied(m, universe, q, bits) for q in parts)])
        case Disjunction(parts):
            return m.disjunction([satisfied(m, universe, q, bits) for q in parts])
        case X(body):
            return universe & m.variable(bits[body])
        case U(left, right):
            now, later = satisfied(m, universe, right, bits), satisfied(m, universe, left, bits)
            return now | (later & m.variable(bits[p]))
        case R(left, right):
            now, later = satisfied(m, universe, left, bits), satisfied(m, universe, right, bits)
            return later & (now | m.variable(bits[p]))
