-- expect: states=32 orbits=16 verdict=holds order=6 structure="S3"
-- A loop over all clients counts some of them: in whichever order.
const C: 3;
type client: scalarset(C);
var ready: array[client] of boolean; seen: 0..C; odd: boolean;
startstate begin for i: client do ready[i] := false; end; seen := 0; odd := false; end;
ruleset i: client do
  rule "flip" true ==> begin ready[i] := !ready[i]; end;
end;
rule "count" true ==>
begin
  seen := 0; odd := false;
  for i: client do
    if ready[i] then seen := seen + 1; odd := !odd; end;
  end;
end;
invariant "parity" odd = (seen % 2 = 1);
