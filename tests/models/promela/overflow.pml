/* expect: states=13 transitions=13 verdict=holds plain_states=13 plain_transitions=13 */
int a = 2147483647;
byte b;
short s = 300;
active proctype P() {
    a = a + 1;
    assert(a < 0);
    b = s;
    assert(b == 44);
    s = a;
    a = -7;
    assert(a / 2 == -3 && a % 3 == -1);
    b = -1;
    assert(b == 255);
    a = b << 24;
    assert(a < 0)
}
