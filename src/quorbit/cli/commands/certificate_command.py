"""``quorbit verify-certificate``, and what ``check --certificate`` writes.

The check reads the model again, brings it into the form the certificate speaks of without looking for symmetry, and
compares every generator with its witness; for small models it goes through all states as well.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.cli.answer import print_json, write_file
from quorbit.cli.interrupt import stoppable
from quorbit.cli.unknown import print_unknown
from quorbit.detection.beginning import after_the_beginning
from quorbit.detection.brute_force import alike_under, broken_state, count_orbits, keeps_start, state_graph
from quorbit.detection.certificate import (
    START,
    BrokenCertificate,
    Certificate,
    as_object,
    digest_of,
    from_object,
    value_sorts,
    verify_generator,
    witness_of,
)
from quorbit.detection.detect import written_as_meant
from quorbit.detection.reveal import reveal_wordings, wordings_for
from quorbit.detection.steps.composed import compose_steps
from quorbit.detection.steps.counting import Unsayable, counters
from quorbit.groups.chain import order
from quorbit.groups.group import Group
from quorbit.languages.options import LoadOptions
from quorbit.logic.formulas.prune import conjuncts
from quorbit.model.specialise.after_errors import continue_after_errors
from quorbit.model.specialise.alike import share_names
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities.naming import is_value, name_values
from quorbit.model.specialise.specialise import Known, Special, reword, specialise
from quorbit.model.specialise.start import run_start
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.system import Property, System, Temporal
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import find_questions
from quorbit.report.as_json import symmetry_object
from quorbit.report.record import CheckResult, CheckResults, Found
from quorbit.report.saved_trace import NotATrace, read_options
from quorbit.source.errors import UserError
from quorbit.source.frozen import fields_by_name, replace
from quorbit.source.interrupted import Interrupted

__all__ = ["run", "write_certificate"]

FORMAT = "quorbit certificate 2"
WITHOUT_PLAN = ("none", "adaptive")  # strategies whose representatives need no plan


# Writing.


def write_certificate(path: str, results: CheckResults) -> None:
    first = results.results[0]
    found = {
        "format": FORMAT,
        "options": fields_by_name(first.options),
        "answers": [as_object(certify(result)) for result in results.results],
    }
    write_file(path, json.dumps(found, indent=1) + "\n")


def certify(result: CheckResult) -> Certificate:
    told = symmetry_object(result.symmetry)
    assert result.symmetry.system is not None
    used = result.symmetry if isinstance(result.symmetry, Found) and result.symmetry.strategy != "none" else None
    composed = None if used is None else used.composed
    system = composed or ground(result.symmetry.system)
    generators = () if used is None else used.group.generators
    return Certificate(
        asked=result.asked,
        digest=digest_of(system),
        sorts=value_sorts(system, is_value),
        atoms=tuple(atom.name for atom in system.atoms),
        generators=generators,
        witnesses=tuple(witness_of(system, g) for g in generators),
        order=result.symmetry.order if generators else 1,
        strategy=told["strategy"],
        exact=told["exact"],
    )


# Checking.


def run(options: Namespace) -> int:
    given = read_certificate(options.certificate)
    with stoppable(options.timeout):
        try:
            lines = list(verify_all(options, given))
        except Interrupted as reason:
            print_unknown(str(reason), options.json)
            return 3
        except BrokenCertificate as broken:
            return answer(options, False, [str(broken)])
    return answer(options, True, lines)


def answer(options: Namespace, holds: bool, lines: list[str]) -> int:
    if options.json:
        print_json({"valid": holds, "messages": lines})
    else:
        print("VALID" if holds else "NOT VALID")
        print("\n".join(f"  {line}" for line in lines))
    return 0 if holds else 1


def read_certificate(path: str) -> dict[str, Any]:
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(None, f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise UserError(None, f"{path}: this is not a certificate") from None
    if not isinstance(given, dict) or given.get("format") != FORMAT or not isinstance(given.get("answers"), list):
        raise UserError(None, f"{path}: this certificate was written by another version of quorbit")
    return given


def verify_all(options: Namespace, given: dict[str, Any]) -> Iterator[str]:
    loading = load_options_of(options.certificate, given.get("options"))
    for one in given["answers"]:
        certificate = from_object(one)
        system = system_about(options.model, loading, certificate)
        yield from verify(system, certificate, options.max_states)


def load_options_of(path: str, given: object) -> LoadOptions:
    try:
        return read_options(given)
    except NotATrace as problem:
        raise UserError(None, f"{path}: the options with which the model was read are malformed: {problem}") from None


def system_about(path: str, loading: LoadOptions, certificate: Certificate) -> System:
    """The System the certificate is about: the question as asked, or one conjunct of it."""
    model = load(path, loading)
    words = (certificate.asked,) if certificate.asked else ()
    questions = find_questions(model, CheckOptions(properties=words))
    found = (p for question in questions for p in question.properties)
    asked = tuple(p for p in found if words or not isinstance(p, Temporal))  # formulas have answers of their own
    for base in dict.fromkeys((model.system, without_assertions(model.system), continue_after_errors(model.system))):
        for properties in (asked, *single_conjuncts(asked)):
            for system in forms_of(replace(base, properties=properties), certificate.sorts):
                if digest_of(system) == certificate.digest:
                    return system
    raise BrokenCertificate("the certificate is about another model, or about another version of this one")


def single_conjuncts(asked: tuple[Property, ...]) -> Iterator[tuple[Property, ...]]:
    for p in asked:
        if isinstance(p, Temporal):
            yield from ((replace(p, formula=f),) for f in conjuncts(p.formula))


def forms_of(system: System, sorts: tuple[str, ...]) -> Iterator[System]:
    """In the words of the model, as it is (for engines without symmetry), and in other words that may show more."""
    first = specialise(system)
    yield from forms_of_wording(first, sorts)
    yield ground(system)
    if system.synchronous:
        yield from forms_of_circuit(first)
        return
    known = first.known
    for write in wordings_for(first):
        if (other := write(known.started)) is not known.started:
            known = Known(other)
            yield from forms_of_wording(reword(known), sorts)


def forms_of_circuit(first: Special) -> Iterator[System]:
    """With its functions judged by what they compute, and with indices decoded."""
    meant = written_as_meant(first.system).composed
    if meant is not None:
        yield meant
    system, found = reveal_wordings(first)
    yield found.composed or ground(system)


def forms_of_wording(first: Special, sorts: tuple[str, ...]) -> Iterator[System]:
    """With identities as atoms, cut down to what can happen or evenly so; with steps composed that nobody can
    interrupt; each also without a beginning that runs once."""
    for evenly in (False, True):
        special = reword(first.known, evenly).system if evenly else first.system
        for form in dict.fromkeys((special, share_names(special))):
            grounded = ground(with_values_named(form, sorts))
            yield from with_later(grounded)
            with suppress(Unsayable):
                yield from with_later(compose_steps(grounded, frozenset()))
    counting = counters(first.system)
    for scratch in (counting, *(frozenset([name]) for name in sorted(counting))) if counting else ():
        special = reword(first.known, scratch=scratch).system
        with suppress(Unsayable):
            yield from with_later(compose_steps(ground(with_values_named(special, sorts)), scratch))


def with_later(system: System) -> Iterator[System]:
    """The System, and what follows its beginning."""
    yield system
    later = after_the_beginning(system)
    if later is not None:
        yield later


def with_values_named(system: System, sorts: tuple[str, ...]) -> System:
    return name_values(run_start(system), frozenset(sorts)).system if sorts else system


def verify(system: System, certificate: Certificate, most: int) -> Iterator[str]:
    subject = certificate.asked or "all invariants, assertions and deadlocks"
    for number, (g, witness) in enumerate(zip(certificate.generators, certificate.witnesses, strict=True), 1):
        verify_generator(system, g, witness, number)
    moving = sum(START not in witness for witness in certificate.witnesses)
    told = f", {moving} of them move the start" if moving else ""
    yield f"{subject}: {len(certificate.generators)} generators map {len(system.commands)} commands as claimed{told}"
    group = Group(len(system.atoms), certificate.generators)
    verify_plan(system, certificate, group)
    yield f"{subject}: the group has order {order(group)}, the strategy is {certificate.strategy}"
    yield from verify_states(system, certificate, most)


def verify_plan(system: System, certificate: Certificate, group: Group) -> None:
    if certificate.order not in (None, order(group)):
        raise BrokenCertificate(f"the generators make a group of order {order(group)}, not {certificate.order}")
    if certificate.atoms != tuple(atom.name for atom in system.atoms):
        raise BrokenCertificate("the names of the atoms differ")
    if certificate.strategy == "none" and certificate.generators:
        raise BrokenCertificate("there are generators, and no strategy uses them")
    if certificate.strategy in WITHOUT_PLAN:
        is_exact, why = True, "such states are told apart exactly"
    else:
        plan = classify(layout_of(system), group, certificate.strategy)
        is_exact, why = plan.exact, plan.reason
    if certificate.exact is not is_exact:
        raise BrokenCertificate(f"strategy {certificate.strategy} is {'' if is_exact else 'not '}exact here: {why}")


def verify_states(system: System, certificate: Certificate, most: int) -> Iterator[str]:
    """Every state, if there are not too many."""
    graph = state_graph(system, most, certificate.generators)
    if graph is None:
        yield f"more than {most} states: not all were visited (--max-states)"
        return
    alike = alike_under(system, certificate.generators)
    for number, g in enumerate(certificate.generators, 1):
        if broken_state(system, graph, g, alike) is not None:
            raise BrokenCertificate(f"generator {number} is not a symmetry of the state graph")
        if START in certificate.witnesses[number - 1] and not keeps_start(system, graph, g):
            raise BrokenCertificate(f"generator {number} does not keep the initial states")
    found = count_orbits(system, graph, certificate.generators)
    yield f"{len(graph.moves)} states in {found} orbits: every generator is a symmetry of the state graph"
