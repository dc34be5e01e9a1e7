/* expect: states=24 transitions=33 verdict=holds plain_states=24 plain_transitions=33 */
chan c = [0] of { byte };
byte x, y;
active proctype S() {
    atomic {
        x = 1;
        c!7;
        x = 2
    }
}
active proctype R() {
    byte v;
    atomic {
        c?v;
        y = x;
        y = y + v;
        assert(x == 1)
    }
}
active proctype T() {
    y = 0;
    x = x
}
