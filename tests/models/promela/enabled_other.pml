/* expect: states=9 transitions=11 verdict=holds plain_states=9 plain_transitions=11 */
byte x;
active proctype A() {
    x == 1;
    x = 2
}
active proctype B() {
    if
    :: enabled(0) -> assert(x == 1)
    :: else -> x = 1
    fi
}
