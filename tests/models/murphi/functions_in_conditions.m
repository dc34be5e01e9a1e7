-- expect: states=12 orbits=12 verdict=holds
-- Conditions and invariants that call functions with loops from number to number, locals that are arrays, procedures.
type cells: array [0..3] of boolean;
var n: 0..3; a: cells;
function all(k: 0..3): boolean; begin for i := 0 to k do if !a[i] then return false; end; end; return true; end;
function count(k: 0..3): 0..4; var c: 0..4;
begin c := 0; for i := k to 3 do assert c <= i; if a[i] then c := c + 1; end; end; return c; end;
procedure turn(var b: cells); begin for i := 0 to 3 do b[i] := !b[i]; end; end;
function others(b: cells): 0..4; var c: cells; k: 0..4;
begin c := b; turn(c); k := 0; for i: 0..3 do if c[i] then k := k + 1; end; end; return k; end;
startstate n := 0; for i := 0 to 3 do a[i] := false; end; end;
rule "set" !all(n) ==> begin a[n] := true; end;
rule "next" all(n) & n < 3 & others(a) = 3 - n ==> begin n := n + 1; end;
rule "more" all(n) & n < 3 & others(a) != 3 - n ==> begin n := n + 1; end;
rule "again" n = 3 & count(n) = 1 ==> begin n := 0; for i := 0 to 3 do a[i] := i = 2; end; end;
invariant "few" count(0) <= n + 2;
