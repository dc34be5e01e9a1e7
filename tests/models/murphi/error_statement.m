-- expect: verdict=fails
-- error is reached behind a switch.
var x: 0..3;
startstate x := 0; end;
rule "up" begin switch x case 0: x := 2; case 2: x := 3; else error "three"; endswitch; end;
