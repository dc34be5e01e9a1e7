-- expect: states=8 orbits=6 verdict=holds
-- Arrays indexed by unions, a union of unions, ismember, values of a union in messages.
const P: 2;
type
  Home: enum { H };
  Proc: scalarset(P);
  Node: union { Home, Proc };
  Other: { X, Y };  -- the word enum may be left out
  Any: union { Node, Other };
var
  st: array[Node] of 0..1; tok: Node; who: Any;
startstate for n: Node do st[n] := 0; end; tok := H; undefine who; end;
ruleset n: Node do
  rule "use" tok = n & st[n] = 0 ==> begin st[n] := 1; who := n; end;
end;
ruleset p: Proc do
  rule "give" tok = H & st[H] = 1 ==> begin tok := p; st[H] := 0; end;
  rule "back" ismember(tok, Proc) & tok = p & st[p] = 1 ==> begin tok := H; st[p] := 0; who := X; end;
end;
ruleset o: Other do rule "other" !isundefined(who) & ismember(who, Other) & who != o ==> who := o; end; end;
invariant "one" forall a: Node do forall b: Node do a = b | st[a] = 0 | st[b] = 0 end end;
invariant "home" !isundefined(who) & ismember(who, Home) -> st[H] = 1 | ismember(tok, Proc);
