/* expect: states=10 transitions=12 verdict=holds plain_states=10 plain_transitions=12 */
byte out;
typedef Pair {
    byte a;
    byte b
};
proctype W(byte x; short y; bit z; mtype m) {
    assert(x == 44 && y == -5 && z == 1);
    out = m
}
mtype = { one, two };
init {
    run W(300, -5, 1, two);
    out > 0 -> assert(out == two)
}
