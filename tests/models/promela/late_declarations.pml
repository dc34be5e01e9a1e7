/* expect: states=216 transitions=320 verdict=holds plain_states=222 plain_transitions=328 */
byte g;
active [2] proctype P() {
    g++;
    byte a = 3;
    g = g + a;
    if
    :: g > 3 -> byte b;
        b = g;
        g = b - 3
    :: else -> byte c[2];
        c[1] = 1;
        g = c[1]
    fi
}
