"""The coloured graph of what a System says: its automorphisms, as they act on the atoms, are the System's symmetries.

The graph is the table of terms (meaning/normal_form.py): a vertex for each term, coloured by its head, with arcs to its
parts, labelled by position where the order counts.  Atoms are coloured by sort and colour, places hang on their owners.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from quorbit.graphs.graph import Graph, GraphBuilder
from quorbit.model.meaning.normal_form import Terms
from quorbit.model.system.system import System

__all__ = ["syntax_graph"]

Begins = dict[str, Counter[tuple[str, int]]]  # sort of values -> how often a variable begins with one of them


def syntax_graph(
    system: System, terms: Terms, said: Counter[int], apart: Iterable[int] = (), begins: Begins | None = None
) -> Graph:
    """The graph of what is said, by the numbers of its terms; the first vertices are the atoms, those in ``apart`` each
    in its own colour.  ``begins``: how often each variable begins with each value, by the sort of the value."""
    for place in system.places:
        terms.place(place)
    builder = GraphBuilder()
    alone = set(apart)
    for term, v in terms.numbers.items():
        is_shared_atom = v < terms.atoms and v not in alone
        assert builder.vertex(term.head[:-1] if is_shared_atom else term.head) == v
        for k, part in enumerate(term.ordered):
            builder.arc(v, part, k)
        for part, times in term.unordered:
            builder.arc(v, part, ("any", times))
    root = builder.vertex(("root",))
    for part, times in sorted(said.items()):
        builder.arc(root, part, ("said", times))
    for values in (begins or {}).values():
        for (variable, a), times in sorted(values.items()):
            builder.arc(root, a, ("begins", variable, times))
    return builder.build()
