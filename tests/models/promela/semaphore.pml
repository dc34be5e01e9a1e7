/* expect: states=83 transitions=113 verdict=holds plain_states=83 plain_transitions=113 */
byte sem = 1;
byte inside;
inline P(s) {
    atomic { s > 0 -> s-- }
}
inline V(s) {
    s++
}
active [3] proctype U() {
    P(sem);
    inside++;
    assert(inside == 1);
    inside--;
    V(sem)
}
