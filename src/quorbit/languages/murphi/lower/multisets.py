"""Multisets: an element is put into a free slot, and taken out of its slot; which slot it is nobody can see."""

from __future__ import annotations

from quorbit.languages.murphi.lower.calls import copy_spot, undefine
from quorbit.languages.murphi.lower.expressions import lower, lower_condition, lower_designator, lower_spot
from quorbit.languages.murphi.lower.frame import Frame
from quorbit.languages.murphi.lower.quantifiers import is_home, is_present, slots_of
from quorbit.languages.murphi.lower.store import Slots, Spot
from quorbit.languages.murphi.lower.typed import Typed
from quorbit.languages.murphi.syntax.program import MultisetAdd, MultisetRemove, MultisetRemoveIf
from quorbit.languages.murphi.types import SlotOf, is_simple
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.command import Assign, Branch, Pick, Require, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Bound,
    Expr,
    Fresh,
    Parameter,
    Read,
    atom,
    conjunction,
    equal,
    negation,
)
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError
from quorbit.source.span import Span


def lower_add(frame: Frame, statement: MultisetAdd) -> list[Step]:
    """The element goes into a free slot; which one is all the same."""
    spot, slots = slots_of(frame, statement.set, lower_designator)
    name = frame.context.fresh_name("slot")
    slot = Bound(name, statement.span)
    there = Read(slots.present, (slot,), (), statement.span)
    free = fold(conjunction([is_home(slots, spot, slot, statement.span), negation(there)], statement.span))
    full = f"the multiset {spot.key} is full"
    taken = Require(negation(equal(slot, atom(NONE))), full, FAULTS, statement.span)
    store = frame.context.store.slot(spot, slot)
    body: list[Step] = [taken, Together((Assign(there, TRUE),))]
    if is_simple(store.type):
        value = lower(frame, statement.element)
        body.append(Together((Assign(store.read(statement.span), frame.context.values.stored(value, store)),)))
    else:
        source = lower_spot(frame, statement.element)
        if source.type != store.type:
            raise UserError(statement.element.span, "this is not what the multiset holds")
        body += copy_spot(frame.context, source, store, statement.span)
    cells = slots.cells if len(slots.cells) > 1 else ()
    return [Pick(Parameter(name, Fresh(slots.atoms, free, cells)), tuple(body))]


def lower_remove(frame: Frame, statement: MultisetRemove) -> list[Step]:
    spot, slots = slots_of(frame, statement.set, lower_designator)
    index = lower(frame, statement.index)
    if index.type != SlotOf(spot.key):
        raise UserError(index.span, "an element of this multiset is expected, chosen by 'choose'")
    return remove_slot(frame, spot, slots, index.expr, statement.span)


def remove_slot(frame: Frame, spot: Spot, slots: Slots, slot: Expr, span: Span) -> list[Step]:
    element = frame.context.store.slot(spot, slot)
    for leaf in frame.context.store.leaves(element):
        frame.context.values.facts.undefined.add(leaf.key)
    gone = Assign(Read(slots.present, (slot,), (), span), FALSE)
    (undefined,) = undefine(frame.context, element, span)
    assert isinstance(undefined, Together)
    return [Together((gone, *undefined.assignments))]


def lower_remove_if(frame: Frame, statement: MultisetRemoveIf) -> list[Step]:
    spot, slots = slots_of(frame, statement.set, lower_designator)
    steps: list[Step] = []
    for a in slots.atoms:
        slot = atom(a, statement.span)
        inner = frame.bind({statement.name.text: Typed(slot, SlotOf(spot.key), statement.span, True)})
        condition = lower_condition(inner.aside(None), statement.condition)
        test = conjunction([is_present(slots, spot, slot, statement.span), condition], statement.span)
        steps.append(
            Branch(fold(test), tuple(remove_slot(frame, spot, slots, slot, statement.span)), (), statement.span)
        )
    return steps


def empty_multiset(frame: Frame, spot: Spot, span: Span) -> list[Step]:
    slots = frame.context.store.slots[spot.key]
    steps: list[Step] = []
    for a in slots.atoms:
        belongs = is_home(slots, spot, atom(a, span), span)
        gone = remove_slot(frame, spot, slots, atom(a, span), span)
        if belongs == TRUE:
            steps += gone
        elif belongs != FALSE:
            steps.append(Branch(belongs, tuple(gone), (), span))
    return steps
