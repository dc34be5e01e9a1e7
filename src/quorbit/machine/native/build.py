"""Compile native code in the background and load it.

The compiler is a separate process with a clean environment; the library imports nothing (-ffreestanding -nostdlib, and
looked at again before it is loaded).  Compiled libraries are kept in a directory of the user's own (0700) under a name
that is the hash of everything that went into them, and end in a seal, the hash of name and contents: one that was
damaged, cut or copied from another is not loaded but made anew.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import signal
import stat
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorbit.machine.library import layouts_text
from quorbit.source.frozen import frozen, mutable

if TYPE_CHECKING:
    from subprocess import Popen

__all__ = [
    "Build",
    "KeptLibrary",
    "begin",
    "cache_directory",
    "find_compiler",
    "is_finished",
    "is_sound",
    "is_whole",
    "kept_libraries",
    "leave",
    "load",
    "remove",
]

FLAGS = (
    "-O1",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-stack-protector",
    "-ffreestanding",
    "-nostdlib",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
)
LONGEST_COMPILE = 120.0  # seconds
MOST_LIBRARIES = 256
MOST_BYTES = 128 * 2**20  # of all libraries
LEFT_BEHIND = 3600.0  # seconds after which nobody works in a folder any more
SOURCE, LIBRARY, NAME, ZIG = "model.c", "model.so", "model.txt", "zig"
SEAL = 32  # bytes
FUNCTIONS = ("native_next", "native_check", "native_stuck")


@mutable
class Build:
    """A compilation under way, or its result."""

    target: Path
    process: Popen[bytes] | None = None
    folder: Path | None = None  # what the compiler reads and writes
    began: float = 0.0


@frozen
class KeptLibrary:
    """A compiled model in the cache: its name ("" if that is not known), how large it is in bytes, and when it was made
    and last used."""

    path: Path
    model: str
    size: int
    made: float
    used: float


def find_compiler() -> tuple[str, ...] | None:
    for name in ("cc", "gcc", "clang"):
        for folder in os.get_exec_path():
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return (os.path.realpath(path),)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    return None


def cache_directory() -> Path | None:
    """The user's own directory for compiled code; None where there can be none that only the user can write."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    directory = Path(base) / "quorbit" / "native"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.lstat()
    except OSError:
        return None
    private = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return directory if private else None


def begin(source: str, model: str = "") -> Build | None:
    """Look for a library of this source, or start to compile it; None where that is impossible.

    ``model``: the name under which the library is listed."""
    compiler, directory = find_compiler(), cache_directory()
    if compiler is None or directory is None:
        return None
    build = Build(directory / f"{digest(source, compiler)}.so")
    try:
        if is_sound(build.target):
            used(build.target)
        else:
            start_compiler(build, source, compiler, model)
    except OSError:  # a full disk, no more processes
        return None
    return build


def find_cached(source: str) -> Path | None:
    """A library of this source that was compiled before."""
    compiler, directory = find_compiler(), cache_directory()
    if compiler is None or directory is None:
        return None
    target = directory / f"{digest(source, compiler)}.so"
    return used(target) if is_sound(target) else None


def used(target: Path) -> Path:
    """Note that a library is still of use: those that were not for the longest time go first."""
    with suppress(OSError):
        os.utime(target)
    return target


def digest(source: str, compiler: tuple[str, ...]) -> str:
    status = os.stat(compiler[0])
    told = (
        source,
        layouts_text(),
        compiler,
        status.st_size,
        status.st_mtime_ns,
        FLAGS,
        os.uname().machine,
        sys.platform,
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()


def start_compiler(build: Build, source: str, compiler: tuple[str, ...], model: str) -> None:
    import subprocess  # here, for a library that was made before is loaded without

    build.folder = build.target.with_suffix(f".{os.getpid()}")
    build.folder.mkdir(mode=0o700, exist_ok=True)
    (build.folder / SOURCE).write_text(source, encoding="ascii")
    (build.folder / NAME).write_text(model, encoding="utf-8")
    build.began = time.monotonic()
    build.process = subprocess.Popen(
        [*compiler, *FLAGS, "-o", LIBRARY, SOURCE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=build.folder,
        env=clean_environment(build.folder),
        start_new_session=True,  # Ctrl-C is for us; and a group of its own, to be stopped as a whole
    )


def clean_environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C",
        "TMPDIR": str(folder),
        "HOME": str(folder),
        "ZIG_GLOBAL_CACHE_DIR": str(folder.parent / ZIG),
        "ZIG_LOCAL_CACHE_DIR": str(folder.parent / ZIG),
    }


def is_finished(build: Build) -> bool:
    """Whether there is nothing more to wait for; a compiler that takes too long is stopped."""
    if build.process is None:
        return True
    if build.process.poll() is None:
        if time.monotonic() - build.began < LONGEST_COMPILE:
            return False
        stop(build.process)
    finish(build)
    return True


def stop(compiler: Popen[bytes]) -> None:
    """The compiler and the programs it has started."""
    with suppress(ProcessLookupError):
        os.killpg(compiler.pid, signal.SIGKILL)
    compiler.wait()


def finish(build: Build) -> None:
    assert build.process is not None
    assert build.folder is not None
    keep(build.target, build.folder, build.process.returncode == 0)
    build.process = None


def keep(target: Path, folder: Path, is_good: bool) -> bool:
    """Give a library that was made its name, remove what is left over; whether it is there."""
    made = folder / LIBRARY
    with suppress(OSError):  # a full disk: there is no library
        if is_good and imports_nothing(made.read_bytes()):
            with made.open("ab") as file:
                file.write(seal(target, made.read_bytes()))
            os.replace(folder / NAME, name_file(target))
            os.replace(made, target)
            forget_old(target.parent)
    remove_folder(folder)
    return target.exists()


def loads(folder: Path) -> bool:
    """Whether what was made is a library with the functions that are wanted."""
    try:
        library = ctypes.CDLL(str(folder / LIBRARY))
        return all(hasattr(library, name) for name in FUNCTIONS)
    except OSError:
        return False


def leave(build: Build) -> None:
    """Let a compiler that the run does not wait for go on at low priority; another process keeps what it makes."""
    import subprocess

    if build.process is None or is_finished(build):
        return
    compiler = build.process.pid
    command = [
        sys.executable,
        "-m",
        "quorbit.machine.native.finish",
        build.target,
        build.folder,
        compiler,
        birth(compiler),
    ]
    try:
        subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:  # no more processes
        abandon(build)


def birth(process: int) -> str:
    """When a process was started, in the system's own count; "" if it has ended or the system does not tell."""
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return "" if told[0] == "Z" else told[19]
    except (OSError, IndexError):
        return ""


def abandon(build: Build) -> None:
    """Stop a compiler that nobody waits for any more."""
    if build.process is not None:
        stop(build.process)
        finish(build)


def forget_old(directory: Path) -> None:
    """Libraries beyond a number or a size, those first that were not used for the longest time, and what runs that were
    killed have left behind."""
    size = 0
    for k, library in enumerate(kept_libraries(directory)):
        size += library.size
        if k >= MOST_LIBRARIES or size > MOST_BYTES:
            remove(library)
    for folder in directory.iterdir():
        if folder.is_dir() and folder.name != ZIG and time.time() - folder.stat().st_mtime > LEFT_BEHIND:
            remove_folder(folder)


def remove_folder(folder: Path) -> None:
    from shutil import rmtree  # here, as above

    rmtree(folder, ignore_errors=True)


def kept_libraries(directory: Path) -> list[KeptLibrary]:
    """The libraries of a folder, the last used one first."""
    found = []
    for path in directory.glob("*.so"):
        with suppress(OSError):  # another process has removed it
            status = path.stat()
            model, made = name_and_day(path)
            found.append(KeptLibrary(path, model, status.st_size, made, status.st_mtime))
    return sorted(found, key=lambda library: (-library.used, library.path.name))


def name_and_day(path: Path) -> tuple[str, float]:
    """Which model a library is of, and when it was compiled; of one without a name file the last use is known."""
    named = name_file(path)
    try:
        return named.read_text(encoding="utf-8", errors="replace"), named.stat().st_mtime
    except OSError:
        return "", path.stat().st_mtime


def name_file(target: Path) -> Path:
    """Beside a library: the name of its model, written when it was compiled."""
    return target.with_suffix(".txt")


def remove(library: KeptLibrary) -> None:
    library.path.unlink(missing_ok=True)
    name_file(library.path).unlink(missing_ok=True)


def load(target: Path) -> tuple[Any, list[int]] | None:
    """The library and the addresses of its functions."""
    if not is_sound(target):
        return None
    try:
        library = ctypes.CDLL(str(target))
        addresses = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in FUNCTIONS]
    except (OSError, AttributeError):
        return None
    return library, addresses


def is_sound(target: Path) -> bool:
    """Whether a library is there, complete, and that of this name."""
    try:
        data = target.read_bytes()
    except OSError:
        return False
    return is_whole(target, data)


def is_whole(target: Path, data: bytes) -> bool:
    """Whether these are the contents of the library of this name."""
    return data[-SEAL:] == seal(target, data[:-SEAL]) and imports_nothing(data)


def seal(target: Path, data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=SEAL, key=target.stem[:64].encode()).digest()


def imports_nothing(data: bytes) -> bool:
    """Whether an ELF library has no undefined symbols and needs no other; other formats are left to the linker."""
    if data[:4] != b"\x7fELF":
        return sys.platform != "linux"
    if data[4] != 2:
        return False
    return not any(undefined_symbols(data)) and not needs_libraries(data)


def sections(data: bytes) -> list[tuple[int, int, int, int]]:
    """(type, offset, size, entry size) of the sections of an ELF file."""
    order = "<" if data[5] == 1 else ">"
    (start,) = struct.unpack_from(order + "Q", data, 40)
    size, count = struct.unpack_from(order + "HH", data, 58)
    found = []
    for k in range(count):
        kind, at, length = struct.unpack_from(order + "4xI16xQQ", data, start + k * size)
        (entry,) = struct.unpack_from(order + "Q", data, start + k * size + 56)
        found.append((kind, at, length, entry))
    return found


def undefined_symbols(data: bytes) -> list[int]:
    order = "<" if data[5] == 1 else ">"
    found = []
    for kind, at, length, entry in sections(data):
        if kind == 11 and entry:  # SHT_DYNSYM
            for symbol in range(at + entry, at + length, entry):
                name, section = struct.unpack_from(order + "I2xH", data, symbol)
                if section == 0 and name != 0:
                    found.append(name)
    return found


def needs_libraries(data: bytes) -> bool:
    order = "<" if data[5] == 1 else ">"
    for kind, at, length, _ in sections(data):
        if kind == 6:  # SHT_DYNAMIC
            tags = (struct.unpack_from(order + "Q", data, k)[0] for k in range(at, at + length, 16))
            if 1 in tags:  # DT_NEEDED
                return True
    return False
