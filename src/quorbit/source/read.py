"""Read a model file as text, or say why it is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from quorbit.source.errors import UserError
from quorbit.source.span import Source
from quorbit.source.suggest import did_you_mean

__all__ = ["is_file", "missing", "read_limited", "read_source", "unsaved"]

LARGEST = 64 * 2**20
UNSAVED: ContextVar[Mapping[Path, str]] = ContextVar("unsaved", default=MappingProxyType({}))  # by absolute paths
MOST_BESIDE = 1000  # files of a folder that are looked at for a name


@contextmanager
def unsaved(texts: Mapping[Path, str]) -> Iterator[None]:
    """While this lasts, these files have these texts, whatever is on the disk."""
    token = UNSAVED.set(texts)
    try:
        yield
    finally:
        UNSAVED.reset(token)


def read_source(path: Path) -> Source:
    """The text of a file; UTF-8, or Latin-1 as some older models are.  An editor may have a newer text of it."""
    if (text := UNSAVED.get().get(path.absolute())) is not None:
        return Source(str(path), text)
    if not path.exists():
        raise missing(path)
    if path.is_dir():
        raise UserError(None, f"{path} is a folder, not a model; quorbit test {path} checks what its models expect")
    try:
        data = read_limited(path)
    except OSError as error:
        raise UserError(None, f"{path}: {error.strerror}") from error
    return Source(str(path), decode(path, data))


def missing(path: Path) -> UserError:
    """There is no such file; perhaps one whose name is much like it."""
    if path.is_symlink():
        return UserError(None, f"{path}: a symbolic link that does not lead to a file")
    try:
        beside = sorted(str(path.with_name(other.name)) for other in islice(path.parent.iterdir(), MOST_BESIDE))
    except OSError:
        beside = []
    return UserError(None, f"{path}: no such file{did_you_mean(str(path), beside)}")


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
