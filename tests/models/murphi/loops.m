-- expect: states=9 orbits=9 verdict=holds
-- for with bounds, by, downwards; while; loops in loops; a loop variable that hides another name.
const N: 4;
type idx: 0..N-1; val: 0..9;
var a: array[idx] of val; i: val; sorted: boolean;
function isSorted(): boolean;
begin
  for k := 0 to N-2 do
    if a[k] > a[k+1] then return false; end;
  end;
  return true;
end;
startstate
  for k: idx do a[k] := (k * 3 + 2) % 5; end;
  i := 0; sorted := false;
end;
ruleset k: 0..N-2 do
  rule "swap" a[k] > a[k+1] ==>
  var t: val;
  begin t := a[k]; a[k] := a[k+1]; a[k+1] := t; sorted := isSorted(); end;
end;
rule "count" i < 9 & sorted ==>
begin
  for k := 0 to N-1 by 2 do i := (i + a[k]) % 10; end;
  for k := N-1 to 1 by -1 do i := (i + k) % 10; end;
end;
rule "down" i > 5 ==>
  while i > 2 do i := i - 2; end;
end;
invariant "sum" a[0] + a[1] + a[2] + a[3] = 2 + 0 + 3 + 1;
