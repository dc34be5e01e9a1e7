/* expect: states=11 transitions=13 verdict=holds plain_states=26 plain_transitions=27 */
chan q = [0] of { bit };
byte lost;
active proctype S() {
    byte i;
    do
    :: i < 2 -> if
        :: q!1
        :: lost++
        fi;
        i++
    :: else -> break
    od
}
active proctype R() {
    bit b;
    do
    :: q?b
    :: timeout -> break
    od
}
