/* expect: states=13 transitions=15 verdict=holds plain_states=13 plain_transitions=15 */
chan c = [0] of { bit };
byte t;
active proctype A() provided (t < 2) {
    c!1;
    t++;
    c!0;
    t++
}
active proctype B() provided (t != 1) {
    bit x;
    c?x;
    c?x
}
active proctype C() {
    t == 1 -> t = 0
}
