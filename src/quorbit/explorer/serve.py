"""Open the explorer: a socket on the loopback interface, an address with a token, and the server behind it."""

from __future__ import annotations

import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from quorbit.explorer.desk import Desk
from quorbit.explorer.server import build_app
from quorbit.pipeline.load import Model
from quorbit.source.errors import UserError

__all__ = ["serve"]

HOST = "127.0.0.1"
TOKEN_BYTES = 24


class Server(uvicorn.Server):
    """Ends quietly when the user has had enough."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        def stop(number: int, frame: FrameType | None) -> None:
            self.should_exit = self.force_exit = True

        earlier = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)


def serve(model: Model, port: int, seed: int, opened: Callable[[str], None]) -> None:
    """Until the user interrupts it; ``opened`` is told the address as soon as requests are taken."""
    listening = listen(port)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    actual = listening.getsockname()[1]
    desk = Desk(model, seed)
    config = uvicorn.Config(
        build_app(desk, token, actual), log_level="error", lifespan="off", access_log=False, server_header=False
    )
    try:
        opened(f"http://{HOST}:{actual}/{token}/")
        Server(config).run(sockets=[listening])
    finally:
        desk.close()
        listening.close()


def listen(port: int) -> socket.socket:
    """A socket that already takes connections; port 0: any that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
        found.listen(128)
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(None, f"port {port} cannot be used: {reason}; without --port a free one is chosen") from None
    return found
