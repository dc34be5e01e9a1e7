/* expect: states=14 transitions=18 verdict=holds plain_states=14 plain_transitions=18 */
active proctype A() {
    byte v;
    v = 1;
    v = 2;
    byte w[2];
    w[1] = 3;
    end: false
}
active proctype B() {
    (A:v == 2) -> skip;
    A[0]:w[1] == 3 -> assert(A:v == 2)
}
