/* expect: states=55 transitions=88 verdict=holds plain_states=55 plain_transitions=88 */
byte seen;
active proctype P() {
    byte i;
    select (i : 2 .. 4);
    seen = i;
    assert(i >= 2 && i <= 4)
}
active proctype Q() {
    byte last;
    last = seen;
    assert(last < 5)
}
