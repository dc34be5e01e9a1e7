/* expect: states=7 transitions=7 verdict=holds plain_states=7 plain_transitions=7 */
chan c = [0] of { byte, bit };
active proctype S() {
    c!5,1;
    c!6,0
}
active proctype R() {
    byte x;
    bit b;
    c?x,b;
    assert(x == 5 && b);
    c?6,b;
    assert(!b)
}
