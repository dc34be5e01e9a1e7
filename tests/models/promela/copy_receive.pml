/* expect: states=14 transitions=17 verdict=holds plain_states=14 plain_transitions=17 */
chan q = [2] of { byte };
active proctype P() {
    q!4;
    q!5
}
active proctype C() {
    byte x;
    q?<x>;
    assert(x == 4 && len(q) >= 1);
    q?x;
    q??<5>;
    q?x;
    assert(x == 5 && empty(q))
}
