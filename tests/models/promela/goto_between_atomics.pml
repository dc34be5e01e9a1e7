/* expect: states=21 transitions=33 verdict=holds plain_states=21 plain_transitions=33 */
byte n;
active [2] proctype P() {
    atomic {
        n++;
        goto second
    };
    skip;
    second: atomic {
        n++;
        n--
    };
    assert(n > 0)
}
