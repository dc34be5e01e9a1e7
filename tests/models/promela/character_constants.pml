/* expect: states=6 transitions=6 verdict=holds plain_states=6 plain_transitions=6 */
byte c = 'a';
active proctype P() {
    c = c + 1;
    assert(c == 'b');
    c = '\n';
    assert(c == 10)
}
