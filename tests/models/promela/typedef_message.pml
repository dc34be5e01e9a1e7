/* expect: states=15 transitions=19 verdict=holds plain_states=17 plain_transitions=21 */
typedef Msg {
    byte src;
    byte dst;
    bit flag
};
chan net = [2] of { Msg };
active proctype S() {
    Msg m;
    m.src = 1;
    m.dst = 2;
    m.flag = 1;
    net!m;
    m.src = 3;
    net!m
}
active proctype R() {
    Msg r;
    net?r;
    assert(r.src == 1 && r.dst == 2 && r.flag);
    net?r;
    assert(r.src == 3)
}
