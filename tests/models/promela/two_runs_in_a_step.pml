/* expect: states=122 transitions=301 verdict=holds plain_states=122 plain_transitions=301 */
byte a, b, x;
proctype P(byte n) { x = x + n; x = x - n }
active proctype S() { atomic { a = run P(1); b = run P(2); a = run P(3) } (x == 0) -> b = a }
