-- expect: states=6 orbits=6 verdict=holds
-- Rumur's words: assume, cover, liveness, assert as a property.
const N: 2;
type p: 0 .. N;
var x: p; y: boolean;
startstate "s" begin x := 0; y := false; end;
rule "up" x < N ==> begin x := x + 1; end;
rule "reset" x = N ==> begin x := 0; y := !y; end;
assume "never" x != N | !y | true;
cover "top" x = N;
liveness "again" x = 0;
assert "y" y -> x <= N;
