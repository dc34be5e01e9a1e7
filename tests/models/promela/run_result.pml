/* expect: states=4 transitions=4 verdict=holds plain_states=4 plain_transitions=4 */
byte p1, p2;
proctype W() {
    end: false
}
init {
    p1 = run W();
    p2 = run W();
    assert(p1 == 1 && p2 == 2 && _pid == 0)
}
