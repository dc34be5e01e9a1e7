"""The initial states that go along while a System is specialised are those that its start commands make."""

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.identities.naming import name_values
from quorbit.model.specialise.specialise import reword, specialise
from quorbit.pipeline.load import load

ROOT = Path(__file__).parents[4]
MODELS = [
    *sorted((ROOT / "examples").rglob("*.pml")),
    *sorted((ROOT / "examples" / "murphi").glob("*.m")),
    *sorted((ROOT / "examples" / "b").glob("*.mch")),
    *sorted((ROOT / "examples").glob("*.edges")),
    *sorted((ROOT / "tests" / "models" / "promela").glob("*.pml"))[::7],
]


@pytest.mark.parametrize("path", MODELS, ids=[path.name for path in MODELS])
def test_carried_states(path: Path) -> None:
    first = specialise(load(path, LoadOptions()).system)
    if first.states is None:
        return
    for wording in (first, reword(first.known, evenly=True)):
        for started in (wording.known.started, wording.started, name_values(wording.started)):
            assert list(started.states or ()) == Meaning(started.system).initial_states()
