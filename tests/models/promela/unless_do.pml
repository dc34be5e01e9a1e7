/* expect: states=9 transitions=9 verdict=holds plain_states=9 plain_transitions=9 */
byte n;
active proctype P() {
    do
    :: n < 2 -> n++
    :: n == 2 -> break
    od unless { n == 2 -> n = 5 };
    assert(n == 5)
}
