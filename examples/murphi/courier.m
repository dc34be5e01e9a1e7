-- expect: states=388 orbits=16 verdict=holds order=144
-- Clients ask a server for its only ticket; requests and answers travel in a network that keeps no order.  The network
-- is a multiset, a node is a client or the server, and messages name nodes.

const
  Clients : 3;
  Room : Clients + 1;
type
  Client : scalarset(Clients);
  Server : enum { Home };
  Node : union { Client, Server };
  Kind : enum { Ask, Give, Back };
  Message : record kind : Kind; source : Node; target : Node; end;
var
  holds : array [Client] of boolean;
  waits : array [Client] of boolean;
  free : boolean;
  net : multiset [Room] of Message;

procedure Send(k : Kind; from_node : Node; to_node : Node);
var m : Message;
begin
  m.kind := k;
  m.source := from_node;
  m.target := to_node;
  multisetadd(m, net);
end;

ruleset c : Client do
  rule "ask" !waits[c] & !holds[c] ==>
  begin
    waits[c] := true;
    Send(Ask, c, Home);
  end;

  rule "give back" holds[c] ==>
  begin
    holds[c] := false;
    waits[c] := false;
    Send(Back, c, Home);
  end;
end;

choose m : net do
  rule "the server gives" net[m].kind = Ask & free ==>
  begin
    alias client : net[m].source do
      free := false;
      Send(Give, Home, client);
    end;
    multisetremove(m, net);
  end;

  rule "the ticket is back" net[m].kind = Back ==>
  begin
    free := true;
    multisetremove(m, net);
  end;

  ruleset c : Client do
    rule "a client gets it" net[m].kind = Give & net[m].target = c ==>
    begin
      holds[c] := true;
      multisetremove(m, net);
    end;
  end;
end;

startstate
  for c : Client do holds[c] := false; waits[c] := false; end;
  free := true;
  undefine net;
end;

invariant "one ticket"
  forall c : Client do forall d : Client do holds[c] & holds[d] -> c = d end end;
cover "somebody gets it" exists c : Client do holds[c] end;
liveness "it comes back" free;
