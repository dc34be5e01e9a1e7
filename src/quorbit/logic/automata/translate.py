"""LTL → generalised Büchi automaton with marks on transitions (after Couvreur, On-the-fly verification of LTL, 1999).

A state is a set of obligations: formulas that the rest of the run has to satisfy.  One step takes each obligation apart
into what the present letter must say, what is left for the next state, and which untils were put off; the transition
has mark k if until k was not put off.  Obligations that follow from others are added: then sets that mean the same are
the same more often.  (Dropping them instead would be wrong: while an until is only implied, nobody would notice that
it is put off.)
"""

from __future__ import annotations

from quorbit.logic.automata.booleans import FALSE, TRUE
from quorbit.logic.automata.draft import Draft
from quorbit.logic.formulas.implication import Implications
from quorbit.model.system.formula import Always, And, Eventually, Formula, Next, Or, Release, Truth, Until, walk

Obligations = frozenset[Formula]
Step = tuple[int, Obligations, int]  # guard, obligations of the next state, untils put off
NOTHING: Obligations = frozenset()


def translate(formula: Formula, facts: Implications) -> Draft:
    """The automaton of a simplified LTL formula; its propositions are numbered as in facts.numbers."""
    return Translator(formula, facts).run(formula)


class Translator:
    def __init__(self, formula: Formula, facts: Implications) -> None:
        self.facts = facts
        untils = dict.fromkeys(f for f in walk(formula) if isinstance(f, Until | Eventually))
        self.untils = {f: 1 << k for k, f in enumerate(untils)}
        self.order = {f: i for i, f in enumerate(possible_obligations(formula))}
        self.saturations: dict[Obligations, Obligations] = {}
        self.expanded: dict[Formula, list[Step]] = {}

    def run(self, formula: Formula) -> Draft:
        draft = Draft(self.facts.booleans, 0, [{}], len(self.untils))
        start = self.saturated(obligations(formula))
        numbers = {start: 0}
        waiting = [start]
        for state in waiting:
            for guard, rest, postponed in self.steps(state):
                target = self.saturated(rest)
                if target not in numbers:
                    numbers[target] = len(numbers)
                    waiting.append(target)
                    draft.edges.append({})
                draft.add(numbers[state], numbers[target], draft.full & ~postponed, guard)
        return draft

    def steps(self, state: Obligations) -> list[Step]:
        result: list[Step] = [(TRUE, NOTHING, 0)]
        for f in sorted(state, key=self.order.__getitem__):
            result = self.both(result, self.expand(f))
        return result

    def saturated(self, state: Obligations) -> Obligations:
        """With all obligations of the formula that follow from one of the state's."""
        if state not in self.saturations:
            given = sorted(state, key=self.order.__getitem__)
            implied = [f for f in self.order if any(self.facts.implies(g, f) for g in given)]
            self.saturations[state] = state.union(implied)
        return self.saturations[state]

    def expand(self, f: Formula) -> list[Step]:
        if f not in self.expanded:
            self.expanded[f] = self.compute(f)
        return self.expanded[f]

    def compute(self, f: Formula) -> list[Step]:
        function = self.facts.function(f)
        if function is not None:
            return [(function, NOTHING, 0)] if function != FALSE else []
        match f:
            case Next(operand):
                return [(TRUE, obligations(operand), 0)]
            case Eventually(operand):
                return self.smallest([*self.expand(operand), (TRUE, obligations(f), self.untils[f])])
            case Until(left, right):
                later = self.both(self.expand(left), [(TRUE, obligations(f), self.untils[f])])
                return self.smallest(self.expand(right) + later)
            case Always(operand):
                return self.both(self.expand(operand), [(TRUE, obligations(f), 0)])
            case Release(left, right):
                return self.both(self.expand(right), [*self.expand(left), (TRUE, obligations(f), 0)])
            case And(operands):
                result: list[Step] = [(TRUE, NOTHING, 0)]
                for operand in operands:
                    result = self.both(result, self.expand(operand))
                return result
            case Or(operands):
                return self.smallest([step for operand in operands for step in self.expand(operand)])
        raise ValueError(f"{type(f).__name__} is not an operator of simplified LTL")

    def both(self, first: list[Step], second: list[Step]) -> list[Step]:
        booleans = self.facts.booleans
        return self.smallest(
            [
                (guard, rest1 | rest2, postponed1 | postponed2)
                for guard1, rest1, postponed1 in first
                for guard2, rest2, postponed2 in second
                if (guard := booleans.both(guard1, guard2)) != FALSE
            ]
        )

    def smallest(self, steps: list[Step]) -> list[Step]:
        """Without steps that another one makes superfluous: wider guard, fewer obligations, less put off."""
        guards: dict[tuple[Obligations, int], int] = {}
        for guard, rest, postponed in steps:
            key = (rest, postponed)
            guards[key] = self.facts.booleans.either(guards.get(key, FALSE), guard)
        merged = [(guard, rest, postponed) for (rest, postponed), guard in guards.items()]
        return [step for step in merged if not any(self.covers(other, step) for other in merged if other is not step)]

    def covers(self, a: Step, b: Step) -> bool:
        return a[1] <= b[1] and a[2] & ~b[2] == 0 and self.facts.booleans.implies(b[0], a[0])


def obligations(formula: Formula) -> Obligations:
    if formula == Truth(True):
        return NOTHING
    return frozenset(formula.operands) if isinstance(formula, And) else frozenset([formula])


def possible_obligations(formula: Formula) -> list[Formula]:
    """All that can be left for a next state, and what there is at the start."""
    found: dict[Formula, None] = {}
    for f in [Next(formula), *walk(formula)]:
        if isinstance(f, Next):
            operand = f.operand
            found.update(dict.fromkeys(operand.operands if isinstance(operand, And) else [operand]))
        elif isinstance(f, Until | Eventually | Always | Release):
            found[f] = None
    return list(found)
