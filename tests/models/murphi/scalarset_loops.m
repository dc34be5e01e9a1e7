-- expect: states=205 orbits=43 verdict=holds
-- Loops over a scalarset that mix order-free writes with an assignment of the last value.
const N: 3;
type pid: scalarset(N); st: enum {I, S, E};
var c: array[pid] of st; owner: pid; pend: array[pid] of array[pid] of boolean;
startstate for p: pid do c[p] := I; for q: pid do pend[p][q] := false; end; end; undefine owner; end;
ruleset p: pid do
  rule "share" c[p] = I & (isundefined(owner) | owner != p) ==>
  begin
    for q: pid do if c[q] = E then c[q] := S; pend[q][p] := true; end; end;
    c[p] := S; undefine owner;
  end;
  rule "own" c[p] = S ==>
  begin
    for q: pid do if q != p then c[q] := I; end; pend[p][q] := false; end;
    c[p] := E; owner := p;
  end;
  rule "drop" c[p] = E & owner = p ==> begin c[p] := I; undefine owner; end;
end;
invariant "one owner" forall p: pid do forall q: pid do p != q & c[p] = E -> c[q] = I end end;
