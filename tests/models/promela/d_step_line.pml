/* expect: states=13 transitions=19 verdict=holds plain_states=13 plain_transitions=19 */
byte a = 1, b = 2;
active [2] proctype S() {
    byte t;
    d_step {
        t = a;
        a = b;
        b = t;
        t = 0
    };
    assert(a + b == 3)
}
