-- expect: states=15 orbits=15 verdict=holds
-- switch with several values, without else, nested, on expressions; `case` bodies may be empty.
type s: enum {a, b, c, d}; n: 0..5;
var x: s; i: n; seen: array[s] of boolean;
startstate "init" x := a; i := 0; for v: s do seen[v] := false; endfor; endstartstate;
rule "go"
  switch x
  case a: x := b;
  case b:
    switch i
    case 0, 1: i := i + 1;
    case 2: x := c
    else x := d;
    endswitch;
  case c: 
  else
    i := 0;
  end;
  seen[x] := true;
endrule;
rule "jump" x = c ==>
  switch i + 1 case 3: i := 4; case 5: i := 5; x := d; end;
end;
rule "again" x = d & i = 0 ==> x := a; end;
invariant seen[d] -> seen[b];
