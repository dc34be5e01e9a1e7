/* expect: states=47 transitions=81 verdict=holds plain_states=47 plain_transitions=81 */
byte x;
active [2] proctype Inc() {
    byte t;
    t = x;
    x = t + 1;
}
active proctype Watch() {
    assert(x <= 2)
}
