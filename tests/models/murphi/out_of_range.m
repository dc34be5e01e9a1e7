-- expect: verdict=fails
-- A value outside its range.
var x: 0..3; y: array[0..3] of boolean;
startstate x := 0; for i: 0..3 do y[i] := false; end; end;
rule "flip" begin y[x] := !y[x]; end;
rule "up" y[x] ==> begin x := x + 1; end;
