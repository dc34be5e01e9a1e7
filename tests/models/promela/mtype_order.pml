/* expect: states=3 transitions=3 verdict=holds plain_states=3 plain_transitions=3 */
mtype = { a, b, c };
active proctype P() {
    assert(c == 1 && b == 2 && a == 3)
}
