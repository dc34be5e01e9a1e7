/* expect: states=17 transitions=17 verdict=holds plain_states=17 plain_transitions=17 */
byte sum, i;
active proctype P() {
    for (i : 1 .. 4) {
        sum = sum + i
    }
    assert(sum == 10 && i == 5)
}
