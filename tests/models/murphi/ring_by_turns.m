-- expect: states=96 orbits=24 verdict=holds
-- A stored position that goes round a ring: the rotations are symmetries.
const N: 4;
type p: 1..N;
var turn: p; st: array [p] of enum {idle, want, critical};
startstate begin turn := 1; for i: p do st[i] := idle; end; end;
ruleset i: p do
  rule "want" st[i] = idle ==> begin st[i] := want; end;
  rule "enter" st[i] = want & turn = i ==> begin st[i] := critical; end;
  rule "leave" st[i] = critical ==> begin st[i] := idle; turn := i % N + 1; end;
  rule "pass" st[i] = idle & turn = i ==> begin turn := (turn + N) % N + 1; end;
end;
invariant "mutex" forall i: p do forall j: p do i != j -> !(st[i] = critical & st[j] = critical) end end;
