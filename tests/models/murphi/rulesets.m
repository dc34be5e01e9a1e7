-- expect: states=144 orbits=144 verdict=holds
-- Several rules, start states and properties inside rulesets; rulesets in rulesets; aliases around rules.
type i: 1..2; j: enum {red, green}; 
var m: array[i] of array[j] of 0..2; on: array[i] of boolean;
ruleset a: i do
  startstate "one" for x: i do on[x] := x = a; for y: j do m[x][y] := 0; end; end; end;
  startstate "all" for x: i do on[x] := true; for y: j do m[x][y] := 1; end; end; end;
  ruleset b: j do
    alias cell: m[a][b]; here: on[a] do
      rule "up" here & cell < 2 ==> cell := cell + 1; end;
      rule "off" here & cell = 2 & b = red ==> begin here := false; cell := 0; end;
    end;
    invariant "small" m[a][b] <= 2;
  end;
  rule "on" !on[a] ==> on[a] := true; end;
  invariant "sum" m[a][red] + m[a][green] < 5;
end;
ruleset k: 0..1 do rule "clear" m[1][red] = k & m[2][red] = k + 1 ==> m[2][red] := 0; end; end;
