-- expect: states=64 orbits=20 verdict=holds
-- cover as a statement: in a rule, in a procedure, in a start state, in a loop, before an assumption drops the move.
const N : 3;
type id : scalarset(N);
var x : array [id] of 0 .. 3; y : 0 .. 2;

procedure bump(i : id);
begin
  cover x[i] = 2 "two";
  x[i] := x[i] + 1;
end;

startstate
  for i : id do x[i] := 0; end;
  y := 0;
  cover y = 0 "at the start";
end;

ruleset i : id do
  rule "go" x[i] < 3 ==>
  begin
    bump(i);
    if y < 2 then y := y + 1; cover y = 2 "y is two"; end;
  end;
  rule "reset" forall j : id do x[j] = 3 end ==>
  begin
    y := 0;
    for j : id do x[j] := 0; cover j = i "a round of the loop"; end;
  end;
  rule "dropped" y = 2 ==>
  begin
    cover x[i] = 1 "before it is dropped";
    assume false "never goes on";
  end;
end;
