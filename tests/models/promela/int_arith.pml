/* expect: states=8 transitions=8 verdict=holds plain_states=14 plain_transitions=14 */
int a = 7;
int b = -3;
active proctype P() {
    int c;
    c = a / b;
    assert(c == -2);
    c = a % b;
    assert(c == 1);
    c = (a << 2) | 1;
    assert(c == 29);
    c = c ^ 5;
    c = ~c;
    c = -c;
    assert(c == 25);
    c = c >> 1;
    assert(c == 12 && (c & 4) == 4)
}
