"""Read a model file as text, or say why it is none."""

from __future__ import annotations

from pathlib import Path

from quorbit.source.errors import UserError
from quorbit.source.span import Source

__all__ = ["is_file", "read_limited", "read_source"]

LARGEST = 64 * 2**20


def read_source(path: Path) -> Source:
    """The text of a file; UTF-8, or Latin-1 as some older models are."""
    if not path.exists():
        raise UserError(None, f"{path}: no such file")
    if path.is_dir():
        raise UserError(None, f"{path}: is a directory, not a model")
    try:
        data = read_limited(path)
    except OSError as error:
        raise UserError(None, f"{path}: {error.strerror}") from error
    return Source(str(path), decode(path, data))


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that the system cannot take (too long, a zero byte) names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read_limited(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UserError(None, f"{path}: larger than {LARGEST // 2**20} MiB; this is not a model")
    return data


def decode(path: Path, data: bytes) -> str:
    if b"\0" in data:
        raise UserError(None, f"{path}: is a binary file, not a model")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")
