/* expect: states=7 transitions=7 verdict=holds plain_states=9 plain_transitions=9 */
byte x;
active proctype L() priority 1 { atomic { x = 1; x = 2; x = 3 } x = 4 }
active proctype H() priority 3 { do :: x == 2 -> x = 7; break :: x == 4 -> break od; x = 0 }
