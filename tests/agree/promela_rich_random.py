"""Random small Promela programs that number their processes in many ways, alike or almost.

Each program chooses how processes are created (``active``, a list of runs, a loop, by another process), how they know
themselves (``_pid``, a parameter counted from 0 or from 1 or in another order), of which type their numbers are,
whether they end, what they share, and whether a property or a statement tells one of them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Setting:
    """n processes; ``me``: how each calls itself, by numbers from ``first``; ``id``: the type of these numbers."""

    n: int
    first: int
    me: str
    id: str
    creation: str
    spare: bool

    @property
    def ids(self) -> range:
        return range(self.first, self.first + self.n)

    @property
    def slots(self) -> int:
        """Of an array indexed by numbers; one more than needed if ``spare``."""
        return self.first + self.n + self.spare


@dataclass(frozen=True)
class Feature:
    """Something processes share: what is declared, and the options it adds to their loop."""

    declared: tuple[str, ...]
    options: tuple[str, ...]
    local: tuple[str, ...] = ()


@dataclass(frozen=True)
class RichProgram:
    """The text, and the names of its formulas."""

    text: str
    formulas: tuple[str, ...]


def rich_program(seed: int) -> RichProgram:
    rng = Random(seed)
    at = choose_setting(rng)
    features = [make(rng, at) for make in rng.sample(FEATURES, rng.choice((1, 1, 2)))]
    options = [option for f in features for option in rng.sample(f.options, min(len(f.options), rng.randint(1, 3)))]
    if rng.random() < 0.35:
        options.append(spoiling(rng, at))
    if rng.random() < 0.4:
        options.append(rng.choice((f"flag[{at.me}] == 1 -> break", "break", f"flag[{at.me}] == 0 -> break")))
    rng.shuffle(options)
    formulas = choose_formulas(rng, at)
    local = [f"  {line}" for f in features for line in f.local]
    parameters = "" if at.me == "_pid" else f"{at.id} me"
    head = f"active [{at.n}] proctype user()" if at.creation == "active" else f"proctype user({parameters})"
    lines = [
        "mtype = { red, green };",
        f"bit flag[{at.slots}];",
        *(line for f in features for line in f.declared),
        f"{head} {{",
        *local,
        "  do",
        f"  :: atomic {{ flag[{at.me}] == 0 -> flag[{at.me}] = 1 }}",
        *(f"  :: {option}" for option in options),
        "  od;",
        f"done: {rng.choice(('skip', f'flag[{at.me}] = 0', 'false'))}",
        "}",
        *creation(rng, at),
        *(f"ltl {name} {{ {formula} }}" for name, formula in formulas),
    ]
    return RichProgram("\n".join(lines) + "\n", tuple(name for name, _ in formulas))


def choose_setting(rng: Random) -> Setting:
    n = rng.choice((2, 2, 3))
    creation = rng.choice(("active", "runs", "runs", "shuffled", "loop", "parent"))
    by_pid = creation == "active" or (creation == "runs" and rng.random() < 0.5)
    first = (0 if creation == "active" else 1) if by_pid else rng.choice((0, 1))
    id_type = rng.choice(("byte", "pid", "byte", "int", "short"))
    return Setting(n, first, "_pid" if by_pid else "me", id_type, creation, rng.random() < 0.3)


def creation(rng: Random, at: Setting) -> list[str]:
    calls = [f"run user({'' if at.me == '_pid' else i})" for i in at.ids]
    match at.creation:
        case "active":
            return []
        case "loop":
            end = at.first + at.n
            loop = f"do :: i < {end} -> run user(i); i++ :: else -> break od"
            return [f"init {{ byte i = {at.first}; atomic {{ {loop} }} }}"]
        case "parent":
            return ["proctype parent() {", f"  atomic {{ {'; '.join(calls)} }}", "}", "init { run parent() }"]
        case "shuffled":
            rng.shuffle(calls)
    return [f"init {{ atomic {{ {'; '.join(calls)} }} }}"]


# What processes share.


def lock(rng: Random, at: Setting) -> Feature:
    nobody = 255 if at.id == "byte" else at.first + at.n
    free = 0 if at.first else nobody
    return Feature(
        (f"{at.id} holder = {free};",),
        (
            f"atomic {{ holder == {free} -> holder = {at.me} }}",
            f"atomic {{ holder == {at.me} -> holder = {free}; flag[{at.me}] = 0 }}",
            f"atomic {{ holder != {at.me} && flag[{at.me}] == 1 -> flag[{at.me}] = 0 }}",
            f"atomic {{ holder == {at.me} -> {choice(at, 'holder')} }}",
            f"atomic {{ holder == {at.me} -> assert(flag[{at.me}] == {rng.choice((0, 1))}) }}",
        ),
    )


def network(rng: Random, at: Setting) -> Feature:
    capacity = rng.choice((0, 1, 1, 2))
    return Feature(
        (f"chan net = [{capacity}] of {{ {at.id}, bit }};",),
        (
            f"net!{at.me},1",
            f"net!{at.me},flag[{at.me}]",
            f"atomic {{ net?who,seen -> if :: who == {at.me} -> flag[{at.me}] = seen :: else -> skip fi; "
            "who = 0; seen = 0 }",
            f"atomic {{ net?eval({at.me}),seen -> flag[{at.me}] = 0; seen = 0 }}",
            "atomic { net?who,seen -> flag[who] = 0; who = 0; seen = 0 }",
        ),
        (f"{at.id} who; bit seen;",),
    )


def boxes(rng: Random, at: Setting) -> Feature:
    """An array of channels, indexed by the numbers of processes."""
    return Feature(
        (f"chan box[{at.slots}] = [1] of {{ {at.id} }};",),
        (
            f"atomic {{ nfull(box[{at.me}]) -> box[{at.me}]!{at.me} }}",
            f"atomic {{ box[{at.me}]?friend -> flag[friend] = 0; friend = 0 }}",
            f"atomic {{ {choice(at, 'friend')}; if :: nfull(box[friend]) -> box[friend]!{at.me} :: else fi; "
            "friend = 0 }",
            f"atomic {{ len(box[{at.me}]) == 1 && flag[{at.me}] == 1 -> flag[{at.me}] = 0 }}",
        ),
        (f"{at.id} friend;",),
    )


def passing(rng: Random, at: Setting) -> Feature:
    """Channels that are sent through a channel."""
    return Feature(
        (f"chan own[{at.slots}] = [1] of {{ mtype }};", f"chan desk = [{rng.choice((1, 2))}] of {{ chan }};"),
        (
            f"atomic {{ nfull(desk) && empty(own[{at.me}]) -> desk!own[{at.me}] }}",
            "atomic { desk?reply -> if :: nfull(reply) -> reply!red :: else fi; reply = desk }",
            f"atomic {{ own[{at.me}]?red -> flag[{at.me}] = 0 }}",
            f"own[{at.me}]?red",
        ),
        ("chan reply = desk;",),
    )


def colours(rng: Random, at: Setting) -> Feature:
    """Names of messages that nobody tells apart, or hardly."""
    return Feature(
        ("mtype light = red;", f"mtype coat[{at.slots}];") if rng.random() < 0.5 else
        ("mtype light;", f"mtype coat[{at.slots}];"),
        (
            "if :: light = red :: light = green fi",
            f"atomic {{ coat[{at.me}] == 0 -> if :: coat[{at.me}] = red :: coat[{at.me}] = green fi }}",
            f"atomic {{ coat[{at.me}] == light && light != 0 -> flag[{at.me}] = 0 }}",
            f"atomic {{ light = coat[{at.me}] }}",
        ),
    )  # fmt: skip


def helpers(rng: Random, at: Setting) -> Feature:
    """Processes that start others which end again."""
    body = rng.choice(("flag[master] = 0", "flag[master] = 1 - flag[master]", "atomic { busy-- ; flag[master] = 0 }"))
    return Feature(
        ("byte busy;", f"proctype helper({at.id} master) {{ {body} }}"),
        (
            f"atomic {{ busy < 1 -> busy++; run helper({at.me}) }}",
            f"atomic {{ busy == 0 && flag[{at.me}] == 1 -> busy++; run helper({at.me}) }}",
            "atomic { busy > 0 && _nr_pr < 3 -> busy = 0 }"
            if rng.random() < 0.2
            else "atomic { busy > 0 -> busy = 0 }",
        ),
    )


def turns(rng: Random, at: Setting) -> Feature:
    """A ring: everybody knows the next."""
    step = f"({at.me} - {at.first} + 1) % {at.n} + {at.first}" if at.first else f"({at.me} + 1) % {at.n}"
    return Feature(
        (f"{at.id} turn = {at.first};",),
        (
            f"atomic {{ turn == {at.me} -> turn = {step} }}",
            f"atomic {{ turn == {at.me} -> flag[{at.me}] = 0 }}",
            f"atomic {{ flag[{step}] == 1 && flag[{at.me}] == 1 -> flag[{at.me}] = 0 }}",
        ),
    )


def counting(rng: Random, at: Setting) -> Feature:
    total = " + ".join(f"flag[{i}]" for i in at.ids)
    every = " && ".join(f"flag[{i}] == 1" for i in rng.sample(at.ids, at.n))
    return Feature(
        ("byte shared;",),
        (
            "atomic { shared < 2 -> shared++ }",
            f"atomic {{ ({total}) < {rng.randint(1, at.n)} && flag[{at.me}] == 1 -> shared = 0 }}",
            f"atomic {{ {every} -> flag[{at.me}] = 0 }}",
            f"atomic {{ shared == 2 -> assert(({total}) < {rng.randint(1, at.n + 1)}); shared = 0 }}",
            f"d_step {{ shared > 0 -> if :: flag[{at.me}] == 1 -> flag[{at.me}] = 0 :: else -> shared-- fi }}",
        ),
    )


FEATURES = (lock, network, boxes, passing, colours, helpers, turns, counting)


def choice(at: Setting, name: str) -> str:
    return "if " + " ".join(f":: {name} = {i}" for i in at.ids) + " fi"


# What tells processes apart.


def spoiling(rng: Random, at: Setting) -> str:
    k = rng.choice(at.ids)
    return rng.choice(
        (
            f"atomic {{ {at.me} == {k} && flag[{at.me}] == 1 -> flag[{at.me}] = 0 }}",
            f"atomic {{ {at.me} > {k} && flag[{at.me}] == 1 -> flag[{at.me}] = 0 }}",
            f"atomic {{ flag[{k}] == 1 -> flag[{at.me}] = 0 }}",
            f"assert(flag[{k}] == 0 || {at.me} != {k})",
        )
    )


def choose_formulas(rng: Random, at: Setting) -> list[tuple[str, str]]:
    if rng.random() < 0.6:
        return []
    one = rng.choice(at.ids)
    some = " || ".join(f"flag[{i}] == 1" for i in at.ids)
    menu = [
        f"[]<> (flag[{one}] == 0)",
        f"[] (({some}) -> <> !({some}))",
        " && ".join(f"[] (flag[{i}] == 1 -> <> (flag[{i}] == 0))" for i in at.ids),
        f"<> (flag[{one}] == 1 && flag[{rng.choice(at.ids)}] == 0)",
    ]
    if at.creation == "active":
        menu.append(f"[] !(user[{one}]@done)")
    return [("asked", rng.choice(menu))]
