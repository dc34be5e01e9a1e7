/* expect: states=18 transitions=26 verdict=holds plain_states=18 plain_transitions=26 */
byte x;
active proctype A() {
    x = 1;
    x = 2;
    end: false
}
active proctype B() {
    byte p;
    p = pc_value(0);
    assert(p > 0)
}
