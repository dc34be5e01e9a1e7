/* expect: states=10 transitions=12 verdict=holds plain_states=10 plain_transitions=12 */
chan c[2] = [0] of { byte, chan };
chan r = [1] of { byte };
active proctype A() {
    byte x;
    c[0]!1,r;
    c[1]!2,r;
    r?x;
    assert(x == 3)
}
active proctype B() {
    byte x;
    chan k;
    c[0]?x,k;
    c[1]?x,k;
    k!x+1
}
