/* expect: states=99 transitions=168 verdict=holds plain_states=154 plain_transitions=271 */
byte g;
active [2] proctype P() {
    byte a, b, c = 3;
    a = g;
    b = a + c;
    if
    :: b > 3 -> g = b % 3
    :: a == 0 -> c = 1;
        g = c
    fi;
    a = 1;
    b = 2;
    g = a
}
