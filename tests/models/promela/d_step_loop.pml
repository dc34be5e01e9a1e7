/* expect: states=13 transitions=19 verdict=holds plain_states=13 plain_transitions=19 */
byte n;
byte s;
active [2] proctype S() {
    byte i;
    d_step {
        i = 0;
        do
        :: i < 4 -> s = s + i;
            i++
        :: else -> break
        od;
        n++;
        i = 0
    };
    assert(s % 6 == 0)
}
