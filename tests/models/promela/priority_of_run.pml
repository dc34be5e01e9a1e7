/* expect: states=16 transitions=16 verdict=fails plain_states=16 plain_transitions=16 */
byte x, n;
proctype A(byte k) { if :: x < k -> x = x + k :: else -> x-- fi; n++ }
init { atomic { run A(1) priority 2; run A(2) priority 4; run A(3) priority 4 } (n == 2) -> x = 0 }
