/* expect: states=59 transitions=91 verdict=holds plain_states=62 plain_transitions=96 */
chan boss = [1] of { chan, byte };
proctype Worker(byte n) {
    chan me = [1] of { byte };
    byte x;
    boss!me,n;
    me?x;
    assert(x == n + 1)
}
init {
    atomic {
        run Worker(1);
        run Worker(2)
    };
    chan w;
    byte k;
    boss?w,k;
    w!k+1;
    boss?w,k;
    w!k+1
}
