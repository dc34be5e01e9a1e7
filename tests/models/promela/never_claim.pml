/* expect: states=7 transitions=7 verdict=holds plain_states=7 plain_transitions=7 */
byte x;
never {
    do
    :: x < 3
    :: x == 2 -> break
    od;
    accept: do
    :: true
    od
}
active proctype P() {
    do
    :: x < 2 -> x++
    :: else -> break
    od
}
