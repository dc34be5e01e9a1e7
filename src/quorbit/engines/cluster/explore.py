"""Search with several processes, on this machine or on a Ray cluster: the same counts, verdicts and depths as with one.

An error is told when its level is complete, the least of the shortest: the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from quorbit.canon.plan import Plan
from quorbit.engines import partial_order
from quorbit.engines.cluster.driver import Driver, Ended, Settings
from quorbit.engines.cluster.job import Job, digest_of_program
from quorbit.engines.cluster.level_files import LevelFiles, open_files, read_run
from quorbit.engines.cluster.pipes import Pipes
from quorbit.engines.cluster.ray_actors import RayActors
from quorbit.engines.cluster.trace import find_path
from quorbit.engines.cluster.transport import Transport
from quorbit.engines.engine import Progress
from quorbit.engines.failure import failing
from quorbit.machine.findings import limit_message
from quorbit.machine.options import SearchOptions
from quorbit.machine.owner import Owner
from quorbit.machine.path import Path
from quorbit.machine.run import Run, initial_words, opened
from quorbit.model.system.system import Property, System
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

FEWEST = 2  # workers, if nobody says how many


def explore(
    system: System,
    properties: tuple[Property, ...],
    plan: Plan | None = None,
    options: SearchOptions | None = None,
    progress: Progress | None = None,
    transport: Transport | None = None,
    settings: Settings | None = None,
) -> Outcome:
    """Check the safety properties on all reachable states, one per orbit if a plan is given.

    ``transport``: the workers, which are left as they are; else those that the options ask for."""
    options = options or SearchOptions()
    reason = why_in_full(system, properties, plan, options)
    settings = settings or Settings(replicas=options.replicas or 0)
    facts = None if reason else partial_order.find_facts(system, properties, plan)
    with opened(system, properties, for_workers(options), plan, facts) as run:
        job = job_for(run, plan)
        run.options = options  # for what is said of limits
        with opened_files(options, job) as files, workers_for(options, transport) as carrier:
            driver = Driver(carrier, job, Owner(run), settings, options, files, progress)
            try:
                found = answer(driver, run)
                return replace(found, por=partial_order.unused(reason)) if reason else in_part(found, driver)
            finally:
                driver.native.stop()


def why_in_full(system: System, properties: tuple[Property, ...], plan: Plan | None, options: SearchOptions) -> str:
    """Why states are not expanded in part, "" if they are."""
    if options.por != "on":
        return "off" if options.por == "off" else "the cluster engine uses it only with --por on"
    if reason := partial_order.refusal(system, properties, plan, options):
        raise UserError(None, f"--por on cannot be used here: {reason}")
    return ""


def in_part(found: Outcome, driver: Driver) -> Outcome:
    """What is told of a search that left out commands."""
    message = f"{found.message}; {partial_order.LONGER}" if found.trace is not None else found.message
    return replace(found, message=message, por=partial_order.used(driver.latest.states, driver.latest.partly))


def for_workers(options: SearchOptions) -> SearchOptions:
    """What is left of the options for one of many workers; the driver sees to the limits."""
    return SearchOptions(all_errors=options.all_errors, native=options.native, memory=options.memory)


def job_for(run: Run, plan: Plan | None) -> Job:
    in_part = run.tables is not None
    digest = digest_of_program(run.program, plan, initial_words(run), run.options, in_part)
    return Job(run.system, run.properties, plan, run.options, digest, in_part)


@contextmanager
def opened_files(options: SearchOptions, job: Job) -> Iterator[LevelFiles | None]:
    """The files of the checkpoint, if one is asked for."""
    directory = options.resume or options.checkpoint
    if directory is None:
        yield None
        return
    files = open_files(directory, job.digest)
    try:
        if options.resume is not None:
            read_run(files)
        yield files
    finally:
        files.close()


@contextmanager
def workers_for(options: SearchOptions, given: Transport | None) -> Iterator[Transport]:
    if given is not None:
        yield given
        return
    transport = start_workers(options)
    try:
        yield transport
    finally:
        transport.close()


def start_workers(options: SearchOptions) -> Transport:
    if options.cluster is not None:
        return RayActors(options.cluster, options.workers)
    try:
        return Pipes(options.workers or FEWEST)
    except OSError as why:
        raise UserError(None, f"the workers cannot be started: {why.strerror}") from None


def answer(driver: Driver, run: Run) -> Outcome:
    message, path = "", None
    try:
        message = end_of(driver.search, run)
        if not message:
            driver.make_last_safe()
        while driver.latest.failure is not None and path is None:
            path = driver.settle(lambda: found_path(driver))
            if path is None:  # a worker was lost, and some of what was known with it
                message = end_of(driver.search, run) or message
    except Ended as ended:
        message = message or ended.message or limit_message(run, ended.status)
    except KeyboardInterrupt:
        message = "interrupted"
    return outcome_of(driver, run, message, path)


def end_of(search: Callable[[], None], run: Run) -> str:
    """The limit that has ended a search, "" if it is complete."""
    try:
        search()
    except Ended as ended:
        return ended.message or limit_message(run, ended.status)
    return ""


def found_path(driver: Driver) -> Path:
    assert driver.latest.failure is not None
    return find_path(driver, driver.latest.failure)


def outcome_of(driver: Driver, run: Run, message: str, path: Path | None) -> Outcome:
    statistics, failure = replace(driver.statistics(), compile_seconds=run.compile_seconds), driver.latest.failure
    notes = [*driver.notes, *([driver.files.problem] if driver.files is not None and driver.files.problem else [])]
    if failure is None or path is None:
        if failure is not None:
            message = f"something is violated, but the search for its trace did not end: {message}"
        verdict = Verdict.UNKNOWN if message else Verdict.HOLDS
        text = "; ".join(filter(None, [message, *notes]))
        return Outcome(verdict, message=text, statistics=statistics, engine="cluster")
    found = failing(run, path, failure.kind, statistics, message)
    return replace(found, message="; ".join([found.message, *notes]), engine="cluster")
