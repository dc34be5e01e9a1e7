-- expect: states=8 orbits=6 verdict=holds
-- put with texts, escapes and values.
type pid: scalarset(2); e: enum { A, B };
var x: array[pid] of e; n: 0..1;
startstate put "start\n"; for p: pid do x[p] := A; end; n := 0; put n; end;
ruleset p: pid do
  rule "say \"hello\"" x[p] = A ==> begin put "p = "; put p; put x[p]; x[p] := B; n := 1 - n; end; -- flips
  rule "back" x[p] = B ==> begin x[p] := A; put "n is "; put n + 1; put "\n"; end;
end;
