"""Chains of refinements of classical B: each REFINEMENT or IMPLEMENTATION with the machine that it refines."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.b.refine.joint import START_OF_ABSTRACT, Joint, Match, Pairing
from quorbit.languages.b.syntax.compose import Composed, Files, compose, find_machine, rename_operations
from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.machine import Definition, Operation
from quorbit.languages.b.syntax.parse_machine import parse_machine
from quorbit.languages.b.syntax.show import show
from quorbit.languages.b.syntax.substitutions import Choice, Pre, Skip, Substitution
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.read import read_source


def chain_of_files(abstract: Path, concrete: Path) -> list[Path]:
    """The files from the concrete machine up to the abstract one."""
    for path in (abstract, concrete):
        if not path.exists():
            raise UserError(None, f"{path}: no such file")
    chain = [concrete]
    while chain[-1].resolve() != abstract.resolve():
        refined = parse_machine(read_source(chain[-1])).refines
        if refined is None:
            raise UserError(None, f"{concrete} does not refine {abstract}: {chain[-1].name} refines nothing")
        above = find_machine(Files(chain[-1].parent), refined.span, refined.name)
        if above in chain:
            raise UserError(refined.span, f"machine {refined.name} refines itself")
        chain.append(above)
    if len(chain) == 1:
        raise UserError(None, f"{concrete} and {abstract} are the same machine; give one and a refinement of it")
    return chain


def join_files(abstract: Path, concrete: Path) -> Joint:
    """A refinement with the machine that it refines directly."""
    if len(chain_of_files(abstract, concrete)) > 2:
        raise UserError(None, f"{concrete} refines {abstract} in several steps; name the machine that it REFINES")
    return join(compose(abstract), compose(concrete, glued=True))


def join(abstract: Composed, concrete: Composed) -> Joint:
    above, below = abstract.machine, concrete.machine
    renaming: dict[str, Formula] = {
        o.name: Name(o.span, matching(o.name)) for o in (*above.operations, *above.local_operations)
    }
    theirs = {o.name: o for o in above.operations}
    operations: list[Operation] = []
    pairings: list[Pairing] = []
    for o in below.operations:
        matched = theirs.get(o.name)
        if matched is not None:
            refuse_other_head(o, matched)
            operations.append(replace(o, body=under(preconditions(matched.body), demanded(o.body))))
            operations.append(replace(matched, name=matching(o.name), body=rename_operations(matched.body, renaming)))
            pairings.append(Pairing(o.name, (Match(o.name, matching(o.name), (), names_of(o)),)))
        else:
            operations.append(o)
            pairings.append(Pairing(o.name, ()))
    missing = [name for name in theirs if name not in {o.name for o in below.operations}]
    if missing:
        raise UserError(below.span, f"{below.name} has no operation {missing[0]}, which {above.name} offers")
    start = above.initialisation or Skip(above.span)
    operations.append(Operation(start.span, START_OF_ABSTRACT, (), (), rename_operations(start, renaming)))
    called = tuple(
        replace(o, name=matching(o.name), body=rename_operations(o.body, renaming)) for o in above.local_operations
    )
    own = {v.name for v in below.variables}
    machine = replace(
        below,
        variables=(*below.variables, *(v for v in above.variables if v.name not in own)),
        invariant=(*below.invariant, *above.invariant),
        assertions=(),
        operations=tuple(operations),
        local_operations=(*below.local_operations, *called),
    )
    return Joint(
        above.name,
        below.name,
        below.span,
        above.span,
        Composed(machine, agreed(abstract.definitions, concrete.definitions)),
        below.variables,
        above.variables,
        tuple(pairings),
        Match("INITIALISATION", START_OF_ABSTRACT),
        below.invariant,
    )


def names_of(o: Operation) -> tuple[str, ...]:
    return tuple(n.name for n in (*o.parameters, *o.results))


def matching(name: str) -> str:
    return f"{name} of the abstract machine"


def refuse_other_head(o: Operation, matched: Operation) -> None:
    for what, mine, its in (("parameters", o.parameters, matched.parameters), ("results", o.results, matched.results)):
        if [n.name for n in mine] != [n.name for n in its]:
            names = ", ".join(n.name for n in its) or "none"
            raise UserError(o.span, f"the {what} of {o.name} differ from those of the abstract operation: {names}")


def preconditions(s: Substitution) -> list[Formula]:
    """Those in front of a body."""
    found: list[Formula] = []
    while isinstance(s, Pre):
        found.append(s.predicate)
        s = s.body
    return found


def under(conditions: list[Formula], body: Substitution) -> Substitution:
    for p in reversed(conditions):
        body = Pre(p.span, p, body)
    return body


def demanded(s: Substitution) -> Substitution:
    """A body whose own precondition has to hold wherever the abstract one does: a PRE inside is a demand."""
    return Choice(s.span, (s,)) if isinstance(s, Pre) else s


def agreed(these: dict[str, Definition], those: dict[str, Definition]) -> dict[str, Definition]:
    """Definitions of both; sizes and preferences must not differ."""
    for name in these.keys() & those.keys():
        a, b = these[name], those[name]
        if not name.startswith(("scope_", "SET_PREF_")):
            continue
        if isinstance(a.body, Formula) and isinstance(b.body, Formula) and show(a.body) != show(b.body):
            raise UserError(b.span, f"{name} is {show(b.body)} here and {show(a.body)} in the abstract machine")
    return {**these, **those}
