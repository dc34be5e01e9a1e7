-- expect: orbits=374 verdict=holds order=720 structure="S6"
-- Processes that remember whom they wait for: states refer to processes, and sorting alone is not exact.
const N: 6;
type id: scalarset(N);
     place: enum { idle, trying, inside };
var at: array[id] of place;
    next: array[id] of id;      -- who each of them waits for
    holder: id;
startstate begin
  for i: id do at[i] := idle; undefine next[i]; end;
  undefine holder;
end;
ruleset i: id do
  rule "ask" at[i] = idle ==> begin at[i] := trying; if !isundefined(holder) then next[i] := holder; end; end;
  rule "enter" at[i] = trying & isundefined(holder) ==> begin at[i] := inside; holder := i; undefine next[i]; end;
  rule "leave" at[i] = inside ==> begin at[i] := idle; undefine holder; end;
end;
invariant "one" forall i: id do at[i] = inside -> holder = i end;
