"""The mutual exclusion protocols of [DM05] and [DM09] as Promela text, for any size, in our own words."""

from __future__ import annotations

from quorbit.papers.promela_text import ids, lines, start

__all__ = ["peterson", "peterson_step_by_step", "simple_mutex"]


def simple_mutex(n: int) -> str:
    """Mutual exclusion by looking at everybody. [DM09, Figure 1]"""
    nobody = " && ".join(f"at[{i}] != critical" for i in ids(n))
    return lines(
        "mtype = { idle, trying, critical };",
        f"mtype at[{n + 1}] = idle;  // slot 0 is nobody's",
        "",
        "proctype user() {",
        "  do",
        "  :: d_step { at[_pid] == idle -> at[_pid] = trying }",
        f"  :: d_step {{ at[_pid] == trying && ({nobody}) -> at[_pid] = critical }}",
        "  :: d_step { at[_pid] == critical -> at[_pid] = idle }",
        "  od",
        "}",
        "",
        start(["user()"] * n),
    )


def peterson(n: int) -> str:
    """Peterson's protocol for n processes; the others are looked at in one step."""
    alone = " && ".join(f"(_pid == {i} || level[{i}] < stage)" for i in ids(n))
    return lines(
        f"byte level[{n + 1}];  // the stage each process waits at; slot 0 is nobody's",
        f"pid last[{n}];  // the process that came last to each stage",
        "byte inside;",
        "",
        "proctype user() {",
        "  byte stage;",
        "  bool clear;",
        "  do",
        "  :: stage = 1;",
        "     do",
        f"     :: stage < {n} ->",
        "        level[_pid] = stage;",
        "        last[stage] = _pid;",
        "wait:   atomic {",
        f"          clear = {alone};",
        "          if",
        "          :: clear || last[stage] != _pid",
        "          :: else -> goto wait",
        "          fi",
        "        };",
        "        stage++",
        "     :: else -> break",
        "     od;",
        "     atomic { inside++; assert(inside == 1) };",
        "     inside--;",
        "     level[_pid] = 0",
        "  od",
        "}",
        "",
        start(["user()"] * n),
    )


def peterson_step_by_step(n: int) -> str:
    """Peterson's protocol without atomicity: the others are looked at one by one, in any order."""
    all_seen = " && ".join(f"seen[{i}]" for i in ids(n))
    look = [
        f"        :: d_step {{ !seen[{i}] -> clear = clear && level[{i}] < stage; seen[{i}] = true }}" for i in ids(n)
    ]
    forget = [f"             :: seen[{i}] -> seen[{i}] = false" for i in ids(n)]
    return lines(
        f"byte level[{n + 1}];  // the stage each process waits at; slot 0 is nobody's",
        f"pid last[{n}];  // the process that came last to each stage",
        "byte inside;",
        "",
        "proctype user() {",
        "  byte stage;",
        f"  bool seen[{n + 1}];",
        "  bool clear;",
        "  do",
        "  :: stage = 1;",
        "     do",
        f"     :: stage < {n} ->",
        "        level[_pid] = stage;",
        "        last[stage] = _pid;",
        "wait:   atomic { clear = true; seen[_pid] = true };",
        "        do",
        f"        :: !clear || ({all_seen}) ->",
        "           atomic {",
        "             do",
        forget,
        "             :: else -> break",
        "             od;",
        "             break",
        "           }",
        look,
        "        od;",
        "        if",
        "        :: atomic { clear || last[stage] != _pid -> clear = false }",
        "        :: atomic { else -> clear = false; goto wait }",
        "        fi;",
        "        stage++",
        "     :: else -> break",
        "     od;",
        "     atomic { inside++; assert(inside == 1) };",
        "     inside--;",
        "     level[_pid] = 0",
        "  od",
        "}",
        "",
        start(["user()"] * n),
    )
