/* expect: states=8 transitions=8 verdict=holds plain_states=8 plain_transitions=8 */
mtype:fruit = { apple, pear };
mtype:size = { small, large };
mtype:fruit f = apple;
mtype:size s;
chan q = [1] of { mtype:fruit, mtype:size };
active proctype A() {
    mtype:fruit g;
    s = small;
    q!f,s;
    q?g,_;
    assert(g == apple);
    f = pear;
    printf("%e %e\n", f, s)
}
