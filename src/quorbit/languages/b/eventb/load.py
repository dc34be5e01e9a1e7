"""Where the components of an Event-B model are: a package, a file of Rodin's with its project, a folder, a zip."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path, PurePosixPath

from quorbit.languages.b.eventb.component import Context, EventMachine, Project
from quorbit.languages.b.eventb.levels import flatten
from quorbit.languages.b.eventb.package import read_package
from quorbit.languages.b.eventb.rodin import read_component, refined_machine
from quorbit.languages.b.syntax.compose import Composed
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.read import read_limited

__all__ = ["compose_project", "read_project"]

MACHINE, CONTEXT = ".bum", ".buc"
MOST_FILES, MOST_BYTES = 10_000, 64 * 2**20  # of a zip, once it is unpacked


@frozen
class Files:
    """The contents of Rodin's files, by the name of the component and the kind of the file."""

    where: str
    files: dict[tuple[str, str], tuple[str, bytes]]


def compose_project(path: Path, machine: str | None) -> Composed:
    """The model as one machine of B."""
    return flatten(read_project(path, machine))


def read_project(path: Path, machine: str | None = None) -> Project:
    """The components of a model; ``machine``: another main machine than the file would have."""
    if machine is None:
        return read_files(path)
    if path.is_dir() or path.suffix.lower() == ".zip":
        return collect(zip_files(path) if path.is_file() else folder_files(path), machine)
    project = collect(folder_files(path.parent), machine) if path.suffix.lower() == MACHINE else read_files(path)
    if machine not in project.machines:
        known = ", ".join(project.machines) or "none"
        raise UserError(None, f"{path}: there is no machine {machine} (these are: {known})")
    return replace(project, main=machine)


def read_files(path: Path) -> Project:
    if not path.exists():
        raise UserError(None, f"{path}: no such file")
    if path.is_dir():
        files = folder_files(path)
        return collect(files, latest_machine(files))
    match path.suffix.lower():
        case ".bum":
            return collect(folder_files(path.parent), path.stem)
        case ".buc":
            return collect(folder_files(path.parent), path.stem, CONTEXT)
        case ".zip":
            files = zip_files(path)
            return collect(files, latest_machine(files))
    return read_package(path)


def folder_files(folder: Path) -> Files:
    found = [p for p in sorted(folder.iterdir()) if p.suffix in (MACHINE, CONTEXT) and p.is_file()]
    return Files(str(folder), {(p.stem, p.suffix): (str(p), read_limited(p)) for p in found})


def zip_files(path: Path) -> Files:
    """The files of one project in a zip, whatever folder it is in."""
    found: dict[tuple[str, str], tuple[str, bytes]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [i for i in archive.infolist() if PurePosixPath(i.filename).suffix in (MACHINE, CONTEXT)]
            if len(entries) > MOST_FILES or sum(i.file_size for i in entries) > MOST_BYTES:
                raise UserError(None, f"{path}: unpacks to more than {MOST_BYTES // 2**20} MiB; this is not a project")
            folders = sorted({str(PurePosixPath(i.filename).parent) for i in entries})
            if len(folders) > 1:
                raise UserError(None, f"{path}: holds {len(folders)} projects ({', '.join(folders)}); unpack it")
            left = MOST_BYTES
            for entry in entries:
                with archive.open(entry) as file:
                    data = file.read(left + 1)
                left -= len(data)
                if left < 0:
                    raise UserError(None, f"{path}: unpacks to more than its table says; this is not a project")
                name = PurePosixPath(entry.filename)
                found[name.stem, name.suffix] = (f"{path}/{entry.filename}", data)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise UserError(None, f"{path}: cannot be unpacked ({error})") from None
    except zlib.error as error:
        raise UserError(None, f"{path}: is damaged ({error})") from None
    return Files(str(path), found)


def latest_machine(files: Files) -> str:
    """The machine that no other one refines."""
    machines = {name: given for (name, ending), given in files.files.items() if ending == MACHINE}
    refined = {refined_machine(*given) for given in machines.values()}
    last = sorted(machines.keys() - refined)
    if len(last) == 1:
        return last[0]
    if not machines:
        is_folder = Path(files.where).is_dir()
        advice = f"; quorbit test {files.where} checks what its models expect" if is_folder else ""
        what = "is a folder, not a model" if is_folder else "is not a Rodin project"
        raise UserError(None, f"{files.where} {what}: there is no machine (.bum) in it{advice}")
    several = f"{len(last)} machines that no other machine refines" if last else "no machine that is left unrefined"
    raise UserError(
        None, f"{files.where}: has {several} ({', '.join(last or sorted(machines))}); name one of the files"
    )


def collect(files: Files, main: str, kind: str = MACHINE) -> Project:
    """The component and all that it refines, sees and extends."""
    project = Project(main, {}, {})
    wanted = [(main, kind)]
    while wanted:
        name, ending = wanted.pop()
        known: dict[str, EventMachine] | dict[str, Context] = (
            project.machines if ending == MACHINE else project.contexts
        )
        if name in known:
            continue
        if (name, ending) not in files.files:
            raise UserError(None, f"{files.where}: there is no {name}{ending}, which the model refers to")
        file, data = files.files[name, ending]
        match read_component(name, file, data):
            case EventMachine() as machine:
                project.machines[name] = machine
                wanted.extend((c, CONTEXT) for c in machine.sees)
                wanted.extend([(machine.refines, MACHINE)] if machine.refines is not None else [])
            case Context() as context:
                project.contexts[name] = context
                wanted.extend((c, CONTEXT) for c in context.extends)
    return project
