/* expect: states=5 transitions=5 verdict=holds plain_states=6 plain_transitions=6 */
mtype = { a, b };
mtype = { c, d };
chan q = [1] of { mtype };
active proctype P() {
    mtype x;
    q!c;
    q?x;
    assert(x == c && x == 4);
    printf("%e", x)
}
