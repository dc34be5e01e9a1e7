"""Random Promela programs in everyday idioms: starts that name somebody, ids shared by several processes, proctypes
that differ in their names only, comparisons with N, loops over all processes that can be interrupted, block, or not,
turns that go round, sets kept as bits, loop variables that serve as ids elsewhere, processes that are waited for,
news for all with and without room for them."""

from __future__ import annotations

import random

N = 3


def everyday_program(seed: int) -> str:
    rng = random.Random(seed)
    old = (numbered, twins, shared_ids, gathering, started, lent, begun, written_out)
    return rng.choice((*old, turning, masked, reusing, paired, lamps, joined, announcing, hired, voting))(rng)


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


def gathering(rng: random.Random) -> str:
    """Loops over all processes that nobody can interrupt and that look for the greatest, count, or ask whether all do;
    numbers chosen at random, by `select` or by a loop; numbers read for the last time in a send or an assignment."""
    steps = "\n".join(f":: {step}" for step in rng.sample(GATHERING_STEPS, rng.randrange(2, 4)))
    start = rng.choice(("", "", "t[1] = 1; ", f"last = {N}; "))
    atomically = rng.choice(("atomic { ", ""))
    runs = rng.choice((f"for (i : 0 .. {N - 1}) {{ run p(i) }}", "; ".join(f"run p({i})" for i in range(N))))
    return "\n".join(
        [
            f"byte t[{N}]; bool up[{N}]; byte last; chan box[{N}] = [1] of {{ byte }};",
            f"proctype p(byte me) {{ byte j, m, to; bool all;\n  do\n  {steps}\n  od }}",
            f"init {{ byte i; {start}{atomically}{runs}{' }' if atomically else ''} }}",
        ]
    )


GATHERING_STEPS = (
    "t[me] < 2 -> t[me]++",
    "t[me] > 0 -> t[me] = 0; up[me] = false",
    f"d_step {{ m = 0; for (j : 0 .. {N - 1}) {{ if :: t[j] > m -> m = t[j] :: else fi }} }}"
    " if :: t[me] == m -> up[me] = true :: else fi",
    f"d_step {{ m = 9; j = 0; do :: j < {N} -> if :: t[j] > 0 && t[j] < m -> m = t[j] :: else -> skip fi; j++"
    " :: else -> break od } if :: m == 1 -> last = me :: else fi",
    f"atomic {{ all = true; for (j : 0 .. {N - 1}) {{ if :: !up[j] -> all = false :: else fi }}"
    " if :: all -> t[me] = 0 :: else fi }",
    f"d_step {{ j = 0; do :: j == {N} -> break :: j < {N} && t[j] == 0 -> up[j] = true; j++"
    f" :: j < {N} && t[j] == 1 -> up[j] = false; j++ :: j < {N} && t[j] == 2 -> j++ od }}",
    f"d_step {{ j = 0; do :: j == {N} -> break :: j < {N} && t[j] == 0 -> j++ :: j < {N} && t[j] == 1 -> j++ od }}",
    f"d_step {{ all = true; for (j : 0 .. {N - 1}) {{ all = all && up[j] }} }} if :: all -> t[me] = 0 :: else fi",
    f"d_step {{ all = false; for (j : 0 .. {N - 1}) {{ all = up[j] || all }} }} if :: !all -> up[me] = 1 :: else fi",
    f"d_step {{ m = 0; for (j : 0 .. {N - 1}) {{ m = (t[j] > m -> t[j] : m) }} }} if :: m == 1 -> last = me :: else fi",
    f"d_step {{ m = 0; for (j : 0 .. {N - 1}) {{ m = (up[j] -> t[j] : m) }} }} if :: m == 1 -> last = me :: else fi",
    f"select (to : 0 .. {N} - 1); if :: to != me -> up[to] = true :: else fi",
    f"to = 0; do :: to < {N - 1} -> to++ :: break od; box[to]!me",
    f"to = {N - 1}; do :: break :: to > 0 -> to-- od; last = to",
    "box[me]?to -> last = to",
    "box[me]?to -> up[to] = !up[to]",
    "up[me] -> assert(t[me] < 2); up[me] = false",
    "up[me] && last != me -> to = last; last = me; t[to] = 1",
)


def started(rng: random.Random) -> str:
    """Processes that are started one by one, while others run already, and that may come to an end."""
    ending = rng.random() < 0.5
    steps = "; ".join(rng.sample(STARTED_STEPS, rng.randrange(1, 4)))
    body = steps if ending else f"do :: {steps} od"
    before = rng.choice(("", "n = 1; ", "c!1; "))
    between = rng.choice(("; ", "; ", "; n++; ", "; byte k = 1; "))
    other = rng.choice(("", "active proctype q() { do :: n > 0 -> n-- :: c?_ -> n = 2 od }"))
    late = rng.choice(("", "", "; n = 0", "; c!2"))
    kind = rng.choice(("[0]", "[1]"))
    argument = rng.choice(("0", "1", "n"))
    return "\n".join(
        [
            f"byte n; chan c = {kind} of {{ byte }}; bool up[3];",
            f"proctype p(byte id) {{ byte x; {body} }}",
            other,
            f"init {{ {before}run p(0){between}run p(1); run p({argument}){late} }}",
        ]
    )


STARTED_STEPS = (
    "up[id] = true",
    "!up[0] || id == 0; up[id] = false",
    "if :: c!id :: c?x :: n < 3 -> n++ fi",
    "if :: c!id :: else -> n = 3 fi",
    "n < 2; n++",
    "c?x; up[x % 3] = true",
    "assert(n < 4)",
    "timeout; n = 0",
)


def lent(rng: random.Random) -> str:
    """Channels of a process that it lends to those it starts, and that may outlive it."""
    ends = rng.choice(("", "", "; private?t", "; private!3; n++"))
    steps = rng.sample(LENT_STEPS, rng.randrange(1, 3))
    shown = rng.choice(("", "", "", "; shared!private"))
    runs = rng.choice(("run boss(1)", "atomic { run boss(1); run boss(2) }", "run boss(1); run boss(1)"))
    return "\n".join(
        [
            "chan shared = [1] of { chan }; byte n;",
            f"proctype w(chan b) {{ byte t; chan d; {'; '.join(steps)} }}",
            "proctype boss(byte k) { byte t; chan private = [2] of { byte };"
            f" run w(private); run w(private){ends}{shown} }}",
            f"init {{ {runs} }}",
        ]
    )


def hired(rng: random.Random) -> str:
    """Channels that `init` lends to those it starts, and that they show to each other."""
    steps = "; ".join(rng.sample(HIRED_STEPS, rng.randrange(1, 4)))
    client = f"do :: n < 3 -> {steps} :: n > 1 -> break od" if rng.random() < 0.5 else steps
    server = rng.choice(
        ("do :: desk?d -> d!1; n++ od", "desk?d; if :: d!1 :: timeout fi", "do :: desk?d -> n++ :: timeout -> break od")
    )
    mine = rng.choice(("c", "c", "b"))
    active = rng.choice(("", "", "", "active proctype idle() { n == 9 }"))
    return "\n".join(
        [
            f"chan desk = [{rng.choice((0, 1))}] of {{ chan }}; byte n;",
            f"proctype w(chan b) {{ byte t; {client} }}",
            f"proctype s() {{ chan d; {server} }}",
            active,
            "init { chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte };"
            f" atomic {{ run w(a); run w(b); run w({mine}); run s() }} }}",
        ]
    )


HIRED_STEPS = ("desk!b; b?t", "desk!b", "if :: b?t :: empty(b) fi", "if :: n < 3 -> n++ :: else fi", "b!2; b?t")
LENT_STEPS = (
    "b!1; b?t",
    "b?t; n = t",
    "if :: b!2 :: nempty(b) -> b?t fi",
    "if :: shared?d -> d!1 :: skip fi",
    "len(b) < 2; n < 2; n++",
)


def begun(rng: random.Random) -> str:
    """Processes that `init` starts with values of their own, which change later; sometimes others run before it."""
    chosen = rng.sample(BEGUN_STEPS, rng.randrange(2, 4))
    steps = "\n".join(f"  :: {step}" for step in chosen)
    body = f"do\n{steps}\n  od" if rng.random() < 0.6 else "; ".join(f"if :: {step} :: else fi" for step in chosen)
    first = rng.sample(range(N), N) if rng.random() < 0.7 else [rng.randrange(2) for _ in range(N)]
    before = rng.choice(("", "", "n = 1; ", "place[1] = true; "))
    runs = "; ".join(f"run frog({k})" for k in first)
    again = rng.choice(("", "", "; n++"))
    other = rng.choice(("", "", "active proctype q() { do :: n > 0 -> n-- od }"))
    return "\n".join(
        [
            f"bool place[{N + 1}]; byte n;",
            f"proctype frog(byte at) {{\n  {body} }}",
            other,
            f"init {{ {before}atomic {{ {runs}; place[{first[0]}] = true }}{again} }}",
        ]
    )


BEGUN_STEPS = (
    f"at < {N} && !place[at + 1] -> atomic {{ place[at] = false; at++; place[at] = true }}",
    "at > 0 && !place[at - 1] -> atomic { place[at] = false; at--; place[at] = true }",
    "at == 0 && n < 2 -> n++",
    f"at == {N} -> at = 0",
    "n > 0 && place[at] -> n--; assert(n < 2)",
    "n < 4 -> at = (at + 1) % 3",
)


def written_out(rng: random.Random) -> str:
    """Steps that nobody can interrupt and that write for one process after the other, in any order, or not quite."""
    steps = [rng.choice(OUT_STEPS) for _ in range(rng.randrange(2, 4))]
    lines = [f"byte t[{N}]; byte id; byte n;"]
    for k in range(N):
        mine = "\n".join(f"  :: {s.format(k=k, me=k + 1)}" for s in steps)
        lines.append(f"active proctype p_{k}() {{\n  do\n{mine}\n  od }}")
    order = rng.sample(range(N), N)
    step = rng.choice(CLOCK_STEPS)
    ticks = [step.format(k=k) for k in order]
    if rng.random() < 0.2:
        ticks[0] = "t[0] = 2"
    kind = rng.choice(("d_step", "atomic"))
    lines.append(f"active proctype clock() {{ do :: {kind} {{ n < 2 -> {'; '.join(ticks)}; id = 0 }} od }}")
    return "\n".join(lines)


OUT_STEPS = (
    "t[{k}] == 0 -> id = {k} + 1",
    "d_step {{ id == {me} -> t[{k}] = 1; id = 0 }}",
    "t[{k}] == 1 && id == 0 -> t[{k}] = 2",
    "t[{k}] == 2 -> n = 1 - n; assert(id != {me} || n < 2)",
    "id != {me} && t[{k}] < 2 -> t[{k}]++",
)
CLOCK_STEPS = (
    "t[{k}] = 0",
    "t[{k}] = (t[{k}] == 2 -> 0 : t[{k}])",
    "if :: t[{k}] > 0 -> t[{k}]-- :: else fi",
    "t[{k}] = 2 - t[{k}]",
    "n = n + t[{k}]",
    "t[{k}] == 0",
)


def turning(rng: random.Random) -> str:
    """A turn that goes round, in whichever words, and that others may set or jump over; bits that are turned over."""
    step = rng.choice(TURNS)
    steps = [f"turn == _pid -> {step}", *rng.sample(TURN_STEPS, rng.randrange(1, 4))]
    body = "\n".join(f"  :: {s}" for s in steps).replace("STEP", step)
    first = rng.choice(("", f" = {rng.randrange(N)}", f" = {N}"))
    return f"byte turn{first}; bool up[{N}]; byte n;\nactive [{N}] proctype p() {{ byte k;\n  do\n{body}\n  od }}"


TURNS = (
    f"turn = (turn + 1) % {N}",
    f"turn = (turn + {N - 1}) % {N}",
    f"turn = (turn == {N - 1} -> 0 : turn + 1)",
    f"turn = (turn < {N - 1} -> turn + 1 : 0)",
    f"turn = {N - 1} - turn",
    f"atomic {{ if :: turn == {N - 1} -> turn = 0 :: else -> turn++ fi }}",
    f"d_step {{ turn++; if :: turn == {N} -> turn = 0 :: else fi }}",
    f"atomic {{ if :: turn < {N - 1} -> turn++ :: else -> turn = 0 fi }}",
    f"atomic {{ if :: turn > 0 -> turn-- :: else -> turn = {N - 1} fi }}",
    f"atomic {{ turn++; if :: turn >= {N} -> turn = 0 :: else -> skip fi }}",
    "d_step { turn++; if :: turn > 1 -> turn = 1 :: else fi }",
    f"if :: turn == {N - 1} -> turn = 0 :: else -> turn++ fi",
    f"turn = (turn + 1) % {N + 1}",
)
TURN_STEPS = (
    "turn == _pid && !up[_pid] -> up[_pid] = true",
    "up[_pid] -> up[_pid] = false; STEP",
    f"turn == {N} -> turn = _pid",
    "up[turn] && turn != _pid -> n = 1 - n",
    f"n == 0 -> k = (turn + 1) % {N}; up[k] = false",
    "n = (n + 1) % 3",
    f"d_step {{ k = (turn + 1) % {N}; do :: up[k] || k == turn -> break :: else -> k = (k + 1) % {N} od; turn = k }}",
    "turn == _pid -> assert(n < 2)",
    "turn = 1",
)


def masked(rng: random.Random) -> str:
    """Sets of processes as the bits of a number."""
    steps = rng.sample(MASK_STEPS, rng.randrange(2, 5))
    body = "\n".join(f"  :: {s}" for s in steps)
    first = rng.choice(("", "", " = 1", f" = {2**N - 1}"))
    kind = rng.choice(("byte", "int", "short"))
    return "\n".join(
        [
            f"{kind} mask{first}; byte last; byte n; chan box = [1] of {{ byte }};",
            f"active [{N}] proctype p() {{ byte x;\n  do\n{body}\n  od }}",
        ]
    )


MASK_STEPS = (
    "!(mask & (1 << _pid)) -> mask = mask | (1 << _pid)",
    "(mask & (1 << _pid)) != 0 -> mask = mask & ~(1 << _pid)",
    "mask = mask ^ (1 << _pid)",
    f"mask == {2**N - 1} -> mask = 0; n = 1 - n",
    "mask == 0 && n == 1 -> n = 0",
    "(mask >> _pid) & 1 -> last = _pid",
    "(mask & (1 << last)) == (1 << last) && n == 0 -> n = 1; assert(last != _pid || mask != 0)",
    "box!_pid",
    "box?x -> mask = mask | (1 << x); x = 0",
    f"mask = mask & {2**N - 2}",
    "mask == (1 << _pid) -> last = _pid",
    f"mask = {2**N - 1}",
    "mask < 3 -> mask = 3",
)


def reusing(rng: random.Random) -> str:
    """One local variable as the counter of a loop and as the number of a process; loops behind which one waits."""
    steps = "\n".join(f":: {step}" for step in rng.sample(REUSING_STEPS, rng.randrange(2, 5)))
    runs = rng.choice((f"for (k : 0 .. {N - 1}) {{ run p(k) }}", "; ".join(f"run p({i})" for i in range(N))))
    return "\n".join(
        [
            f"byte t[{N}]; bool up[{N}]; byte last; chan box[{N}] = [1] of {{ byte }};",
            f"proctype p(byte me) {{ byte i, m;\n  do\n  {steps}\n  od }}",
            f"init {{ byte k; atomic {{ {runs} }} }}",
        ]
    )


REUSING_STEPS = (
    f"atomic {{ m = 0; for (i : 0 .. {N - 1}) {{ if :: up[i] -> m++ :: else fi }} }} if :: m < 2 -> up[me] = true"
    " :: else -> up[me] = false fi",
    f"select (i : 0 .. {N - 1}); if :: i != me -> up[i] = !up[i] :: else fi",
    "i = last; up[i] = false",
    "box[me]?i -> last = i",
    f"select (i : 0 .. {N - 1}); box[i]!me",
    f"d_step {{ for (i : 0 .. {N - 1}) {{ t[i] = (up[i] -> 1 : 0) }} }}",
    f"atomic {{ m = 0; for (i : 0 .. {N - 1}) {{ if :: t[i] > m -> m = t[i] :: else fi }} m < 2 -> t[me] = m + 1 }}",
    f"atomic {{ for (i : 0 .. {N - 1}) {{ up[i] = false }} last != me; last = me }}",
    "t[me] > 0 -> t[me] = 0; assert(last < 3)",
    "i = me; up[i] = true; i = last; t[i] = 0",
    f"i = 0; do :: i < {N} -> up[i] = false; i++ :: else -> break od",
)


def paired(rng: random.Random) -> str:
    """Processes of two kinds that share the slots of an array, each kind with its own arithmetic on `_pid`."""
    left = "; ".join(rng.sample(PAIR_STEPS, rng.randrange(1, 3)))
    right = "; ".join(rng.sample(PAIR_STEPS, rng.randrange(1, 3)))
    shift = rng.choice((2, 2, 2, 1))
    return "\n".join(
        [
            "bool flag[4]; byte n; chan box[4] = [1] of { byte };",
            f"active [2] proctype a() {{ byte x; do :: {left.format(me='_pid')} od }}",
            f"active [2] proctype b() {{ byte x; do :: {right.format(me=f'_pid - {shift}')} od }}",
        ]
    )


PAIR_STEPS = (
    "flag[{me}] = true",
    "flag[{me}] -> flag[{me}] = false",
    "box[{me}]!{me}",
    "box[{me}]?x -> assert(x == {me})",
    "n = 1 - n",
    "n == 0; n = 1",
)


def lamps(rng: random.Random) -> str:
    """One process that uses variables that differ in their names only, or not quite."""
    steps = rng.sample(LAMP_STEPS, rng.randrange(2, 5))
    body = [f"  :: {s.format(me=me, other=other)}" for s in steps for me, other in (("1", "2"), ("2", "1"))]
    if rng.random() < 0.2:
        body.pop()
    first = rng.choice(("", " = 1"))
    return "\n".join(
        [
            f"bool lamp_1, lamp_2{first}; byte n_1, n_2; bool main;",
            "active proctype switch() { do\n" + "\n".join(body) + "\n  od }",
            "active proctype watch() { do :: main && lamp_1 && lamp_2 -> main = false; assert(n_1 + n_2 < 4) od }",
        ]
    )


LAMP_STEPS = (
    "lamp_{me} = true",
    "lamp_{me} = false; n_{me} = 0",
    "lamp_{me} && n_{me} < 2 -> n_{me}++",
    "!lamp_{me} && lamp_{other} -> main = true",
    "main = lamp_{me}",
    "n_{me} > n_{other} -> n_{me} = n_{other}",
)


def joined(rng: random.Random) -> str:
    """Processes that are started with numbers, use them for a while and end; somebody asks how many are left."""
    steps = "; ".join(rng.sample(JOINED_STEPS, rng.randrange(2, 4)))
    ends = rng.choice(("", "", "; if :: n == 1 -> false :: else fi", "; end: up[id]"))
    asks = [ask.replace("K", rng.choice("1112")) for ask in rng.sample(ASKS, rng.randrange(1, 3))]
    runs = "; ".join(f"run p({k})" for k in range(N))
    return "\n".join(
        [
            f"bool up[{N}]; byte n; chan q[{N}] = [1] of {{ byte }};",
            f"proctype p(byte id) {{ byte m; {steps}{ends} }}",
            f"init {{ atomic {{ {runs} }} {'; '.join(asks)} }}",
        ]
    )


JOINED_STEPS = (
    "up[id] = true",
    "m = n; n = (m + 1) % 3",
    f"q[(id + 1) % {N}]!id",
    f"q[(id + 1) % {N}]!1",
    "if :: q[id]?m :: empty(q[id]) fi",
    "if :: m = 0 :: m = 1 fi; n = m",
    "n = 1 - n",
)
ASKS = (
    "_nr_pr == K",
    "if :: _nr_pr > K -> n = 0 :: _nr_pr <= K fi",
    "if :: _nr_pr == K -> n = 2 :: timeout fi",
    "n == 2; assert(_nr_pr != K)",
    "assert(_nr_pr >= 2)",
    "up[0]; up[1]",
)


def announcing(rng: random.Random) -> str:
    """One process tells all others something, once or again and again; there may be room for all of it, or not."""
    kinds = [rng.choice((SEND_LOOP, SEND_LOOP, SENDS)) for _ in range(rng.randrange(1, 3))]
    told = [f"{rng.choice(BEFORE_SENDING)}atomic {{ {kind.replace('M', str(k))} }}" for k, kind in enumerate(kinds)]
    again = rng.random() < 0.2
    boss = f"do :: {'; '.join(told)} od" if again else "; ".join(told)
    steps = "; ".join(rng.choice(TOLD_STEPS) for _ in range(rng.randrange(1, 4)))
    worker = f"do :: {steps} od" if rng.random() < 0.3 else steps
    runs = rng.choice((f"for (k : 0 .. {N - 1}) {{ run w(k) }}", "; ".join(f"run w({i})" for i in range(N))))
    second = rng.choice(("", "", "", "; run boss()"))
    first = rng.choice(("", "", "box[1]!3; ", f"for (k : 0 .. {N - 1}) {{ box[k]!3 }} "))
    return "\n".join(
        [
            f"byte n; bool up[{N}]; chan box[{N}] = [{rng.choice((1, 2, 2, 3))}] of {{ byte }};",
            f"chan back = [{rng.choice((1, N))}] of {{ byte }};",
            f"proctype boss() {{ byte i, got; {boss} }}",
            f"proctype w(byte me) {{ byte m; {worker} }}",
            f"init {{ byte k; atomic {{ {first}run boss(){second}; {runs} }} }}",
        ]
    )


SEND_LOOP = f"i = 0; do :: i < {N} -> box[i]!M; i++ :: else -> break od; i = 0"
SENDS = "; ".join(f"box[{k}]!M" for k in range(N))
BEFORE_SENDING = (
    "",
    "n < 2; ",
    f"do :: got < {N} -> back?_; got++ :: else -> break od; got = 0; ",
    "if :: back?_ :: n = 1 fi; ",
)
TOLD_STEPS = (
    "box[me]?m",
    "box[me]?m; m = 0",
    "back!1",
    "box[me]!2",
    "if :: box[me]?0 :: box[me]?1 -> up[me] = true fi",
    "n < 2; n++",
    "if :: nfull(box[me]) -> box[me]!1 :: else fi",
    "assert(n < 2 || !up[me])",
)


def voting(rng: random.Random) -> str:
    """Processes that hold the names of others in an array; loops ask who is named, how often, and take names back."""
    nobody = rng.choice((str(N), str(N), "255", "0"))
    steps = "\n".join(
        f"  :: {step.replace('NOBODY', nobody)}" for step in rng.sample(VOTING_STEPS, rng.randrange(3, 6))
    )
    first = rng.choice((f" = {nobody}", f" = {nobody}", ""))
    return "\n".join(
        [
            f"byte named[{N}]{first}; byte cur = {nobody}; byte n;",
            f"active [{N}] proctype p() {{ byte k, v; bool all;\n  do\n{steps}\n  od }}",
        ]
    )


VOTING_STEPS = (
    "named[_pid] == NOBODY -> named[_pid] = _pid",
    "cur == NOBODY -> cur = _pid",
    "cur != NOBODY && named[_pid] == NOBODY -> named[_pid] = cur",
    f"d_step {{ v = 0; for (k : 0 .. {N - 1}) {{ v = v + (named[k] == _pid) }} k = 0 }}"
    " if :: v > 1 -> n = 1 :: else fi; v = 0",
    f"d_step {{ v = 0; for (k : 0 .. {N - 1}) {{ if :: named[k] == cur -> v++ :: else fi }} k = 0 }} n = v; v = 0",
    f"atomic {{ cur == _pid -> for (k : 0 .. {N - 1}) {{ assert(named[k] != cur || n < 3); named[k] = NOBODY }}"
    " k = 0 }",
    f"atomic {{ cur == _pid -> cur = NOBODY; for (k : 0 .. {N - 1}) {{ if :: named[k] == _pid -> named[k] = NOBODY"
    " :: else fi } k = 0 }",
    f"d_step {{ all = true; for (k : 0 .. {N - 1}) {{ all = all && named[k] == named[_pid] }} k = 0 }}"
    " if :: all -> cur = named[_pid] :: else fi; all = false",
    f"d_step {{ n == 1 -> for (k : 0 .. {N - 1}) {{ if :: named[k] == k -> n = 0 :: else fi }} k = 0 }}",
    f"named[_pid] < {N} && n < 2 -> n++",
)
