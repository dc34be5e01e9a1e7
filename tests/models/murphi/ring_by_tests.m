-- expect: states=64 orbits=16 verdict=holds
-- Steps round a ring that are written as tests: in a function, in ?: and in a statement, forwards and backwards.
const N: 4;
type p: 1..N;
var turn: p; st: array [p] of 0..1;
function successor(i: p): p; begin if i = N then return 1; end; return i + 1; end;
function predecessor(i: p): p; begin if i > 1 then return i - 1; else return N; end; end;
startstate begin turn := 1; for i: p do st[i] := 0; end; end;
rule "work" begin st[turn] := 1 - st[turn]; end;
rule "next" begin turn := successor(turn); end;
rule "back" begin turn := predecessor(turn); end;
rule "choose" begin turn := turn < N ? turn + 1 : 1; end;
rule "if" begin if turn >= N then turn := 1; else turn := turn + 1; end; end;
