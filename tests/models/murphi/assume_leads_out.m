-- expect: states=5 orbits=5 verdict=holds
-- A state that is assumed not to be is a way out of a deadlock all the same.
var x: 0..9;
startstate x := 0; end;
rule "up" begin x := x + 1; end;
assume "small" x < 5;
