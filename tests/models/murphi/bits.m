-- expect: states=480 orbits=480 verdict=holds
-- Rumur's operators on bits: & and | join conditions or numbers, ^ binds between them, shifts may go backwards.
const MASK: (1 << 5) - 1 & 31 | 16;
var x, y: 0..31;
startstate x := 1; y := 3; end;
rule "left" begin x := (x << 1) & MASK; if (x & MASK) = 0 then x := 1; end; end;
rule "xor" begin y := (y ^ x) & MASK; end;
rule "right" begin y := (y << -2) | 1; end;
rule "not" begin x := ~x & 7; if x = 0 then x := 5; end; end;
invariant "precedence" (1 ^ 3 & 2) = 3 & (4 | 1 ^ 1) = 4;
