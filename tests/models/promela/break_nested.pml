/* expect: states=33 transitions=36 verdict=holds plain_states=33 plain_transitions=36 */
byte n;
active proctype P() {
    byte i;
    do
    :: i < 3 -> do
        :: n++;
            break
        :: n = n;
            break
        od;
        i++
    :: else -> break
    od
}
