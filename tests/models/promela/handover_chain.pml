/* expect: states=17 transitions=25 verdict=holds plain_states=17 plain_transitions=25 */
chan a = [0] of { byte };
chan b = [0] of { byte };
byte w;
active proctype P() {
    atomic {
        a!1;
        w = 1;
        b?_;
        w = 3
    }
}
active proctype Q() {
    byte z;
    atomic {
        a?z;
        w = 2;
        b!z;
        w = w + 4
    }
}
active proctype N() {
    w = w
}
