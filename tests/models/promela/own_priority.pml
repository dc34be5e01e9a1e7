/* expect: states=40 transitions=47 verdict=holds plain_states=73 plain_transitions=87 */
byte x;
active [2] proctype A() { byte l; _priority = 3; l = 2; l = l + 1; x = l; _priority = 1; l = 0; x = 2 }
active proctype B() priority 2 { do :: x == 3 -> x = 4 :: x < 3 -> x = x + 1 :: x == 4 -> break od }
