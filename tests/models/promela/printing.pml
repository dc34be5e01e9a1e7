/* expect: states=6 transitions=6 verdict=holds plain_states=6 plain_transitions=6 */
mtype = { hi };
byte x = 65;
active proctype P() {
    printf("a %d %c %x %o %u %e\n", x, x, x, x, x, hi);
    printm(hi);
    x++;
    assert(x == 66)
}
