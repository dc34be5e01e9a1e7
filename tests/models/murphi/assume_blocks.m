-- expect: verdict=fails
-- A rule whose assumption does not hold is no way out of a deadlock.
var x: 0..9;
startstate x := 0; end;
rule "up" x < 4 ==> begin x := x + 1; end;
rule "on" x = 4 ==> begin x := x + 1; assume x < 5; end;
