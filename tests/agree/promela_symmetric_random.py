"""Random small Promela programs of processes that are alike, or alike but for one statement."""

from __future__ import annotations

from random import Random


def symmetric_program(seed: int) -> str:
    """Processes with identities in variables, messages and indices; four of ten programs tell one of them apart."""
    rng = Random(seed)
    n = rng.choice((2, 2, 3))
    numbered = rng.random() < 0.3  # identities are parameters, not _pid
    boxes = rng.random() < 0.4
    me = "me" if numbered else "_pid"
    ids = range(1, n + 1)
    menu = statements(rng, n, me, boxes)
    options = rng.sample(menu, rng.randint(2, 4))
    spoil = rng.random() < 0.4
    if spoil:
        options.append(rng.choice(spoiled(rng, n, me)))
    if rng.random() < 0.3:
        options.append(f"flag[{me}] == 1 -> break")
    rng.shuffle(options)
    parameters = [*(["byte me"] if numbered else []), *(["chan mine"] if boxes else [])]
    calls = [f"user({', '.join([*([str(i)] if numbered else []), *([f'box{i}'] if boxes else [])])})" for i in ids]
    rng.shuffle(calls) if not boxes and numbered else None
    start = [f"run {call};" for call in calls]
    if spoil and rng.random() < 0.3:
        start.append(f"flag[{rng.choice(ids)}] = 1;")
    return "\n".join(
        [
            f"bit flag[{n + 1}];",
            "pid holder;",
            "byte shared;",
            "chan net = [1] of { pid };",
            *([f"chan box{i} = [1] of {{ pid }};" for i in ids] if boxes else []),
            f"proctype user({'; '.join(parameters)}) {{",
            "  pid who;",
            "  do",
            *(f"  :: {option}" for option in options),
            "  od",
            "}",
            "init { atomic { " + " ".join(start) + " } }",
            "",
        ]
    )


def statements(rng: Random, n: int, me: str, boxes: bool) -> list[str]:
    ids = range(1, n + 1)
    total = " + ".join(f"flag[{i}]" for i in ids)
    choice = "if " + " ".join(f":: who = {i}" for i in ids) + " fi"
    found = [
        f"atomic {{ flag[{me}] == 0 -> flag[{me}] = 1 }}",
        f"flag[{me}] = 1 - flag[{me}]",
        f"atomic {{ ({total}) < {rng.randint(1, n)} -> flag[{me}] = 1 }}",
        f"atomic {{ holder == 0 -> holder = {me} }}",
        f"atomic {{ holder == {me} -> holder = 0; flag[{me}] = 0 }}",
        f"net!{me}",
        "atomic { net?who; holder = who; who = 0 }",
        f"atomic {{ net?eval({me}) -> flag[{me}] = 0 }}",
        "atomic { shared < 2 -> shared++ }",
        "atomic { shared > 0 -> shared-- }",
        f"atomic {{ shared == 2 -> assert(({total}) < {rng.randint(1, n + 1)}); shared = 0 }}",
        f"atomic {{ holder == {me} -> {choice}; holder = who; who = 0 }}",
        f"who = holder; if :: who == {me} -> who = 0 :: else -> who = 0 fi",
    ]
    if boxes:
        found += [f"mine!{me}", "atomic { mine?who; holder = who; who = 0 }", "atomic { nfull(mine) -> mine!holder }"]
    return found


def spoiled(rng: Random, n: int, me: str) -> list[str]:
    """Statements that look at one process in particular."""
    k = rng.randint(1, n)
    return [
        f"atomic {{ {me} == {k} && shared == 0 -> shared = 1 }}",
        f"atomic {{ holder == {k} -> holder = 0 }}",
        f"atomic {{ flag[{k}] == 1 -> shared = 0 }}",
        f"atomic {{ {me} < {k} + 1 -> flag[{me}] = 0 }}",
        f"assert(holder != {k})",
    ]
