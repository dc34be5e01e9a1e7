/* expect: states=6 transitions=6 verdict=holds plain_states=6 plain_transitions=6 */
typedef T {
    byte x;
    byte y[2]
};
T t;
chan q = [1] of { byte, byte };
active proctype S() {
    q!3,4
}
active proctype R() {
    q?t.x,t.y[1];
    assert(t.x == 3 && t.y[1] == 4)
}
