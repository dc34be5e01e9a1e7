"""Property files of VIS: .ctl and .ltl formulas, .inv invariants, .fair fairness constraints; and claims of the
circuit.

Fairness restricts the path quantifiers: A p becomes A((GF c1 && GF c2 ...) -> p), E p becomes E(GF c1 && ... && p),
so a formula says all that an engine needs.  Fairness constraints themselves are evaluated without fairness, as in
VIS.  LTL is about fair runs also where it has no temporal operator.

What a circuit assumes at every step (AIGER constraints, Verilog assumptions) restricts the states: a formula is asked
where a path begins that can go on forever under the assumptions, and ranges over such paths.  Nothing follows a state
that violates them, so a path on which they hold infinitely often is one on which they always hold.  Invariants are
also violated at the end of a path that cannot go on, as AIGER has it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path

from quorbit.languages.circuits.lower import Lowering, value_of
from quorbit.logic.formulas.property_files import Stated as Written
from quorbit.logic.formulas.property_files import Unreadable, parse_each
from quorbit.logic.formulas.spellings import VIS
from quorbit.model.system.expression import Apply, Expr, Operator, equal, negation
from quorbit.model.system.formula import (
    TEMPORAL,
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Proposition,
    SomePath,
    Truth,
    children,
    conjoin,
    map_propositions,
    propositions,
    walk,
    with_children,
)
from quorbit.model.system.formula_kinds import is_ctl, is_ltl, is_propositional, is_state_formula
from quorbit.model.system.properties import to_reach
from quorbit.model.system.system import Invariant, Property, Temporal
from quorbit.netlists.netlist import Claim, Netlist
from quorbit.netlists.propositions import Names, NetIs, NetsAgree, proposition_reader
from quorbit.netlists.table_expressions import both, either, is_among
from quorbit.source.errors import Refused, UserError, raise_refused
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import Source, Span

__all__ = ["Stated", "read_formulas"]

SAFETY = ("inv", "cover", "premise")
CLAIMS = {"never": "inv", "not always eventually": "ltl", "sometimes": "cover", "premise": "premise"}
KINDS = {".ctl": "ctl", ".ltl": "ltl", ".inv": "inv", ".fair": "fair"}


@frozen
class Stated:
    """A property over nets: the kind is ctl (any state formula), ltl, inv or fair; cover and premise are of what is
    never reached, so that the answer to them is the opposite."""

    name: str
    kind: str
    formula: Formula
    span: Span

    @property
    def is_fairness(self) -> bool:
        return self.kind == "fair"


def read_properties(source: Source, suffix: str, netlist: Netlist) -> list[Stated]:
    """The properties of a file, by its suffix."""
    return all_stated(read_right_ones(source, suffix, netlist))


def read_right_ones(source: Source, suffix: str, netlist: Netlist) -> list[Stated | Refused]:
    """The same where some may be wrong.  Fairness has to be right as a whole: with less of it the formulas would have
    other answers."""
    kind = KINDS.get(suffix.lower())
    if kind is None:
        raise UserError(None, f"{source.name}: a property file of a circuit ends in {', '.join(KINDS)}")
    found = read_each(source, netlist, kind)
    return list[Stated | Refused](all_stated(found)) if kind == "fair" else found


def read_formulas(source: Source, netlist: Netlist) -> list[Stated]:
    """The formulas of a text: of LTL if no path quantifier says otherwise."""
    return all_stated(read_each(source, netlist))


def all_stated(found: Iterable[Stated | Refused]) -> list[Stated]:
    """For whoever needs all of them."""
    found = list(found)
    raise_refused(each for each in found if isinstance(each, Refused))
    return [each for each in found if isinstance(each, Stated)]


def read_each(source: Source, netlist: Netlist, kind: str = "") -> list[Stated | Refused]:
    known = known_nets(netlist)
    reader = proposition_reader(Names(netlist, set(known)), [*known, *netlist.aliases])
    found = parse_each(Span(source, 0, len(source.text)), reader, VIS)
    named = name_by_line(source, [each.span for each in found])
    return [stated_or_refused(name, each, kind) for name, each in zip(named, found, strict=True)]


def stated_or_refused(name: str, written: Written | Unreadable, kind: str) -> Stated | Refused:
    if isinstance(written, Unreadable):
        return Refused(name, written.error)
    try:
        stated = Stated(name, kind_of(written.formula, written.span), written.formula, written.span)
        if kind:
            stated = replace(stated, kind=kind)
            check_kind(stated)
    except UserError as error:
        return Refused(name, error)
    return stated


def kind_of(formula: Formula, span: Span) -> str:
    if is_state_formula(formula):
        return "ctl"
    if not is_ltl(formula):
        raise UserError(span, "a temporal operator stands outside the path quantifiers: put A(...) or E(...) round it")
    return "ltl"


def show_proposition(netlist: Netlist, e: Hashable) -> str:
    """As VIS writes it."""
    match e:
        case NetIs(net, (value,)):
            return f"{net}={netlist.domain(net).values[value]}"
        case NetIs(net, values):
            return f"{net}={{{','.join(netlist.domain(net).values[k] for k in values)}}}"
        case NetsAgree(left, right):
            return f"{left}=={right}"
    raise AssertionError(e)


def known_nets(netlist: Netlist) -> list[str]:
    tables = [net for table in netlist.tables for net in table.outputs]
    return [*netlist.inputs, *(latch.output for latch in netlist.latches), *tables]


def name_by_line(source: Source, spans: Sequence[Span]) -> list[str]:
    """``file:line``, with a number where one line holds several."""
    names: list[str] = []
    for span in spans:
        name = plain = f"{Path(source.name).name}:{span.line}"
        k = 1
        while name in names:
            k += 1
            name = f"{plain}.{k}"
        names.append(name)
    return names


def check_kind(s: Stated) -> None:
    """What VIS's grammars take in a file of this kind."""
    if s.kind == "inv" and not is_propositional(s.formula):
        raise UserError(s.span, "an invariant has no temporal operators and no path quantifiers")
    if s.kind == "ltl" and not is_ltl(s.formula):
        raise UserError(s.span, "an LTL formula has no path quantifiers: it is about all runs")
    if s.kind in ("ctl", "fair") and not (is_ctl(s.formula) and all(map(has_operator, walk(s.formula)))):
        what = "a fairness constraint" if s.kind == "fair" else "a CTL formula"
        raise UserError(s.span, f"in {what} every temporal operator stands directly under a path quantifier, A or E")


def has_operator(f: Formula) -> bool:
    """Whether f, if it is a path quantifier, stands before a temporal operator."""
    return not isinstance(f, AllPaths | SomePath) or isinstance(f.operand, TEMPORAL)


def claimed(netlist: Netlist) -> Iterator[Stated]:
    """The claims that came with the circuit, and its fairness."""
    for net in netlist.fairness:
        yield Stated("fairness", "fair", is_one(net), netlist.span(net))
    for claim in netlist.claims:
        yield Stated(claim.name, CLAIMS[claim.kind], claim_formula(claim), claim.span)


def claim_formula(claim: Claim) -> Formula:
    if claim.kind != "not always eventually":
        return Not(conjoin(is_one(net) for net in dict.fromkeys(claim.nets)))
    return Not(conjoin(Always(Eventually(is_one(net))) for net in claim.nets))


def is_one(net: str) -> Formula:
    return Proposition(NetIs(net, (1,)))


def watched_nets(stated: Iterable[Stated]) -> list[str]:
    """The nets that properties speak of, each once."""
    found: dict[str, None] = {}
    for s in stated:
        for p in propositions(s.formula):
            match p.expression:
                case NetIs(net):
                    found[net] = None
                case NetsAgree(left, right):
                    found.update({left: None, right: None})
    return list(found)


def is_linear(s: Stated) -> bool:
    """Whether a property is about single runs: what else is part of the state makes no difference to it."""
    return s.kind in (*SAFETY, "ltl") or is_ltl(s.formula) or is_always(s)


def lower_property(low: Lowering, s: Stated, listed: Sequence[Stated]) -> Property:
    """A property over places.  AG of a plain condition is an invariant where all paths are fair."""
    fair = [f.formula for f in listed if f.is_fairness]
    assumed = [is_one(net) for net in dict.fromkeys(low.netlist.constraints)]
    if s.kind in SAFETY or (not fair and is_always(s)):
        body = s.formula if s.kind in SAFETY else under_always(s.formula)
        written = " ".join(s.span.text.split())[:200]
        shown = written if len(written) > 3 and s.kind == "inv" and not written.isidentifier() else s.name
        condition = condition_of(low, under(assumed, body))
        match s.kind:
            case "cover":
                return to_reach(s.name, opposite(condition), s.span)
            case "premise":
                return to_reach(f"the left side of {s.name}", opposite(condition), s.span, premise_of=s.name)
        return Invariant(s.name, condition, shown, span=s.span)
    often = [*fair, conjoin(assumed)] if assumed else fair
    is_run = (s.kind == "ltl" and often) or not is_propositional(s.formula)  # else every first state begins a run
    formula = AllPaths(s.formula) if is_ltl(s.formula) and is_run else s.formula
    lowered = map_propositions(under(assumed, relativise(formula, often)), lambda e: expression_of(low, e))
    return Temporal(s.name, lowered, s.span)


def opposite(condition: Expr) -> Expr:
    match condition:
        case Apply(Operator.NOT, (operand,)):
            return operand
    return negation(condition)


def under(assumed: Sequence[Formula], formula: Formula) -> Formula:
    """The formula where the assumptions hold."""
    return Implies(conjoin(assumed), formula) if assumed else formula


def is_always(s: Stated) -> bool:
    match s.formula:
        case AllPaths(Always(body)):
            return is_propositional(body)
        case Always(body):
            return s.kind == "ltl" and is_propositional(body)
    return False


def under_always(formula: Formula) -> Formula:
    match formula:
        case AllPaths(Always(body)) | Always(body):
            return body
    raise AssertionError(formula)


def relativise(formula: Formula, fair: Sequence[Formula]) -> Formula:
    """The formula with its path quantifiers restricted to fair paths."""
    if not fair:
        return formula
    inner = with_children(formula, [relativise(f, fair) for f in children(formula)])
    often = conjoin(Always(Eventually(f)) for f in fair)
    match inner:
        case AllPaths(p):
            return AllPaths(Implies(often, p))
        case SomePath(p):
            return SomePath(And((often, p)))
    return inner


def expression_of(low: Lowering, e: Hashable) -> Expr:
    match e:
        case NetIs(net, values):
            return is_among(value_of(low, net), values, len(low.domain(net)))
        case NetsAgree(left, right):
            return equal(value_of(low, left), value_of(low, right))
    raise AssertionError(e)


def condition_of(low: Lowering, formula: Formula) -> Expr:
    """A propositional formula as one expression."""
    parts = [condition_of(low, f) for f in children(formula)]
    match formula:
        case Proposition(e):
            return expression_of(low, e)
        case And():
            return both(parts)
        case Or():
            return either(parts)
        case Not():
            return negation(parts[0])
        case Implies():
            return either([negation(parts[0]), parts[1]])
        case Iff():
            return equal(parts[0], parts[1])
        case Truth(value):
            return both([]) if value else either([])
    raise AssertionError(formula)
