"""The process of a worker on this machine: it answers one call after the other until the driver is gone.

python -m quorbit.engines.cluster.pipe_worker FD PARENT
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from typing import Any

from quorbit.engines.cluster.frames import receive, send
from quorbit.engines.cluster.transport import WorkerError
from quorbit.engines.cluster.worker import Worker, told
from quorbit.source.processes import end_with

DEEP = 20_000  # calls inside calls that a model's expressions may need


def serve(connection: socket.socket) -> None:
    worker = Worker()
    while True:
        number, method, args = receive(connection)
        try:
            send(connection, (number, True, told(getattr(worker, method), *args)))
        except WorkerError as error:
            send(connection, (number, False, error))
        except OSError:
            raise
        except Exception as error:
            send(connection, (number, False, unexpected(error)))


def unexpected(error: BaseException) -> WorkerError:
    return WorkerError("bug", "".join(traceback.format_exception(error)))


def main(arguments: list[str]) -> Any:
    descriptor, parent = map(int, arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver
    end_with(parent)
    sys.setrecursionlimit(DEEP)
    try:
        serve(socket.socket(fileno=descriptor))
    except (EOFError, OSError):  # the driver is gone
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
