-- expect: states=14 orbits=6 verdict=holds order=6 structure="S3"
-- A cache line in three caches: modified, exclusive, shared or invalid.  Nothing says that the caches are
-- interchangeable; that their numbers are only names is found out.

const
  Caches : 3;
type
  cache : 1 .. Caches;
  status : enum { Modified, Exclusive, Shared, Invalid };
var
  line : array [cache] of status;

ruleset i : cache do
  rule "write to an exclusive line" line[i] = Exclusive ==>
  begin
    line[i] := Modified;
  end;

  rule "read" line[i] = Invalid ==>
  begin
    for j : cache do
      if j = i | line[j] != Invalid then line[j] := Shared; end;
    end;
  end;

  rule "write" line[i] = Invalid | line[i] = Shared ==>
  begin
    for j : cache do
      line[j] := j = i ? Exclusive : Invalid;
    end;
  end;
end;

startstate
  for i : cache do line[i] := Invalid; end;
end;

invariant "one owner"
  forall i : cache do forall j : cache do
    i != j & (line[i] = Modified | line[i] = Exclusive) -> line[j] = Invalid
  end end;
