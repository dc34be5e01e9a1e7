/* expect: states=10 transitions=12 verdict=holds plain_states=10 plain_transitions=12 */
mtype = { data, ack };
chan q = [2] of { mtype, byte };
active proctype P() {
    q!data(7);
    q!ack(0)
}
active proctype C() {
    byte x;
    q?data(x);
    assert(x == 7);
    q?ack(_)
}
