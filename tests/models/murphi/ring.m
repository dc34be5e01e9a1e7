-- expect: states=6 orbits=2 verdict=holds
-- Numbers that are more than names: a ring.
const N: 4;
type p: 0..N-1;
var tok: array[p] of boolean; n: 1..2;
startstate for i: p do tok[i] := i = 0 | i = 2; end; n := 1; end;
ruleset i: p do
  rule "pass" tok[i] & !tok[(i + 1) % N] ==> begin tok[i] := false; tok[(i + 1) % N] := true; n := 3 - n; end;
end;
invariant "two" exists i: p do exists j: p do i != j & tok[i] & tok[j] end end;
