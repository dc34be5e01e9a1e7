-- expect: verdict=fails
-- A deadlock as Murphi means it: the only rule that can run changes nothing.
var x: 0..2;
startstate x := 0; end;
rule "up" x < 2 ==> x := x + 1; end;
rule "stay" x = 2 ==> x := 2; end;
