/* expect: states=19 transitions=19 verdict=holds plain_states=20 plain_transitions=20 */
typedef T {
    byte v;
    byte w
};
chan q = [3] of { T };
byte s;
active proctype P() {
    T t;
    t.v = 1;
    t.w = 2;
    q!t;
    t.v = 3;
    q!t;
    for (t in q) {
        s = s + t.v
    }
    assert(s == 4 && len(q) == 2)
}
