"""Workers as Ray actors, on this machine or on the machines of a cluster; what they send each other goes from worker to
worker through Ray's object store.

Ray's own retries are off: a call that is done twice would count twice.  What a lost actor knew comes back from the
files of the checkpoint or from copies (driver.py).  ``local`` starts Ray on the loopback interface only.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from quorbit.engines.cluster.transport import Answer, Call, Lost, WorkerError
from quorbit.engines.cluster.worker import Worker, told
from quorbit.source.errors import UserError
from quorbit.source.version import VERSION

LOOPBACK_ONLY = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # if it is 0, Ray listens on the loopback interface alone
OBJECT_STORE = 512 << 20  # bytes, of a Ray that is started here
LEAST_BATCH, USUAL_BATCH = 256 << 10, 2 << 20  # bytes
CONNECT, ANSWER = 3.0, 4.0  # seconds to reach a cluster, and for its answer
PROBE = """
import sys
from ray._raylet import GcsClient
from ray.exceptions import AuthenticationError
print("loaded", flush=True)
try:
    GcsClient(address=sys.argv[1]).internal_kv_get(b"quorbit", None)
except AuthenticationError:
    pass  # it is Ray; whether it lets us in is seen when we join
print("y", flush=True)
"""
DEEP = 20_000  # calls inside calls that a model's expressions may need
NOT_INSTALLED = "No module named 'quorbit'"
INSTALL = "--cluster needs Ray, which is not installed: pip install 'quorbit[cluster]'"


class Actor:
    """A worker as Ray calls it: errors come back as values, parcels as results of their own."""

    def __init__(self) -> None:
        sys.setrecursionlimit(DEEP)
        self.worker = Worker()

    def run(self, parcels: int, method: str, *args: Any) -> Any:
        try:
            found = told(getattr(self.worker, method), *args)
        except WorkerError as error:
            return (error, *[None] * parcels) if parcels else error
        if not parcels:
            return found
        result, made = found
        return (result, *made)


class RayActors:
    """The workers of one search, on a Ray of our own or on one that we have joined."""

    def __init__(self, where: str, workers: int | None) -> None:
        if importlib.util.find_spec("ray") is None:
            raise UserError(None, INSTALL)
        self.ray = start_ray(where, workers or os.cpu_count() or 1)
        try:
            self.workers = workers or self.processors()
            self.refuse_too_many()
            self.batch_bytes = batch_for(self.object_store(), self.workers)
            remote = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")
            self.make = remote(Actor).remote
            self.actors = [self.make() for _ in range(self.workers)]
        except BaseException:
            self.ray.shutdown()
            raise
        self.waiting: dict[int, dict[Call, float]] = {k: {} for k in range(self.workers)}
        self.heard = [time.monotonic()] * self.workers

    # The cluster.

    def processors(self) -> int:
        return int(self.ray.cluster_resources().get("CPU", 1))

    def refuse_too_many(self) -> None:
        if self.workers > self.processors():
            raise UserError(None, f"the cluster has {self.processors()} CPUs, too few for {self.workers} workers")

    def object_store(self) -> int:
        """Bytes of the smallest machine's."""
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        return int(min((node.get("object_store_memory", OBJECT_STORE) for node in nodes), default=OBJECT_STORE))

    # Calls.

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        refs = self.actors[worker].run.options(num_returns=parcels + 1).remote(parcels, method, *args)
        call = Call(worker, method, patience, refs if parcels else [refs])
        if not self.waiting[worker]:
            self.heard[worker] = time.monotonic()
        self.waiting[worker][call] = patience
        return call

    def wait(self, calls: Sequence[Call], seconds: float) -> list[Call]:
        by_ref = {call.ticket[0]: call for call in calls}
        ready, _ = self.ray.wait(list(by_ref), num_returns=1, timeout=seconds)
        if ready and len(by_ref) > 1:  # all that are there
            ready, _ = self.ray.wait(list(by_ref), num_returns=len(by_ref), timeout=0)
        done, now = [by_ref[ref] for ref in ready], time.monotonic()
        for call in done:
            self.heard[call.worker] = now
            self.waiting[call.worker].pop(call, None)
        for worker, waiting in self.waiting.items():
            patience = max((waiting[call] for call in calls if call in waiting), default=float("inf"))
            if now - self.heard[worker] > patience:
                raise Lost(worker, f"it has not answered for {patience:g} s")
        return done

    def answer(self, call: Call) -> Answer:
        errors = self.ray.exceptions
        try:
            result = self.ray.get(call.ticket[0])
        except errors.RayActorError as error:
            if NOT_INSTALLED in str(error):
                raise UserError(
                    None, f"a machine of the cluster has no Quorbit: pip install quorbit=={VERSION} there"
                ) from None
            raise Lost(call.worker, "its process has died") from None
        except (errors.ObjectLostError, errors.OwnerDiedError) as error:
            raise WorkerError("damaged", f"Ray lost a message ({type(error).__name__})") from None
        except errors.RayTaskError as error:
            if isinstance(error.cause, errors.ObjectLostError):
                raise WorkerError("damaged", "Ray lost a message") from None
            raise WorkerError("bug", str(error)) from None
        if isinstance(result, WorkerError):
            raise result
        return Answer(result, call.ticket[1:])

    def forget(self) -> None:
        for waiting in self.waiting.values():
            waiting.clear()

    def renew(self, worker: int) -> None:
        self.ray.kill(self.actors[worker], no_restart=True)
        self.actors[worker] = self.make()

    def close(self) -> None:
        for actor in self.actors:
            self.ray.kill(actor, no_restart=True)
        self.ray.shutdown()


def batch_for(object_store: int, workers: int) -> int:
    """Bytes of a message: what all workers send to all fits into a quarter of the store."""
    return max(LEAST_BATCH, min(USUAL_BATCH, object_store // (4 * workers * workers)))


# Ray.


def start_ray(where: str, workers: int) -> Any:
    """Ray, started here or joined."""
    address = None if where == "local" else address_for(where)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nobody but the cluster is contacted
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    stays_here = address is None or is_loopback(address)
    if stays_here:
        os.environ[LOOPBACK_ONLY] = "0"
    if address is not None:
        refuse_unreachable(address)
    import ray
    from ray._private import ray_constants

    ray_constants.ENABLE_RAY_CLUSTER = not stays_here  # who has loaded Ray before us has read the variable already
    try:
        if address is None:
            start_here(ray, workers)
        else:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except ray.exceptions.AuthenticationError:
        raise UserError(
            None,
            f"the Ray cluster at {address} asks for its token: set RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH as Ray's "
            "documentation says, or ask whoever runs the cluster",
        ) from None
    except (ConnectionError, OSError, RuntimeError, ValueError) as why:
        what = "Ray cannot be started" if address is None else f"the Ray cluster at {address} cannot be joined"
        raise UserError(None, f"{what}: {first_line(why)}") from None
    return ray


def start_here(ray: Any, workers: int) -> None:
    ray.init(
        address="local",  # else it would join what an earlier run has left
        num_cpus=workers,
        include_dashboard=False,
        logging_level=logging.ERROR,
        log_to_driver=False,
        object_store_memory=OBJECT_STORE,
    )


def address_for(where: str) -> str:
    """The address of a cluster to join."""
    address = where
    if where == "auto" and not (address := os.environ.get("RAY_ADDRESS", "")):
        raise UserError(None, "--cluster auto needs the address of a Ray cluster in RAY_ADDRESS, such as 10.0.0.1:6379")
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        raise UserError(None, f"the address of a Ray cluster is HOST:PORT, as ray start prints it, not {address!r}")
    return address


def is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    return host == "localhost" or host.startswith("127.") or host == "::1"


def refuse_unreachable(address: str) -> None:
    """Ray itself would try for a minute or two: a process of its own, which can be ended, asks for the cluster."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT).close()
    except (OSError, OverflowError) as why:
        raise UserError(None, f"the Ray cluster at {address} cannot be reached: {first_line(why)}") from None
    with subprocess.Popen(
        [sys.executable, "-c", PROBE, address],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as probe:
        assert probe.stdout is not None
        probe.stdout.readline()  # Ray is loaded, which can take long on a busy machine
        ready = select.select([probe.stdout], [], [], ANSWER)[0]
        answered = bool(ready) and probe.stdout.read(1) == b"y"
        probe.kill()
    if not answered:
        raise UserError(None, f"there is no Ray cluster at {address}: nothing there has answered as Ray does")


def first_line(why: BaseException) -> str:
    return (str(why).strip() or type(why).__name__).splitlines()[0]
