-- expect: states=1412 orbits=233 verdict=holds
-- choose inside a ruleset and a ruleset inside choose; aliases for the element; two multisets of one type.
const N: 2;
type pid: scalarset(N); kind: enum { get, put_ }; msg: record k: kind; p: pid; end; bag: multiset[2] of msg;
var inq, outq: bag; have: array[pid] of boolean;
procedure reply(p: pid; k: kind); var m: msg; begin m.k := k; m.p := p; multisetadd(m, outq); end;
startstate for p: pid do have[p] := false; end; undefine inq; undefine outq; end;
ruleset p: pid do
  rule "ask" multisetcount(i: inq, inq[i].p = p) = 0 & multisetcount(i: inq, true) < 2 ==>
  var m: msg; begin m.p := p; m.k := have[p] ? put_ : get; multisetadd(m, inq); end;
  choose j: outq do
    rule "receive" outq[j].p = p ==> begin have[p] := outq[j].k = get; multisetremove(j, outq); end;
  end;
end;
choose i: inq do
  alias m: inq[i] do
    ruleset b: boolean do
      rule "serve" b & multisetcount(j: outq, true) < 2 ==> begin reply(m.p, m.k); multisetremove(i, inq); end;
    end;
  end;
end;
