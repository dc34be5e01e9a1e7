/* expect: states=7 transitions=7 verdict=holds plain_states=7 plain_transitions=7 */
typedef In {
    byte v[2];
    bit b
};
typedef Out {
    In a;
    In c[2];
    short s = -4
};
Out o;
active proctype A() {
    byte i = 1;
    o.a.v[i] = 3;
    o.c[1].v[0] = o.a.v[1] + 1;
    o.c[o.c[1].v[0] - 4].b = 1;
    assert(o.c[0].b && o.c[1].v[0] == 4 && o.s == -4);
    o.s = o.s - 1
}
