-- expect: states=74 orbits=19 verdict=holds order=6 structure="S3"
-- Caches on a bus: in a loop over all of them, several may set the same flag, in whichever order.
const C: 3;
type cid: scalarset(C); st: enum { M, E, S, I };
var c: array[cid] of st; mem: boolean; bus: enum { idle, rd, rdx }; who: cid;
startstate begin for i: cid do c[i] := I; end; mem := true; bus := idle; undefine who; end;
ruleset i: cid do
  rule "read" bus = idle & c[i] = I ==> begin bus := rd; who := i; end;
  rule "write" bus = idle & (c[i] = I | c[i] = S) ==> begin bus := rdx; who := i; end;
  rule "silent" c[i] = E ==> begin c[i] := M; mem := false; end;
  rule "evict" bus = idle & c[i] != I ==> begin if c[i] = M then mem := true; end; c[i] := I; end;
end;
rule "snoop" bus != idle ==>
  var shared: boolean;
begin
  shared := false;
  for j: cid do
    if j != who then
      if c[j] = M then mem := true; end;
      if bus = rdx then c[j] := I;
      elsif c[j] != I then c[j] := S; shared := true;
      end;
    end;
  end;
  if bus = rdx then c[who] := M; mem := false; else c[who] := (shared ? S : E); end;
  bus := idle; undefine who;
end;
invariant "one writer" forall i: cid do forall j: cid do i != j & (c[i] = M | c[i] = E) -> c[j] = I end end;
invariant "memory" (exists i: cid do c[i] = M end) -> !mem;
