/* expect: states=5 transitions=5 verdict=holds plain_states=5 plain_transitions=5 */
int d = -1;
byte a[3];
active proctype P() {
    a[d + 1] = 4;
    a[1] = a[0];
    assert(a[1] == 4 && a[2] == 0)
}
