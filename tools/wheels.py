"""Build what is published and try it: wheels for Linux on x86_64 and aarch64, macOS untested, and the sdist.

Every wheel must hold the runtimes in C, for the machine it is named after, with nothing but manylinux_2_28 needed; it
is installed into fresh environments without a compiler on the path, outside the source tree, and answers a model.  The
aarch64 runtime is loaded under qemu-user where that is installed.  A wheel that fails is an error, never left out.
Run as ``python tools/wheels.py dist``.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

TARGETS = {
    "manylinux_2_28_x86_64": "x86_64-linux-gnu.2.28",
    "manylinux_2_28_aarch64": "aarch64-linux-gnu.2.28",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
}  # the platforms of wheels, and what zig calls them
MAGIC = {"x86_64": b"\x3e\x00", "aarch64": b"\xb7\x00"}  # of a machine, at offset 18 of an ELF file
RUNTIMES = ("quorbit/machine/_runtime.abi3.so", "quorbit/engines/adaptive/_runtime.abi3.so")
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
DRIVER = """
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) { fprintf(stderr, "%s\\n", dlerror()); return 1; }
    const void *(*members)(uint64_t *) = (const void *(*)(uint64_t *))dlsym(library, "qb_members");
    uint64_t count = 0;
    return argc == 2 && members && members(&count) && count > 100 ? 0 : 1;
}
"""


def main() -> None:
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run([sys.executable, "-m", "build", "--sdist", "--outdir", str(folder), "."])
    [sdist] = folder.glob("*.tar.gz")
    for tag, target in TARGETS.items():
        check_contents(build_wheel(folder, sdist, tag, target), tag)
    linux = [wheel for wheel in sorted(folder.glob("*.whl")) if "manylinux" in wheel.name]
    for wheel in linux:
        audit(wheel)
    own = next(wheel for wheel in linux if wheel.name.endswith(f"{platform.machine()}.whl"))
    tried = [version for version in VERSIONS if try_wheel(own, version)]
    try_sdist(sdist)
    emulated = try_under_qemu(next(wheel for wheel in linux if "aarch64" in wheel.name))
    write_sums(folder)
    print(f"tried on Python {', '.join(tried)}; aarch64 {emulated}; macOS wheels are built and not tried")


def build_wheel(folder: Path, sdist: Path, tag: str, target: str) -> Path:
    """From the sdist, so that what it lacks shows."""
    with TemporaryDirectory() as place:
        shutil.unpack_archive(sdist, place)
        [source] = Path(place).iterdir()
        command = [sys.executable, "setup.py", "--quiet", "bdist_wheel", "--plat-name", tag, "--dist-dir", place]
        run(command, cwd=source, env={**os.environ, "QUORBIT_TARGET": target, "_PYTHON_HOST_PLATFORM": tag})
        [wheel] = Path(place).glob("*.whl")
        return Path(shutil.move(wheel, folder / wheel.name))


def check_contents(wheel: Path, tag: str) -> None:
    if not wheel.name.endswith(f"-cp310-abi3-{tag}.whl"):
        sys.exit(f"{wheel.name}: not tagged cp310-abi3-{tag}")
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for runtime in RUNTIMES:
            if runtime not in names:
                sys.exit(f"{wheel.name}: {runtime} is missing")
            machine = next((machine for machine in MAGIC if tag.endswith(machine)), None)
            if "manylinux" in tag and machine and archive.read(runtime)[18:20] != MAGIC[machine]:
                sys.exit(f"{wheel.name}: {runtime} is for another machine")


def audit(wheel: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(wheel)], capture_output=True, text=True)
    told = " ".join((done.stdout + done.stderr).split())
    if done.returncode or ("manylinux_2_28" not in told and "manylinux_2_17" not in told):
        sys.exit(f"{wheel.name}: {told}")


def try_wheel(wheel: Path, version: str) -> bool:
    """Whether this Python is here; then the wheel answers a model in a fresh environment without a compiler."""
    python = find_python(version)
    if python is None:
        return False
    with TemporaryDirectory() as place:
        run([python, "-m", "venv", f"{place}/venv"])
        run([f"{place}/venv/bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel)])
        answer(Path(place))
        list_parts(f"{place}/venv/bin/python", wheel.with_name("quorbit.cdx.json"))
    return True


def find_python(version: str) -> str | None:
    """One that really runs: what stands on the path may only say that it is installed elsewhere."""
    found = [*Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), shutil.which(f"python{version}")]
    runs = (
        str(each) for each in found if each and not subprocess.run([each, "-c", ""], capture_output=True).returncode
    )
    return next(runs, None)


def try_sdist(sdist: Path) -> None:
    with TemporaryDirectory() as place:
        venv.create(f"{place}/venv", with_pip=True)
        run([f"{place}/venv/bin/python", "-m", "pip", "install", "--quiet", str(sdist)])
        answer(Path(place))


def answer(place: Path) -> None:
    """Outside the source tree, with nothing on the path but what a command needs."""
    (place / "bin").mkdir()
    for name in ("env", "sh", "dirname", "readlink"):
        (place / "bin" / name).symlink_to(str(shutil.which(name)))
    model = place / "m.pml"
    model.write_text("byte n;\nactive [3] proctype p() { n++; assert(n <= 3) }\n")
    command = [f"{place}/venv/bin/quorbit", "check", str(model), "--engine", "explicit", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=place, env={"PATH": f"{place}/bin"})
    if done.returncode or '"verdict": "holds"' not in done.stdout:
        sys.exit(f"the installed program does not answer: {done.stdout}{done.stderr}")


def try_under_qemu(wheel: Path) -> str:
    """The runtime of another machine is loaded by a small program that runs under an emulator."""
    emulator, libraries = shutil.which("qemu-aarch64"), Path("/usr/aarch64-linux-gnu")
    if emulator is None or not libraries.exists():
        return "not tried (install qemu-user and libc6-arm64-cross)"
    with TemporaryDirectory() as place:
        ZipFile(wheel).extractall(place)
        (Path(place) / "driver.c").write_text(DRIVER)
        zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.28"]
        run([*zig, "-o", f"{place}/driver", f"{place}/driver.c", "-ldl"])
        run([emulator, "-L", str(libraries), f"{place}/driver", f"{place}/{RUNTIMES[0]}"])
    return "loaded under qemu-user"


def list_parts(python: str, file: Path) -> None:
    """What is installed with the package (CycloneDX)."""
    run([sys.executable, "-m", "cyclonedx_py", "environment", python, "--output-file", str(file)])


def write_sums(folder: Path) -> None:
    files = sorted(file for file in folder.iterdir() if file.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines))


def run(command: list[str], **where: object) -> None:
    done = subprocess.run(command, **where)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(command[:6])} ... ended with {done.returncode}")


if __name__ == "__main__":
    main()
