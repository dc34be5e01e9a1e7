/* expect: states=31 transitions=31 verdict=holds plain_states=31 plain_transitions=31 */
byte a[4];
byte n;
active proctype P() {
    byte i;
    for (i in a) {
        a[i] = i * i
    }
    for (i : 0 .. 3) {
        n = n + a[i]
    }
    assert(n == 14)
}
