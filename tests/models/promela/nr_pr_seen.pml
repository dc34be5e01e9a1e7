/* expect: states=55 transitions=100 verdict=holds plain_states=55 plain_transitions=100 */
byte m;
active [3] proctype P() {
    m = _nr_pr;
    assert(m <= 3)
}
