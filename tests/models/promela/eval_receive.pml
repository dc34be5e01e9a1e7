/* expect: states=22 transitions=36 verdict=holds plain_states=22 plain_transitions=36 */
chan q = [2] of { byte, byte };
active [2] proctype W() {
    byte v;
    q?eval(_pid),v;
    assert(v == _pid + 10)
}
active proctype B() {
    q!1,11;
    q!0,10
}
