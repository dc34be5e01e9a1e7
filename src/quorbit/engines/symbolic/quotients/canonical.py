"""The canonical-state function xi ([M97, 4.4]): every state to the greatest of its orbit, as one function per bit.

``exact_xi`` is the maximum along a stabiliser chain: F_j(x) = max over u in U_j of F_{j+1}(u x), where U_j are the
coset representatives at level j; only variables are renamed and vectors compared.  ``printed_xi`` follows Figure 4.2
of [M97] word by word, for study: it stays inside the orbit but does not reach one representative per orbit.

A vector is a list of functions, one for each present bit of the layout; the first bit counts most.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.bdd.function import Manager, Substitution
from quorbit.engines.symbolic.model import Model
from quorbit.groups.chain import build_chain
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation, inverse
from quorbit.model.diagrams.cases import Bdd
from quorbit.model.diagrams.moved_bits import place_bits

Vector = list[Bdd]


def exact_xi(model: Model, group: Group) -> Vector:
    """The greatest state of every orbit of the group (which acts on the atoms of the System)."""
    chain = build_chain(group)
    levels = [[inverse(level.transversal[x]) for x in level.orbit] for level in chain.levels]
    vector = identity_vector(model)
    for level in reversed(levels):
        images = [moved(model, vector, g) for g in level]
        vector = images[0]
        for image in images[1:]:
            vector = maximum(model.m, vector, image)
    return vector


def identity_vector(model: Model) -> Vector:
    return [model.m.variable(b) for b in model.layout.present]


def bit_images(model: Model, g: Permutation) -> dict[int, int]:
    """Where g moves every bit of the state."""
    return place_bits(model.system, model.layout, g)


def moved(model: Model, vector: Vector, g: Permutation) -> Vector:
    """The vector at g x: bit c of g x is the bit of x that g moves to c."""
    substitution = model.m.rename({c: b for b, c in bit_images(model, g).items()})
    return [model.m.substitute(f, substitution) for f in vector]


def action_vector(model: Model, g: Permutation) -> Vector:
    """g itself, as a function from states to states."""
    return moved(model, identity_vector(model), g)


def maximum(m: Manager, left: Vector, right: Vector) -> Vector:
    bigger = at_least(m, left, right)
    return [m.choose(bigger, a, b) for a, b in zip(left, right, strict=True)]


def at_least(m: Manager, left: Vector, right: Vector) -> Bdd:
    result = m.true
    for a, b in reversed(list(zip(left, right, strict=True))):
        result = m.choose(m.equivalent(a, b), result, a)
    return result


def compose(model: Model, outer: Vector, inner: Vector) -> Vector:
    """outer(inner(x))."""
    substitution = model.m.substitution(dict(zip(model.layout.present, inner, strict=True)))
    return [model.m.substitute(f, substitution) for f in outer]


def representatives(model: Model, xi: Vector) -> Bdd:
    """The states that xi leaves alone."""
    m = model.m
    return m.conjunction(m.equivalent(x, f) for x, f in zip(identity_vector(model), xi, strict=True))


def canonical_image(model: Model, xi: Vector, states: Bdd) -> Bdd:
    """xi of every state of a set."""
    m, layout = model.m, model.layout
    parts = [m.equivalent(m.variable(b), f) for b, f in zip(layout.following, xi, strict=True)]
    return m.substitute(relational_product(m, states, parts, layout.present), to_present(model))


def relational_product(m: Manager, states: Bdd, parts: Sequence[Bdd], quantified: Sequence[int]) -> Bdd:
    """exists quantified: states and all parts; a variable goes as soon as no later part has it."""
    supports = [set(m.support(part)) for part in parts]
    left = set(quantified)
    reached = states
    for k, part in enumerate(parts):
        later = set().union(*supports[k + 1 :]) if k + 1 < len(parts) else set()
        done = {v for v in left if v not in later}
        reached = m.and_exists(reached, part, m.variables(done))
        left -= done
    return m.exists(reached, m.variables(left))


def to_present(model: Model) -> Substitution:
    return model.m.rename(dict(zip(model.layout.following, model.layout.present, strict=True)))


def orbit_relation(model: Model, generators: Sequence[Permutation]) -> Bdd:
    """Whether two states (present, following) lie in one orbit, as the least fixpoint of [M97, 4.4.1], for study: its
    diagrams are large even where those of xi are not."""
    m, layout = model.m, model.layout
    pairs = zip(layout.present, layout.following, strict=True)
    relation = m.conjunction(m.equivalent(m.variable(b), m.variable(c)) for b, c in pairs)
    after = dict(zip(layout.present, layout.following, strict=True))
    moves = [
        m.rename({after[c]: after[b] for b, c in bit_images(model, h).items()})
        for g in generators
        for h in (g, inverse(g))
    ]
    while True:
        larger = m.disjunction([relation, *(m.substitute(relation, move) for move in moves)])
        if larger == relation:
            return relation
        relation = larger


def printed_xi(model: Model, generators: Sequence[Permutation]) -> Vector:
    """Figure 4.2 of [M97] as printed."""
    xi = identity_vector(model)
    for g in generators:
        tau, eta = action_vector(model, g), xi
        while True:
            before = eta
            eta = maximum(model.m, compose(model, tau, before), before)
            tau = compose(model, tau, tau)
            if eta == before:
                break
        xi = printed_update(model, xi, eta)
        while True:
            before = xi
            xi = compose(model, before, before)
            if xi == before:
                break
    return xi


def printed_update(model: Model, xi: Vector, eta: Vector) -> Vector:
    """max{eta(y) | xi(y) = x} where xi(x) = x, else xi(x); the maximum is taken bit by bit from the first."""
    m, layout = model.m, model.layout
    extra = m.add_variables(len(layout.present))  # z, the values of eta
    parts = [m.equivalent(m.variable(b), f) for b, f in zip(layout.following, xi, strict=True)]
    parts += [m.equivalent(m.variable(b), f) for b, f in zip(extra, eta, strict=True)]
    relation = m.substitute(relational_product(m, m.true, parts, layout.present), to_present(model))
    best = []
    everything = m.variables(extra)
    for b in extra:
        best.append(m.exists(relation & m.variable(b), everything))
        relation = relation & m.equivalent(m.variable(b), best[-1])
    fixed = representatives(model, xi)
    return [m.choose(fixed, new, old) for new, old in zip(best, xi, strict=True)]
