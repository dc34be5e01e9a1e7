-- expect: property=home verdict=fails
-- liveness: from x = 2 the start cannot be reached again.
var x: 0..3;
startstate x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
rule "down" x = 1 ==> begin x := 0; end;
rule "turn" x = 2 ==> begin x := 3; end;
rule "flip" x = 3 ==> begin x := 2; end;
liveness "home" x = 0;
