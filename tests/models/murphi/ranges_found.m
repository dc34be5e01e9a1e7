-- expect: states=18 orbits=2 verdict=holds
-- Ranges used as names only: found without a scalarset; `level` goes round, so its numbers rotate.
const N: 3;
type node: 1..N; level: 0..2;
var lock: array[node] of boolean; holder: node; free: boolean; lev: level;
startstate for n: node do lock[n] := false; end; free := true; holder := 1; lev := 0; end;
ruleset n: node do
  rule "take" free ==> begin holder := n; lock[n] := true; free := false; end;
  rule "drop" !free & holder = n ==> begin lock[n] := false; free := true; if lev < 2 then lev := lev + 1; else lev := 0; end; end;
end;
invariant "one" forall n: node do lock[n] -> holder = n & !free end;
