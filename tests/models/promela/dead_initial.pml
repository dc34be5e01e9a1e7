/* expect: states=3 transitions=7 verdict=holds plain_states=13 plain_transitions=17 */
active proctype P() {
    byte a = 5;
    byte b = 7;
    do
    :: a == 5 -> b = 1;
        a = b + 4
    :: b > 0 -> a = 5;
        b = a
    od
}
