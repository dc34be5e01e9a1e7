-- expect: verdict=fails
-- Records in records in arrays, fields with one type.
type
  node: 1..2;
  kind: enum {req, ack, nak};
  msg: record k: kind; from, to_: node; body: record hi, lo: 0..1; ok: boolean; end; end;
  chan: record full: boolean; m: msg; end;
var
  net: array[node] of array[0..1] of chan;
  last: msg;
  got: array[node] of 0..2;
procedure put_msg(d: node; slot: 0..1; k: kind);
var m: msg;
begin
  m.k := k; m.from := d = 1 ? 2 : 1; m.to_ := d;
  m.body.hi := slot; m.body.lo := 1 - slot; m.body.ok := true;
  net[d][slot].m := m;
  net[d][slot].full := true;
end;
startstate
  for n: node do
    for s: 0..1 do net[n][s].full := false; undefine net[n][s].m; end;
    got[n] := 0;
  end;
  clear last;
end;
ruleset n: node; s: 0..1 do
  rule "send" !net[n][s].full & got[n] < 2 ==> put_msg(n, s, req); end;
  rule "take" net[n][s].full ==>
  begin
    alias c: net[n][s]; b: c.m.body do
      last := c.m;
      if b.ok & b.hi = s then got[n] := got[n] + 1; end;
      c.full := false;
      undefine c.m;
    end;
  end;
end;
invariant "kinds" forall n: node do forall s: 0..1 do net[n][s].full -> net[n][s].m.k = req & net[n][s].m.body.hi + net[n][s].m.body.lo = 1 end end;
