/* expect: states=9 transitions=11 verdict=holds plain_states=9 plain_transitions=11 */
chan q = [1] of { byte };
active proctype P() {
    byte x;
    end1: q?x;
    end2: if
    :: q?x
    :: q?1
    fi;
    endless: goto endless2;
    endless2: x == 9
}
active proctype Q() {
    q!1;
    q!2
}
