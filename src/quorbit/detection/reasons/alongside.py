"""An image written in the order of what it is the image of, so that what differs is the first difference to be seen.

The order of assignments that are done at once, and of operands such as those of `&&`, says nothing: a permutation
changes it all the same, and a reader would take that for the reason.
"""

from __future__ import annotations

from quorbit.model.meaning.operators import COMMUTATIVE
from quorbit.model.system.command import Assign, Command, Step, Together
from quorbit.model.system.expression import Apply, Expr
from quorbit.model.system.walk import map_parts, parts
from quorbit.source.frozen import replace

__all__ = ["command_alongside", "expression_alongside"]


def command_alongside(command: Command, image: Command) -> Command:
    """The image of a command, its guard and its assignments in the order of the command."""
    steps = tuple(map(step_alongside, command.effect, image.effect))
    return replace(image, guard=expression_alongside(command.guard, image.guard), effect=steps)


def step_alongside(step: Step, image: Step) -> Step:
    if not isinstance(step, Together) or not isinstance(image, Together):
        return image
    written = {place_of(a): (k, a.value) for k, a in enumerate(step.assignments)}
    if any(place_of(a) not in written for a in image.assignments):
        return image
    in_order = sorted(image.assignments, key=lambda a: written[place_of(a)][0])
    return Together(tuple(replace(a, value=expression_alongside(written[place_of(a)][1], a.value)) for a in in_order))


def place_of(a: Assign) -> tuple[object, ...]:
    return a.target.variable, a.target.owners, a.target.indices


def expression_alongside(e: Expr, image: Expr) -> Expr:
    """The image with its operands in the order of e, where their order says nothing."""
    if e == image or e.__class__ is not image.__class__ or len(parts(e)) != len(parts(image)):
        return image
    if isinstance(e, Apply) and isinstance(image, Apply):
        if e.operator is not image.operator:
            return image
        if e.operator in COMMUTATIVE:
            image = replace(image, operands=operands_alongside(e.operands, image.operands))
    written = iter(parts(e))
    return map_parts(image, lambda part: expression_alongside(next(written), part))


def operands_alongside(operands: tuple[Expr, ...], images: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Operands that are among the images stand where they stood, the others in between as they come."""
    left = list(images)
    kept: list[Expr | None] = []
    for operand in operands:
        kept.append(operand if operand in left else None)
        if operand in left:
            left.remove(operand)
    return tuple(left.pop(0) if operand is None else operand for operand in kept)
