/* expect: states=22 transitions=22 verdict=holds plain_states=22 plain_transitions=22 */
byte last;
proctype W() {
    last = _pid
}
init {
    byte i;
    do
    :: i < 3 -> run W();
        (_nr_pr == 1);
        i++
    :: else -> break
    od;
    assert(last == 1)
}
