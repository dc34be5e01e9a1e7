-- expect: verdict=fails
-- An assertion inside a procedure, with Murphi 3.1's message behind the condition.
type n: 0..3;
var x: n;
procedure check(v: n); begin assert v < 3 "too large"; end;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; check(x); end;
