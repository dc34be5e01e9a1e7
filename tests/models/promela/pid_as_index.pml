/* expect: states=83 transitions=113 verdict=holds plain_states=83 plain_transitions=113 */
pid owner;
byte use[3];
active [3] proctype P() {
    atomic { owner == 0 -> owner = _pid + 1 };
    use[_pid]++;
    assert(owner == _pid + 1);
    use[owner - 1]--;
    owner = 0
}
