/* expect: states=111 transitions=179 verdict=holds plain_states=187 plain_transitions=315 */
byte seen;
active [2] proctype P() {
    byte i;
    do
    :: i < 2 -> i++
    :: i == 2 -> seen = _last;
        break
    od;
    assert(seen < 2)
}
