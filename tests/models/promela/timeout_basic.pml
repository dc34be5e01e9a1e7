/* expect: states=19 transitions=24 verdict=fails plain_states=19 plain_transitions=24 */
byte x;
active proctype P() {
    do
    :: x < 2 -> x++
    :: timeout -> break
    od;
    assert(x == 2)
}
active proctype Q() {
    x == 1 -> skip
}
