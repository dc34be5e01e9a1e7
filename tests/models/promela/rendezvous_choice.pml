/* expect: states=6 transitions=6 verdict=holds plain_states=6 plain_transitions=6 */
chan c = [0] of { byte };
chan d = [0] of { byte };
byte got;
active proctype S() {
    if
    :: c!1
    :: d!2
    fi
}
active proctype R1() {
    byte x;
    end: c?x;
    got = x
}
active proctype R2() {
    byte x;
    end: d?x;
    got = x
}
