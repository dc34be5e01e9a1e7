/* expect: states=92 transitions=198 verdict=fails plain_states=92 plain_transitions=198 */
byte x; active [2] D_proctype P() { do :: x < 3 -> x++ :: x < 2 -> x = x + 2 :: x >= 3 -> break od; if :: x = 1 :: x = 2 fi }
