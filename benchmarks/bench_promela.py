"""Time to read a Promela model of two thousand lines and to lower it to the System."""

from __future__ import annotations

from time import process_time

from benchmarks.rows import Row, row
from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.parse.units import parse
from quorbit.source.span import Source

PROCESS = """active proctype P{k}() {{
  byte a, b, n;
  do
  :: a < 3 ->
     a++;
     b = a + n;
     c!a,b
  :: c?a,b ->
     if
     :: a == 1 -> n = 2
     :: a == 2 -> g0 = b; g1 = g0 + a
     :: else -> g2++
     fi;
     atomic {{
       g0 > 2;
       g0 = g0 - 1;
       b = 0
     }};
     d_step {{ g1 = g0; g0 = g2; g2 = g1 }}
  :: n > 5 -> a = 0; b = 0; n = 0
  od
}}
"""
GLOBALS = "byte g0, g1, g2; chan c = [2] of { byte, byte };\n"


def run() -> list[Row]:
    text = GLOBALS + "".join(PROCESS.format(k=k) for k in range(91))
    lower(parse(Source("warm.pml", GLOBALS + PROCESS.format(k=0))))
    began = process_time()
    lower(parse(Source("long.pml", text)))
    return [row(f"a model of {text.count(chr(10))} lines, read and lowered", process_time() - began, "s", most=1)]
