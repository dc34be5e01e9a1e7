"""Models with wide states, most bits of which never change or change late, for stores that leave such bits out."""

from __future__ import annotations

from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.parse.units import parse
from quorbit.model.system.system import System
from quorbit.source.span import Source


def wide(width: int, steps: int, fails: bool = False) -> System:
    """A counter that writes multiples of itself, up to 32 bits, into numbers in turn, and flags beside it."""
    text = f"""int x, y[{width}]; byte idle[{width}];
active proctype P() {{
  do
  :: x < {steps} -> d_step {{ x++; y[x % {width}] = x * 70001 }}
  :: x % 3 == 1 -> idle[x % {width}] = 1 - idle[x % {width}]; {"assert(x < 9)" if fails else "skip"}
  :: x == {steps} -> break
  od
}}"""
    return lower(parse(Source("wide.pml", text))).system


def late(begin: int, steps: int) -> System:
    """A counter beside three flags that change at any time; beyond ``begin`` it writes bits that are new."""
    text = f"""int x, y[6]; bool flag[3];
active proctype P() {{
  do
  :: x < {steps} -> d_step {{ x++; if :: x > {begin} -> y[x / 100 % 6] = x % 2 * 70001 :: else fi }}
  :: atomic {{ x < {steps} && y[x % 6] != 1 -> flag[x % 3] = 1 - flag[x % 3] }}
  od
}}"""
    return lower(parse(Source("late.pml", text))).system


def steps(count: int, most: int, by: int = 40503) -> System:
    """``count`` numbers of 32 bits, each of which goes up ``most`` times: wide states of few different words."""
    text = "\n".join(
        f"int v{k}; active proctype P{k}() {{ do :: d_step {{ v{k} < {most * by} -> v{k} = v{k} + {by} }} od }}"
        for k in range(count)
    )
    return lower(parse(Source("steps.pml", text))).system
