-- expect: states=79 orbits=79 verdict=holds
-- Locals and parameters hide globals; types and constants inside routines and rules; a rule's own procedure variables.
const K: 2;
type t: 0..K;
var x: t; i: t; r: array[t] of t;
procedure work(x_: t; var out: t);
const L: 1;
type u: 0..L;
var i: u; r: t;
begin
  i := L; r := x_;
  if r > L then out := L; else out := r + i; end;
end;
startstate x := 0; i := 0; for i: t do r[i] := 0; end; end;
ruleset k: t do
  rule "set" r[k] < K ==> const M: 1; var t1: t; begin t1 := r[k]; work(t1, r[k]); x := r[k] > M ? M : r[k]; end;
end;
rule "i" x = 1 & i < K ==> begin for x: t do if r[x] = K then i := x; end; end; if i < K then i := i + 1; end; end;
rule "reset" i = K ==> begin clear r; i := 0; x := 0; end;
invariant i <= K;
