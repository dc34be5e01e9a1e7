/* expect: states=9 transitions=9 verdict=holds plain_states=9 plain_transitions=9 */
typedef Port {
    chan c = [1] of { byte };
    byte uses
};
Port p[2];
active proctype A() {
    byte x;
    p[0].c!4;
    p[0].uses++;
    p[1].c!5;
    p[0].c?x;
    assert(x == 4);
    p[1].c?x;
    assert(x == 5 && p[0].uses == 1)
}
