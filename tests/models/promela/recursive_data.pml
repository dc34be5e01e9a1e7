/* expect: states=29 transitions=39 verdict=holds plain_states=29 plain_transitions=39 */
byte f = 1;
proctype Fact(byte n; chan up) {
    chan down = [0] of { byte };
    byte r = 1;
    if
    :: n > 1 -> run Fact(n - 1, down);
        down?r
    :: else
    fi;
    up!n * r
}
init {
    chan c = [0] of { byte };
    byte v;
    run Fact(4, c);
    c?v;
    assert(v == 24)
}
