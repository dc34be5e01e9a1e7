/* expect: states=15 transitions=15 verdict=holds plain_states=15 plain_transitions=15 */
chan q = [4] of { byte, byte };
active proctype P() {
    q!!3,1;
    q!!1,9;
    q!!2,5;
    q!!1,2
}
active proctype C() {
    byte a, b;
    len(q) == 4;
    q?a,b;
    assert(a == 1 && b == 2);
    q?1,b;
    assert(b == 9);
    q?a,b;
    assert(a == 2);
    q?3,eval(b - 4)
}
