-- expect: verdict=fails
-- An invariant inside a ruleset fails for one of its values.
type p: 0..2;
var x: array[p] of 0..2;
startstate for i: p do x[i] := 0; end; end;
ruleset i: p do
  rule "up" x[i] < 2 ==> x[i] := x[i] + 1; end;
  rule "down" x[i] = 2 ==> x[i] := 0; end;
  invariant "bounded" !(i = 2 & x[i] = 2 & x[0] = 1);
end;
