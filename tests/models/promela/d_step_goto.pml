/* expect: states=4 transitions=4 verdict=holds plain_states=4 plain_transitions=4 */
byte n;
active proctype S() {
    d_step {
        n = 0;
        more: n++;
        if
        :: n < 3 -> goto more
        :: else
        fi;
        n = n * 2
    };
    assert(n == 6)
}
