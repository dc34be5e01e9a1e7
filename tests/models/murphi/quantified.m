-- expect: verdict=fails
-- forall and exists in guards, in invariants, in statements; with bounds; nested; `endforall`.
const N: 3;
type p: 1..N;
var want: array[p] of boolean; crit: array[p] of boolean; k: 0..N;
startstate for i: p do want[i] := false; crit[i] := false; end; k := 0; end;
ruleset i: p do
  rule "want" !want[i] ==> want[i] := true; end;
  rule "in" want[i] & forall j: p do j != i -> !crit[j] endforall ==> begin crit[i] := true; k := k + 1; end;
  rule "out" crit[i] & exists j: p do j != i & want[j] endexists ==> begin
    crit[i] := false; want[i] := exists j := 1 to N do crit[j] end;
    k := k - 1;
    if forall j: p do !crit[j] end then want[i] := false; end;
  end;
end;
invariant "one" forall i: p do forall j: p do i = j | !crit[i] | !crit[j] end end;
invariant "count" (exists i: p do crit[i] end) = (k = 1);
