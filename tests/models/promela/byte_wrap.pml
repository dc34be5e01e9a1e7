/* expect: states=26 transitions=26 verdict=holds plain_states=26 plain_transitions=26 */
byte x = 250;
active proctype Up() {
    do
    :: x != 5 -> x++
    :: else -> break
    od;
    assert(x == 5)
}
