/* expect: states=32 transitions=48 verdict=holds plain_states=32 plain_transitions=48 */
proctype P(byte n) {
    chan mine = [1] of { byte };
    byte x;
    mine!n;
    mine?x;
    assert(x == n)
}
init {
    run P(1);
    run P(2)
}
