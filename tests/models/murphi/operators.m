-- expect: states=90 orbits=90 verdict=holds
-- Precedence and arithmetic: ! and comparisons, -> to the right, ?: , %, / and unary minus, bits of a range below zero.
type s: -4..7; t: 0..3;
var a, b: s; f: boolean; n: t;
startstate a := -4; b := 7; f := false; n := 0; end;
rule "a" a < 7 ==> a := a + 3 > 7 ? 7 : a + 3; end;
rule "b" b > -4 & !a = b ==> b := -(-b) - 5 < -4 ? -4 : b - 5; end;
rule "f" !f & a = 7 | b = -4 & !f ==> f := a / 2 > b -> (n = 0 -> a >= b); end;
rule "n" f ==> begin n := (n * 2 + 1) % 4; f := !(n = 3); end;
rule "x" n = 3 & !f ==> begin a := (a - b) / 3; n := -7 % 4 + 3; end;
invariant "p" a != 7 | b <= 7 & (f -> !f | true);
invariant "q" (a <= 7) = true;
