/* expect: states=10 transitions=12 verdict=holds plain_states=10 plain_transitions=12 */
chan a = [0] of { byte };
chan b = [1] of { byte };
proctype Link(chan in, out) {
    byte x;
    in?x;
    out!x + 1
}
init {
    byte y;
    atomic { run Link(a, b) };
    a!3;
    b?y;
    assert(y == 4)
}
