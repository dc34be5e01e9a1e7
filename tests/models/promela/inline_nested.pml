/* expect: states=21 transitions=33 verdict=holds plain_states=21 plain_transitions=33 */
byte n;
inline add(v, k) {
    v = v + k
}
inline twice(v, k) {
    add(v, k);
    add(v, k)
}
active [2] proctype P() {
    twice(n, _pid + 1);
    assert(n > 0)
}
