/* expect: states=7 transitions=7 verdict=holds plain_states=7 plain_transitions=7 */
chan q = [1] of { byte };
chan r = [0] of { byte };
byte s;
active proctype P() {
    q!3;
    r!4
}
active proctype C() {
    byte x;
    d_step {
        q?x;
        s = s + x;
        x = 0
    };
    d_step {
        r?x;
        s = s + x;
        x = 0
    };
    assert(s == 7)
}
