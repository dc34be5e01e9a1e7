/* expect: states=24 transitions=37 verdict=holds plain_states=24 plain_transitions=37 */
byte x;
active [2] D_proctype P() { if :: x < 3 -> x++ :: x >= 3 -> skip fi; x = 0 }
