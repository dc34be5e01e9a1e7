/* expect: states=10 transitions=11 verdict=holds plain_states=10 plain_transitions=11 */
chan q = [1] of { byte, byte, bit };
active proctype P() {
    q!1,2,1;
    q!3,4,0
}
active proctype C() {
    byte x;
    q?_,x,_;
    assert(x == 2);
    q?x,_,0;
    assert(x == 3)
}
