/* expect: states=16 transitions=16 verdict=holds plain_states=16 plain_transitions=16 */
byte x, y;
inline swap(a, b) {
    byte t;
    t = a;
    a = b;
    b = t;
    t = 0
}
active proctype P() {
    x = 1;
    y = 2;
    swap(x, y);
    assert(x == 2 && y == 1);
    swap(y, x);
    assert(x == 1)
}
