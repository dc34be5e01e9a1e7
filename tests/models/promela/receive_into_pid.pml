/* expect: states=26 transitions=41 verdict=holds plain_states=26 plain_transitions=41 */
chan ring[2] = [1] of { byte };
active [2] proctype P() {
    ring[1 - _pid]!_pid;
    byte x;
    ring[_pid]?x;
    assert(x == 1 - _pid)
}
