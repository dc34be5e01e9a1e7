/* expect: states=60 transitions=97 verdict=holds plain_states=297 plain_transitions=543 */
byte g;
active [2] proctype P() {
    byte a, b;
    a = 1;
    b = a + 1;
    a = b;
    g = a;
    a = 0;
    b = 0;
    printf("x");
    a++;
    g = g + 1;
    (a == 1) -> b = 2;
    a = 3;
    b = a
}
