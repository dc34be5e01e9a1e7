/* expect: states=13 transitions=19 verdict=holds plain_states=13 plain_transitions=19 */
byte x;
active [2] proctype A() {
    byte i;
    atomic {
        do
        :: i < 3 -> x++;
            i++
        :: else -> break
        od
    };
    x = x - 3
}
