/* expect: states=8 transitions=8 verdict=holds plain_states=8 plain_transitions=8 */
byte x; active proctype A() priority 5 { x == 2; x = 1 } active proctype B() { if :: x == 0 -> x = 2 :: else -> x = 5 fi; timeout -> x = 8 }
active proctype C() priority 5 { d_step { x == 1 -> x = 3 } end: x == 100 }
