"""What a circuit hopes to reach: covers, and the left sides of its assertions."""

from __future__ import annotations

import re

from quorbit.netlists.builder import Builder
from quorbit.netlists.netlist import Claim
from quorbit.source.span import Span

__all__ = ["PREMISE", "reached", "shown_label"]

# Ends the label of a cover that tells whether an assertion holds for more than a missing left side.
PREMISE = "$premise"
UNNAMED = re.compile(r"\b(assert|assume|cover)\$(\d+)")


def shown_label(name: str) -> str:
    """The name of a claim for the user: one without a label is called after its line."""
    return UNNAMED.sub(r"\1@\2", name)


def reached(b: Builder, name: str, net: str, span: Span) -> Claim:
    """The claim that a net is 1 some day: a cover, or the left side of an assertion, which it says by its name."""
    if name.endswith(PREMISE):
        return Claim(shown_label(name.removesuffix(PREMISE)), "premise", (net,), span)
    return Claim(b.claim_name(shown_label(name)), "sometimes", (net,), span)
