/* expect: states=5 transitions=5 verdict=holds plain_states=5 plain_transitions=5 */
byte r;
inline max(a, b) {
    if
    :: a > b -> return a
    :: else -> return b
    fi
}
active proctype P() {
    byte p = 3, q = 5;
    r = max(p, q);
    assert(r == 5)
}
