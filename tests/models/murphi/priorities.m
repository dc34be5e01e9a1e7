-- expect: states=9 orbits=6 verdict=holds
-- CMurphi 5.4: a number before the name of a rule is its priority; no rule has one: all are alike, and so are x and y.
var x, y: 0..2;
startstate "s" x := 0; y := 0; endstartstate;
rule "a" x < 2 ==> begin x := x + 1; end;
rule "b" y < 2 ==> begin y := y + 1; end;
rule "c" x = 2 & y = 2 ==> begin x := 0; y := 0; end;
