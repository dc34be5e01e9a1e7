-- expect: states=4 orbits=4 verdict=holds
-- Records are compared in a choice that assigns one variable: it is not a step round a ring, and is read as any other.
type pair: record a: 0..1; b: 0..1; end;
var p: pair; q: pair; turn: 0..1;
startstate p.a := 0; p.b := 0; q := p; turn := 0; end;
rule "compare" true ==> begin if p != q then turn := 0; else turn := 1; end; end;
rule "change" true ==> begin p.a := 1 - p.a; end;
