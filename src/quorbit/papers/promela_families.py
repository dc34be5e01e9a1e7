"""The model families of [DM05] and [DM09] as Promela text, for any size, in our own words.

The published figures fix what one step is, so the steps are those of the papers' models; the resource allocator and the
hypercube of [DM09, Figure 4] were other versions than the ones that can be had, and their figures differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

from quorbit.papers.promela_text import ids, lines, start

__all__ = [
    "email",
    "grouped",
    "hypercube",
    "load_balancer",
    "resource_allocator",
    "three_tiered",
    "token_ring",
]


def grouped(sizes: Sequence[int]) -> tuple[int, ...]:
    """Priorities of clients, one level after the other: sizes (2, 3) give 0 0 1 1 1."""
    return tuple(level for level, size in enumerate(sizes) for _ in range(size))


def interleaved(sizes: Sequence[int]) -> tuple[int, ...]:
    """Priorities of clients in turn: sizes (2, 3) give 0 1 0 1 1.  No two neighbours may be exchanged, so a search for
    the largest valid subgroup finds no generator to begin with."""
    rows = zip_longest(*([level] * size for level, size in enumerate(sizes)))
    return tuple(level for level in chain.from_iterable(rows) if level is not None)


def resource_allocator(priorities: Sequence[int]) -> str:
    """Clients ask for one resource; of those who ask, one of the highest priority gets it."""
    n, top = len(priorities), max(priorities, default=0)
    asks = " || ".join(f"line{i}?[request]" for i in ids(n))
    choose = [f"       :: rank[{i}] == wanted && line{i}?[request] -> served = line{i}; break" for i in ids(n)]
    return lines(
        "mtype = { request, granted, finished };",
        [f"chan line{i} = [1] of {{ mtype }};" for i in ids(n)],
        "chan nobody = [0] of { mtype };",
        "pid user;",
        f"byte rank[{n + 2}];",
        "",
        "proctype client(chan line) {",
        "  do",
        "  :: line!request;",
        f"     atomic {{ line?granted; user = _pid; assert(rank[_pid] <= {top}) }};",
        "     atomic { user = 0; line!finished }",
        "  od",
        "}",
        "",
        "proctype allocator() {",
        "  chan served = nobody;",
        "  byte wanted;",
        "  do",
        "  :: atomic {",
        f"       ({asks});",
        f"       wanted = {top};",
        "       do",
        choose,
        "       :: else -> wanted--",
        "       od;",
        "       served?request",
        "     };",
        "     served!granted;",
        "     d_step { served?finished; served = nobody }",
        "  od",
        "}",
        "",
        start(
            [*(f"client(line{i})" for i in ids(n)), "allocator()"],
            *(f"rank[{i}] = {p};" for i, p in zip(ids(n), priorities, strict=True)),
        ),
    )


def three_tiered(sizes: Sequence[int]) -> str:
    """Clients ask their server, which asks the database; ``sizes``: the clients of each server."""
    servers = len(sizes)
    homes = [s for s, size in enumerate(sizes, 1) for _ in range(size)]
    return lines(
        "mtype = { request, answer, query, result };",
        f"chan to_database = [{servers}] of {{ mtype, chan }};",
        [f"chan to_server{s} = [1] of {{ mtype, chan }};" for s in ids(servers)],
        [f"chan results{s} = [1] of {{ mtype }};" for s in ids(servers)],
        [f"chan answers{c} = [1] of {{ mtype }};" for c in ids(len(homes))],
        "chan nobody = [0] of { mtype };",
        "",
        "proctype client(chan answers, line) {",
        "  do",
        "  :: line!request,answers;",
        "     answers?answer",
        "  od",
        "}",
        "",
        "proctype server(chan requests, results) {",
        "  chan asker = nobody;",
        "  do",
        "  :: requests?request,asker;",
        "     to_database!query,results;",
        "     results?result;",
        "     asker!answer;",
        "     asker = nobody",
        "  od",
        "}",
        "",
        "proctype database() {",
        "  chan asker = nobody;",
        "  do",
        "  :: to_database?query,asker;",
        "     asker!result;",
        "     asker = nobody",
        "  od",
        "}",
        "",
        start(
            [
                "database()",
                *(f"server(to_server{s}, results{s})" for s in ids(servers)),
                *(f"client(answers{c}, to_server{s})" for c, s in enumerate(homes, 1)),
            ]
        ),
    )


def email(n: int) -> str:
    """Clients write to each other through a mailer, once all of them are ready."""
    return lines(
        "byte ready;",
        [f"chan box{i} = [1] of {{ pid, pid }};" for i in ids(n)],
        "chan nowhere = [0] of { pid, pid };",
        "chan network = [2] of { pid, pid };",
        "",
        "proctype client(chan inbox) {",
        "  pid from, to;",
        "  chan outbox;",
        "  d_step { outbox = network; ready++ };",
        f"idle: atomic {{ (ready == {n} && (nempty(inbox) || nfull(outbox)));",
        "    if",
        "    :: nempty(inbox) -> goto read",
        "    :: empty(inbox) && nfull(outbox) -> goto write",
        "    fi;",
        "read: inbox?from,to;",
        "    assert(to == _pid);",
        "    from = 0;",
        "    to = 0;",
        "    goto idle;",
        "write: if",
        [f"    :: to = {i}" for i in ids(n)],
        "    fi;",
        "    d_step { from = _pid; outbox!from,to; from = 0; to = 0 };",
        "    goto idle",
        "  }",
        "}",
        "",
        "proctype mailer() {",
        "  pid from, to;",
        "  chan target = nowhere;",
        "again: atomic { network?from,to;",
        "    if",
        [f"    :: to == {i} -> target = box{i}" for i in ids(n)],
        "    fi",
        "  };",
        "  atomic { target!from,to; target = nowhere; from = 0; to = 0; goto again }",
        "}",
        "",
        start([*(f"client(box{i})" for i in ids(n)), "mailer()"]),
    )


def email_blocked(n: int, blocked: int, letters: int = 2) -> str:
    """The mailer drops what one client writes, and nobody shall ever read anything from it. [DM05, Figure 1]

    At most so many letters are under way at once, which keeps the number of states small."""
    return lines(
        [f"chan box{i} = [1] of {{ pid, pid }};" for i in ids(n)],
        f"chan network = [{n}] of {{ pid, pid }};",
        "pid read_from;",
        "byte under_way;",
        "",
        "proctype mailer() {",
        "  pid from, to;",
        f"  pid muted = {blocked};",
        "  chan target;",
        "  do",
        "  :: network?from,to;",
        "     if",
        "     :: from == muted -> under_way--",
        "     :: else ->",
        "        if",
        [f"        :: to == {i} -> target = box{i}" for i in ids(n)],
        "        fi;",
        "        target!from,to",
        "     fi",
        "  od",
        "}",
        "",
        "proctype client(chan inbox) {",
        "  pid from, to;",
        "  do",
        "  :: atomic { inbox?from,to; assert(to == _pid); read_from = from; under_way--; from = 0; to = 0 }",
        "  :: atomic {",
        f"       under_way < {letters} -> under_way++;",
        "       if",
        [f"       :: network!_pid,{i}" for i in ids(n)],
        "       fi",
        "     }",
        "  od",
        "}",
        "",
        start([*(f"client(box{i})" for i in ids(n)), "mailer()"]),
        "",
        f"ltl nothing_from_{blocked} {{ [] (read_from != {blocked}) }}",
    )


def hypercube(d: int) -> str:
    """A packet travels along the edges of a cube to a node that was chosen at random; there it gets a new address."""
    nodes = range(2**d)
    away = [f"  :: {differ(k, d)} -> out{k}!packet" for k in range(d)]
    neighbours = [", ".join(f"wire{(p ^ 1 << k) + 1}" for k in range(d)) for p in nodes]
    return lines(
        "mtype = { packet };",
        [f"chan wire{p + 1} = [1] of {{ mtype }};" for p in nodes],
        "pid goal;",
        "",
        f"proctype node(chan in, {', '.join(f'out{k}' for k in range(d))}) {{",
        "loop: atomic { in?packet;",
        "  if",
        "  :: goal == _pid ->",
        "     if",
        [f"     :: _pid != {p + 1} -> goal = {p + 1}" for p in nodes],
        "     fi",
        "  :: else",
        "  fi };",
        "  if",
        away,
        "  fi;",
        "  goto loop",
        "}",
        "",
        start(
            [f"node(wire{p + 1}, {neighbours[p]})" for p in nodes],
            "if",
            *(f":: wire{p + 1}!packet; goal = {p + 1}" for p in nodes),
            "fi",
        ),
    )


def differ(k: int, d: int) -> str:
    """The node and the goal lie on different sides in dimension k."""
    here, there = ([f"{{}} == {p + 1}" for p in range(2**d) if p >> k & 1 == side] for side in (0, 1))

    def one_of(sides: list[str], name: str) -> str:
        return "(" + " || ".join(side.format(name) for side in sides) + ")"

    ways = (one_of(a, "_pid") + " && " + one_of(b, "goal") for a, b in ((here, there), (there, here)))
    return " || ".join(f"({way})" for way in ways)


def load_balancer(clients: Sequence[int], servers: int) -> str:
    """Balancers hand the requests of their clients to a server that has no more to do than the others."""
    homes = [b for b, size in enumerate(clients, 1) for _ in range(size)]
    given = [f"s{k}" for k in ids(servers)]
    least = [
        "     :: " + " && ".join(f"len({s}) <= len({t})" for t in given if t != s) + f" -> {s}!request,asker"
        if servers > 1
        else f"     :: {s}!request,asker"
        for s in given
    ]
    listed = ", ".join(f"work{k}" for k in ids(servers))
    return lines(
        "mtype = { request, answer };",
        [f"chan desk{b} = [{max(size, 1)}] of {{ mtype, chan }};" for b, size in enumerate(clients, 1)],
        [f"chan work{k} = [2] of {{ mtype, chan }};" for k in ids(servers)],
        [f"chan answers{c} = [1] of {{ mtype }};" for c in ids(len(homes))],
        "chan nobody = [0] of { mtype };",
        "",
        "proctype client(chan answers, desk) {",
        "  do",
        "  :: desk!request,answers;",
        "     answers?answer",
        "  od",
        "}",
        "",
        f"proctype balancer(chan desk, {', '.join(given)}) {{",
        "  chan asker = nobody;",
        "  do",
        "  :: desk?request,asker;",
        "     if",
        least,
        "     fi;",
        "     asker = nobody",
        "  od",
        "}",
        "",
        "proctype server(chan work) {",
        "  chan asker = nobody;",
        "  do",
        "  :: work?request,asker;",
        "     asker!answer;",
        "     asker = nobody",
        "  od",
        "}",
        "",
        start(
            [
                *(f"balancer(desk{b}, {listed})" for b in ids(len(clients))),
                *(f"client(answers{c}, desk{b})" for c, b in enumerate(homes, 1)),
                *(f"server(work{k})" for k in ids(servers)),
            ]
        ),
    )


def token_ring(n: int) -> str:
    """Stations in a ring draw different numbers and elect the one with the greatest."""
    return lines(
        [f"chan wire{i} = [1] of {{ byte, pid }};" for i in ids(n)],
        f"chan urn = [{n}] of {{ byte }};",
        "",
        "proctype station(chan in, out) {",
        "  byte mine, number;",
        "  pid who, leader;",
        "  urn?mine;",
        "  out!mine,_pid;",
        "end:",
        "  do",
        "  :: in?number,who;",
        "     if",
        "     :: number == 0 -> leader = who; out!0,who",
        "     :: number > mine -> out!number,who",
        "     :: number != 0 && number < mine",
        "     :: number == mine -> leader = _pid; out!0,_pid; in?0,_pid",
        "     fi",
        "  od",
        "}",
        "",
        "proctype dealer() {",
        [f"  urn!{i};" for i in ids(n)],
        "}",
        "",
        start(["dealer()", *(f"station(wire{(i - 2) % n + 1}, wire{i})" for i in ids(n))]),
    )
