-- expect: verdict=fails
-- Looking at an undefined value.
var x: 0..2; y: 0..2;
startstate x := 0; end;
rule "up" x < 2 ==> x := x + 1; end;
rule "read" x = 2 ==> x := y; end;
