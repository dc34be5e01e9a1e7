-- expect: verdict=fails
-- isundefined, undefine of parts and of wholes, copies of defined parts, undefined passed to a procedure.
type pid: scalarset(2); v: 0..2;
var owner: pid; val: array[pid] of v; old: array[pid] of v; hist: record who: pid; what: v; end;
procedure note(p: pid; x: v); begin hist.who := p; hist.what := x; end;
startstate for p: pid do val[p] := 0; undefine old[p]; end; undefine owner; undefine hist; end;
ruleset p: pid do
  rule "own" isundefined(owner) ==> owner := p; end;
  rule "write" !isundefined(owner) & owner = p & val[p] < 2 ==> begin old[p] := val[p]; val[p] := val[p] + 1; note(p, val[p]); end;
  rule "free" !isundefined(owner) & owner = p & !isundefined(old[p]) ==> begin undefine owner; undefine old[p]; end;
  rule "forget" !isundefined(hist.who) & hist.who = p & hist.what = 2 ==> begin undefine hist; val[p] := 0; end;
end;
invariant "old" forall p: pid do isundefined(old[p]) | old[p] + 1 = val[p] | val[p] = 0 end;
