/* expect: states=174 transitions=441 verdict=holds plain_states=174 plain_transitions=441 */
byte n;
proctype W() {
    n++;
    n--
}
active proctype M() {
    byte i;
    do
    :: i < 3 -> run W();
        i++
    :: else -> break
    od
}
