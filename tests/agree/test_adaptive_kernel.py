"""The kernel of the adaptive search against the search in Python: the same states, numbers, errors and traces."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.detection.commands.partition import infer_partitions
from quorbit.engines.adaptive.explore import explore, run
from quorbit.engines.adaptive.kernel import bags_from, words_of
from quorbit.engines.adaptive.kernel_search import KernelSearch
from quorbit.engines.adaptive.library import load
from quorbit.engines.adaptive.search import open_search
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.partitions import Partitions
from quorbit.model.system.system import Property, System, Temporal
from quorbit.pipeline.load import load as load_model
from quorbit.result.outcome import Outcome
from quorbit.source.span import Source

MODELS = Path(__file__).parent.parent / "models"
STATES = "ABC"
OPTIONS = (
    SearchOptions(),
    SearchOptions(search="dfs"),
    SearchOptions(trace=False, all_errors=True),
    SearchOptions(all_errors=True, max_depth=3),
    SearchOptions(max_states=7),
)


def random_diagram(rnd: random.Random) -> str:
    n = rnd.choice([3, 4, 4, 5, 6])
    lines = [f"processes {n}" if rnd.random() < 0.7 else f"processes a: 1..2, b: 3..{n}"]
    lines += [f"states {', '.join(STATES)}", "shared x: 0..2 = 0"]
    if rnd.random() < 0.3:
        lines.append("shared owner: process or none = none")
    if rnd.random() < 0.3:
        lines.append(f"init {rnd.randint(1, n)}: B")
    lines += [random_edge(rnd, n, "owner" in lines[-1] or "owner" in lines[-2]) for _ in range(rnd.randint(3, 7))]
    lines.append(f"error first: ({random_condition(rnd, n)}) and ({random_condition(rnd, n)})")
    lines.append(f"invariant second: ({random_condition(rnd, n)}) or ({random_condition(rnd, n)})")
    return "\n".join(lines)


def random_edge(rnd: random.Random, n: int, owned: bool) -> str:
    a, b = rnd.sample(STATES, 2)
    guards = [rnd.choice([random_own, random_condition])(rnd, n) for _ in range(rnd.choice([0, 1, 1, 2]))]
    effects = [rnd.choice(["x := (x + 1) % 3", "x := 0", *(["owner := i", "owner := none"] if owned else [])])]
    written = f" do {effects[0]}" if rnd.random() < 0.4 else ""
    return f"{a} -> {b}" + (f" when {' and '.join(f'({g})' for g in guards)}" if guards else "") + written


def random_own(rnd: random.Random, n: int) -> str:
    k, a = rnd.randint(1, n), rnd.choice(STATES)
    return rnd.choice(
        [
            f"i = {k}",
            f"i != {k}",
            f"i <= {k}",
            f"forall j != i: s[j] != {a}",
            f"exists j != i: s[j] = {a}",
            f"(count j: j != i and s[j] = {a}) <= 1",
            f"forall j < i: s[j] != {a}",
            f"forall j <= {k}: j = i or s[j] != {a}",
        ]
    )


def random_condition(rnd: random.Random, n: int) -> str:
    k, a, b = rnd.randint(1, n), rnd.choice(STATES), rnd.choice(STATES)
    return rnd.choice(
        [
            f"s[{k}] = {a}",
            f"s[{k}] != {a}",
            f"s[1] = {a} or s[2] = {b}",
            f"#{a} <= 1",
            f"#{a} < #{b} + x",
            f"#{a} + #{b} != {k}",
            f"forall j <= {k}: s[j] != {a}",
            f"(count j: j > {k} and s[j] = {a}) < x",
            f"exists j, l: j != l and s[j] = {a} and s[l] = {b}",
            "x = 0",
            "x != 2",
            f"x < 2 or #{a} = 0",
        ]
    )


def system_of(seed: int) -> System:
    return load_source(Source("random.edges", random_diagram(random.Random(seed))), LoadOptions())


def what_matters(outcome: Outcome) -> Outcome:
    return replace(
        outcome, statistics=replace(outcome.statistics, memory_bytes=0, explore_seconds=0.0, compile_seconds=0.0)
    )


def safety_of(system: System) -> tuple[Property, ...]:
    return tuple(p for p in system.properties if not isinstance(p, Temporal))


def check_same(system: System, partitions: Partitions, options: SearchOptions) -> None:
    asked = safety_of(system)
    expected = what_matters(explore(system, asked, partitions, options, kernel=False))
    found = what_matters(explore(system, asked, partitions, options))
    if options.max_states is None:
        assert found == expected
    else:
        assert (found.verdict, found.message) == (expected.verdict, expected.message)


def check_same_states(system: System, partitions: Partitions) -> None:
    library = load()
    assert library is not None
    bare = replace(partitions, errors=())
    by_python, by_kernel = (open_search(system, (), bare, SearchOptions()) for _ in range(2))
    if by_python.transient is not None:
        return
    run(by_python, None)
    kernel_search = KernelSearch(library, by_kernel)
    kernel_search.run(None)
    found = {(n.shared, n.partition, n.bags, n.depth) for n in kernel_search.nodes()}
    kernel_search.kernel.close()
    assert found == {(n.shared, n.partition, n.bags, n.depth) for n in by_python.store.nodes()}


def check_seed(seed: int) -> None:
    system = system_of(seed)
    partitions = infer_partitions(system, safety_of(system))
    if partitions.rotations is None:
        check_same_states(system, partitions)
    check_same(system, partitions, OPTIONS[seed % len(OPTIONS)])


def test_kernel_was_built() -> None:
    assert load() is not None


@pytest.mark.parametrize("seed", range(40))
def test_random_diagrams(seed: int) -> None:
    check_seed(seed)


@pytest.mark.soak
def test_random_diagrams_in_full() -> None:
    for seed in range(300_000, 302_000):
        check_seed(seed)


@pytest.mark.parametrize("name", ["edges/resource_by_index.edges", "edges/reference.edges", "promela/semaphore.pml"])
def test_models(name: str) -> None:
    system = specialise(load_model(MODELS / name, LoadOptions()).system).system
    partitions = infer_partitions(system, safety_of(system))
    check_same_states(system, partitions)
    for options in OPTIONS:
        check_same(system, partitions, options)


def test_words_are_bags() -> None:
    bags = (((0, 3), (7, 1)), ((2, 4095),), ((1, 1), (524_287, 2)))
    assert bags_from(words_of(bags)) == bags


def test_counting_conditions_need_no_python() -> None:
    """Once all numbers were met, no state is looked at in Python: few questions for many states."""
    text = "processes 12\nstates A, B, C, D\nA -> B when #B < 4\nB -> C when forall j != i: s[j] != C\nC -> D\nD -> A"
    system = load_source(Source("m.edges", text), LoadOptions())
    search = open_search(system, (), infer_partitions(system, ()), SearchOptions())
    library = load()
    assert library is not None
    kernel_search = KernelSearch(library, search)
    asked = []
    answer = kernel_search.kernel.truth
    kernel_search.kernel.truth = lambda *about: asked.append(about) or answer(*about)  # type: ignore[method-assign]
    kernel_search.run(None)
    kernel_search.kernel.close()
    assert search.store.reached > 100 > len(asked)
