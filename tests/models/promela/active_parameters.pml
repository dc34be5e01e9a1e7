/* expect: states=7 transitions=9 verdict=holds plain_states=13 plain_transitions=19 */
active [2] proctype P(byte n; chan c) {
    assert(n == 0);
    n = n + _pid
}
