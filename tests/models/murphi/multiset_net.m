-- expect: states=281 orbits=88 verdict=holds
-- A network that is a multiset: choose, count, remove, remove by a condition, a multiset in an array.
const N: 2; Cap: 2;
type
  Pid: scalarset(N);
  Kind: enum { Ping, Pong };
  Msg: record k: Kind; to_: Pid; end;
var
  net: multiset[Cap] of Msg;
  box: array[Pid] of multiset[1] of Kind;
  got: array[Pid] of boolean;
procedure send(d: Pid; k: Kind);
var m: Msg;
begin m.k := k; m.to_ := d; multisetadd(m, net); end;
startstate undefine net; undefine box; for p: Pid do got[p] := false; end; end;
ruleset p: Pid do
  rule "ping" multisetcount(i: net, true) < Cap ==> send(p, Ping); end;
  rule "drop" multisetcount(i: net, net[i].to_ = p & net[i].k = Pong) > 0 ==> begin multisetremovepred(i: net, net[i].to_ = p & net[i].k = Pong); got[p] := true; end;
  rule "clear" got[p] ==> begin got[p] := false; undefine box[p]; end;
  choose k: box[p] do rule "read" true ==> begin multisetremove(k, box[p]); end; end;
end;
choose m: net do
  alias msg: net[m] do
    rule "answer" msg.k = Ping & multisetcount(j: box[msg.to_], true) = 0 ==>
    var d: Pid;
    begin
      d := msg.to_;
      multisetremove(m, net);
      multisetadd(Ping, box[d]);
      send(d, Pong);
    end;
  end;
end;
