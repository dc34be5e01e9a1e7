/* expect: states=4 transitions=4 verdict=fails plain_states=4 plain_transitions=4 */
chan q = [0] of { bit };
active proctype S() {
    bit x;
    do
    :: end1: q?x;
        q?x
    od
}
active proctype C() {
    q!1;
    q!0
}
