/* expect: states=3 transitions=3 verdict=holds plain_states=3 plain_transitions=3 */
byte a = 3;
byte b[3] = 2;
short c = -7;
byte d[4] = { 1, 2, 3 };
active proctype P(byte z) {
    byte e = 4;
    byte f = e + 1;
    byte h = a;
    assert(f == 5 && h == 3 && b[2] == 2 && c == -7 && d[2] == 3 && d[3] == 3 && z == 0)
}
