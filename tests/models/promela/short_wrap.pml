/* expect: states=7 transitions=7 verdict=holds plain_states=7 plain_transitions=7 */
short s = 32766;
active proctype P() {
    s = s + 1;
    s = s + 1;
    assert(s == -32768);
    s = s - 1;
    assert(s == 32767)
}
