/* expect: states=16 transitions=25 verdict=holds plain_states=16 plain_transitions=25 */
chan a = [0] of { byte };
byte w;
active [2] proctype P() {
    atomic {
        w++;
        a!1;
        w++
    }
}
active proctype Q() {
    byte z;
    atomic {
        a?z;
        w = w + 2;
        a?z;
        w--
    }
}
