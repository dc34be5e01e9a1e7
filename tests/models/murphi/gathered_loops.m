-- expect: states=64 orbits=20 verdict=holds
-- Loops over a scalarset that gather what all its elements say: the order of the rounds cannot be seen.
type P: scalarset(4);
var c: array [P] of boolean; some, all: boolean;
startstate for p: P do c[p] := false; end; some := false; all := true; end;
ruleset p: P do rule "turn" begin c[p] := !c[p]; end; end;
rule "gather"
begin
  some := false; all := true;
  for p: P do some := some | c[p]; all := c[p] & all; end;
end;
rule "once" some & !all ==> begin for p: P do some := some & c[p]; end; end;
