"""Calls and answers on a stream socket: a pickled value, and beside it the buffers of its parcels, which are not copied.

A frame is the length of the pickle, the number of buffers, their lengths, and then all of them.  Both ends are processes
of one user on one machine that this program has started itself.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Generator
from socket import socket
from typing import Any

HEAD = struct.Struct("<QI")
SIZE = struct.Struct("<Q")
Frame = Generator[memoryview, None, Any]  # asks for memory to be filled; returns the value


def frame_parts(value: Any) -> list[memoryview]:
    """What has to be written for a value."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [memoryview(b.raw()).cast("B") for b in buffers]
    sizes = b"".join(SIZE.pack(len(v)) for v in views)
    return [memoryview(HEAD.pack(len(body), len(views)) + sizes + body), *(v for v in views if len(v))]


def read_frame() -> Frame:
    head = bytearray(HEAD.size)
    yield memoryview(head)
    length, count = HEAD.unpack(head)
    sizes = bytearray(SIZE.size * count)
    if count:
        yield memoryview(sizes)
    body = bytearray(length)
    yield memoryview(body)
    buffers = []
    for (size,) in SIZE.iter_unpack(sizes):
        buffers.append(bytearray(size))
        if size:
            yield memoryview(buffers[-1])
    return pickle.loads(body, buffers=buffers)


def receive(connection: socket) -> Any:
    """The next value, waiting for it; EOFError if the other end is gone."""
    frame = read_frame()
    try:
        while True:
            view = next(frame)
            while len(view):
                got = connection.recv_into(view)
                if got == 0:
                    raise EOFError
                view = view[got:]
    except StopIteration as end:
        return end.value


def send(connection: socket, value: Any) -> None:
    for part in frame_parts(value):
        connection.sendall(part)
