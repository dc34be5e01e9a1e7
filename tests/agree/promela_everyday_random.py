"""Random Promela programs in everyday idioms: starts that name somebody, ids shared by several processes, proctypes
that differ in their names only, comparisons with N, loops over all processes that can be interrupted, block, or not."""

from __future__ import annotations

import random

N = 3


def everyday_program(seed: int) -> str:
    rng = random.Random(seed)
    return rng.choice((numbered, twins, shared_ids))(rng)


def numbered(rng: random.Random) -> str:
    """Processes 0..N-1 with arrays, a holder that may be nobody (N), loops inside and outside of atomic."""
    nobody = rng.choice((str(N), "255", "0"))
    lines = [
        f"byte holder = {nobody}; byte last; bool up[{N}]; byte seen[{N}]; byte total;",
        f"chan box = [{rng.choice((1, 2))}] of {{ byte }};",
    ]
    options = rng.sample(STEPS, rng.randrange(2, 5))
    body = "\n".join(f"  :: {rng.choice(options)}" for _ in range(rng.randrange(2, 5)))
    first = rng.choice(("", "", f"bool boss = (_pid == {rng.randrange(N)}); "))
    more = "\n  :: boss -> boss = false" if first else ""
    return "\n".join([*lines, f"active [{N}] proctype p() {{ byte j; {first}\n  do\n{body}{more}\n  od }}"])


STEPS = (
    f"holder == {N} -> holder = _pid",
    f"holder < {N} -> holder = {N}",
    f"holder != {N} && holder != _pid -> last = holder",
    f"holder >= {N} -> last = _pid",
    "last == _pid -> up[_pid] = !up[_pid]",
    "last != _pid && up[_pid] -> up[last] = true; up[_pid] = false",
    f"atomic {{ up[_pid] -> j = 0; do :: j < {N} -> up[j] = false; j++ :: else -> break od; j = 0 }}",
    f"d_step {{ !up[_pid] -> for (j : 0 .. {N - 1}) {{ if :: up[j] -> seen[j] = 1 :: else -> seen[j] = 0 fi }}"
    " j = 0 }",
    f"atomic {{ total = 0; for (j : 0 .. {N - 1}) {{ if :: up[j] -> total++ :: else fi }} j = 0 }}",
    f"total > 1 -> total = 0; for (j : 0 .. {N - 1}) {{ up[j] = false }} j = 0",
    f"atomic {{ nempty(box) -> for (j : 0 .. {N - 1}) {{ if :: j != _pid -> up[j] = true :: else fi }} j = 0; box?_ }}",
    "box!_pid",
    "box?last",
    f"atomic {{ for (j : 0 .. {N - 1}) {{ box!j }} j = 0 }}",
    "seen[_pid] == 1 -> seen[_pid] = 0; assert(total < 3)",
)


def twins(rng: random.Random) -> str:
    """Two or three proctypes, the same but for the names of what they use; sometimes not quite."""
    names = ["a", "b", "c"][: rng.choice((2, 2, 3))]
    steps = [rng.choice(TWIN_STEPS) for _ in range(rng.randrange(2, 4))]
    lines = ["byte n; byte turn = 1;", *(f"bool want_{name}; byte count_{name};" for name in names)]
    for k, name in enumerate(names):
        other = names[(k + 1) % len(names)]
        mine = [s.format(me=name, other=other, k=k + 1, next=(k + 1) % len(names) + 1) for s in steps]
        if rng.random() < 0.15:
            mine[0] = "n == 7"
        lines.append(f"active proctype {name}() {{ do :: {'; '.join(mine)} od }}")
    return "\n".join(lines)


TWIN_STEPS = (
    "want_{me} = true",
    "want_{me} = false",
    "!want_{other}",
    "turn == {k}",
    "turn = {next}",
    "count_{me} < 2; count_{me}++",
    "count_{me} = 0",
    "n < 2; n++",
    "n > 0; n--",
    "assert(!(want_{me} && want_{other} && turn == {k}))",
)


def shared_ids(rng: random.Random) -> str:
    """Several processes of one proctype have one id."""
    ids = rng.choice(((0, 1, 0, 1), (0, 1, 1), (0, 0, 1, 1), (1, 2, 1, 2)))
    steps = rng.sample(ID_STEPS, rng.randrange(2, 4))
    started = "; ".join(f"run w({i})" for i in ids)
    first = rng.choice(("", "", "; busy[1] = true", "; owner = 1"))
    return "\n".join(
        [
            "bool busy[3]; byte owner = 9; byte n;",
            f"proctype w(byte id) {{ do\n  {chr(10).join(':: ' + s for s in steps)}\n  od }}",
            f"init {{ atomic {{ {started}{first} }} }}",
        ]
    )


ID_STEPS = (
    "atomic { !busy[id] -> busy[id] = true }; busy[id] = false",
    "owner == 9 -> owner = id",
    "owner == id -> owner = 9; assert(n < 2)",
    "owner < 3 && n < 2 -> n++",
    "n > 0 && busy[id] -> n--",
)
