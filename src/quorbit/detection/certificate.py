"""Certificates: the symmetries a check has used, with what is needed to check them without finding them again.

They say nothing that the check of a certificate does not look at; so there is no verdict in them.

For every generator the witness says to which command each command is mapped, and so for definitions and properties, and
for the initial states if the generator keeps them; one that moves them is marked so.  The check writes both as plain
texts (plain_form.py) and compares these; it does not use the tables and graphs that detection works with.  For small
models the whole state graph is gone through (brute_force.py).

Short names: g a permutation of the atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

from quorbit.detection.plain_form import PlainForm
from quorbit.detection.proof import without_start
from quorbit.groups.permutation import Permutation
from quorbit.model.system.system import System
from quorbit.source.frozen import frozen

__all__ = [
    "START",
    "BrokenCertificate",
    "Certificate",
    "as_object",
    "digest_of",
    "from_object",
    "value_sorts",
    "verify_generator",
    "witness_of",
]

Witness = dict[str, tuple[int, ...]]  # kind of part -> for each part the number of its image
START = "start"  # the kind of the parts that a generator need not keep


@frozen
class Certificate:
    """``digest`` stands for the grounded System this is about; ``sorts`` are those of values that are atoms in it."""

    asked: str
    digest: str
    sorts: tuple[str, ...]
    atoms: tuple[str, ...]
    generators: tuple[Permutation, ...]
    witnesses: tuple[Witness, ...]
    order: int | None
    strategy: str
    exact: bool


class BrokenCertificate(Exception):
    """The certificate does not hold; the message says where."""


def parts_by_kind(system: System, form: PlainForm) -> dict[str, list[str]]:
    """All that a grounded System says, as texts."""
    steps = without_start(system)
    of_start = [d for d in system.definitions if d not in steps.definitions]
    return {
        "commands": [form.command(c) for c in system.commands],
        START: [*map(form.command, system.start), *map(form.definition, of_start)],
        "definitions": [form.definition(d) for d in steps.definitions],
        "properties": [form.property(p) for p in system.properties],
        "places": [form.place(p) for p in system.places],
        "transient": [form.expression(system.transient, ())],
        "atoms": [f"{atom.sort} {atom.colour} {form.atom(a)}" for a, atom in enumerate(system.atoms)],
    }


def digest_of(system: System) -> str:
    """The same for Systems that say the same in the same order."""
    found = sha256()
    for kind, texts in parts_by_kind(system, PlainForm(system, lambda a: a)).items():
        found.update(f"{kind} {len(texts)}\n".encode())
        for text in texts:
            found.update(f"{text}\n".encode(errors="surrogatepass"))
    return found.hexdigest()


def witness_of(system: System, g: Permutation) -> Witness:
    """To which part each part is mapped; nothing about the start if g moves it.  Raises BrokenCertificate if g is no
    symmetry."""
    written = parts_by_kind(system, PlainForm(system, lambda a: a))
    images = parts_by_kind(system, PlainForm(system, g.__getitem__))
    if [a.split()[:-1] for a in images["atoms"]] != [a.split()[:-1] for a in written["atoms"]]:
        raise BrokenCertificate("the atoms are not the same")
    kept = {kind for kind in written if kind != START or sorted(written[START]) == sorted(images[START])}
    return {kind: match_texts(kind, written[kind], images[kind]) for kind in written if kind in kept - {"atoms"}}


def match_texts(kind: str, written: Sequence[str], images: Sequence[str]) -> tuple[int, ...]:
    places: dict[str, list[int]] = {}
    for k in reversed(range(len(written))):
        places.setdefault(written[k], []).append(k)
    found = []
    for k, image in enumerate(images):
        if not places.get(image):
            raise BrokenCertificate(f"number {k + 1} of the {kind} has no image")
        found.append(places[image].pop())
    return tuple(found)


def verify_generator(system: System, g: Permutation, witness: Witness, number: int) -> None:
    """Check one generator with its witness; raises BrokenCertificate if it does not hold.

    A witness that says nothing of the start belongs to a generator that moves it."""
    n = len(system.atoms)
    if sorted(g) != list(range(n)):
        raise BrokenCertificate(f"generator {number} is not a permutation of the {n} atoms")
    for a, x in enumerate(g):
        if (system.atoms[a].sort, system.atoms[a].colour) != (system.atoms[x].sort, system.atoms[x].colour):
            raise BrokenCertificate(
                f"generator {number} maps {system.atoms[a].name} to {system.atoms[x].name}, which is of another kind"
            )
    written = parts_by_kind(system, PlainForm(system, lambda a: a))
    images = parts_by_kind(system, PlainForm(system, g.__getitem__))
    wanted = set(written) - {"atoms"}
    if set(witness) not in (wanted, wanted - {START}):
        raise BrokenCertificate(f"generator {number}: the witness is not about what the model consists of")
    for kind, numbers in witness.items():
        verify_kind(number, kind, written[kind], images[kind], numbers)


def verify_kind(
    number: int, kind: str, written: Sequence[str], images: Sequence[str], witness: tuple[int, ...]
) -> None:
    if sorted(witness) != list(range(len(written))):
        raise BrokenCertificate(f"generator {number}: the witness about the {kind} is not a bijection")
    for k, (image, target) in enumerate(zip(images, witness, strict=True)):
        if image != written[target]:
            raise BrokenCertificate(
                f"generator {number}: number {k + 1} of the {kind} is not mapped to number {target + 1}"
            )


# As plain data.


def as_object(certificate: Certificate) -> dict[str, object]:
    c = certificate
    return {
        "asked": c.asked,
        "system": c.digest,
        "sorts": list(c.sorts),
        "atoms": list(c.atoms),
        "generators": [
            {
                "images": list(g),
                "start": "kept" if START in w else "moved",
                "witness": {kind: list(numbers) for kind, numbers in w.items()},
            }
            for g, w in zip(c.generators, c.witnesses, strict=True)
        ],
        "order": None if c.order is None else str(c.order),
        "plan": {"strategy": c.strategy, "exact": c.exact},
    }


def from_object(given: object) -> Certificate:
    """Raises BrokenCertificate if this is not a certificate."""
    try:
        found = dict(given)  # type: ignore[call-overload]
        listed = list(found["generators"])
        if any(g["start"] != ("kept" if START in g["witness"] else "moved") for g in listed):
            raise ValueError("a generator says that the start is kept, and its witness does not")
        plan = dict(found["plan"])
        return Certificate(
            asked=str(found["asked"]),
            digest=str(found["system"]),
            sorts=tuple(map(str, found["sorts"])),
            atoms=tuple(map(str, found["atoms"])),
            generators=tuple(tuple(map(whole, g["images"])) for g in listed),
            witnesses=tuple({str(k): tuple(map(whole, v)) for k, v in g["witness"].items()} for g in listed),
            order=None if found["order"] is None else int(found["order"]),
            strategy=str(plan["strategy"]),
            exact=plan["exact"] is True,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenCertificate(f"this is not a certificate ({type(error).__name__}: {error})") from None


def whole(n: object) -> int:
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise ValueError(f"expected a number, not {n!r}")
    return n


def value_sorts(system: System, is_value: Callable[[str], bool]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(atom.sort for atom in system.atoms if is_value(atom.sort)))
