/* expect: states=21 transitions=21 verdict=holds plain_states=21 plain_transitions=21 */
unsigned u : 3 = 5;
unsigned v : 5;
active proctype P() {
    u = u + 4;
    assert(u == 1);
    v = 40;
    assert(v == 8);
    do
    :: u < 7 -> u++
    :: else -> break
    od;
    u++;
    assert(u == 0)
}
