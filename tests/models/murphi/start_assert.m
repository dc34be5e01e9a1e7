-- expect: verdict=fails
-- An assertion fails in a start state.
var x: 0..2;
ruleset v: 0..2 do startstate x := v; assert x < 2 "start"; end; end;
rule "up" x < 2 ==> x := x + 1; end;
rule "down" x > 0 ==> x := x - 1; end;
