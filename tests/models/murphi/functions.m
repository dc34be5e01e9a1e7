-- expect: verdict=fails
-- Functions with var parameters, functions with effects, functions of functions, results of record parts.
type t: 0..3; r: record x: t; y: t; end;
var p, q: r; n: t; swaps: 0..2;
function inc(var v: t; limit: t): boolean;
begin
  if v < limit then v := v + 1; return true; end;
  return false;
end;
function max(a: t; b: t): t; begin if a > b then return a; else return b; endif; end;
function both(a: r): t; begin return max(a.x, max(a.y, 1)); end;
procedure swap(var a: t; var b: t);
var c: t;
begin c := a; a := b; b := c; end;
procedure twice(var a: r); begin swap(a.x, a.y); swap(a.y, a.x); a.x := both(a) % 4; endprocedure;
startstate p.x := 0; p.y := 2; q.x := 1; q.y := 1; n := 0; swaps := 0; end;
rule "step" if inc(n, 3) then p.x := n; else swap(p.x, p.y); end; end;
rule "swap" swaps < 2 ==> begin swap(p.x, q.y); swaps := swaps + 1; end;
rule "twice" n = 2 ==> begin twice(q); end;
rule "nothing" n = 3 & max(p.x, q.x) = both(q) ==> var done: boolean; begin done := inc(p.y, max(p.x, 1)); if !done then n := 0; end; end;
invariant both(p) >= 1;
