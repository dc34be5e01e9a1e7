/* expect: states=26 transitions=41 verdict=holds plain_states=26 plain_transitions=41 */
byte x;
int y;
active [2] proctype P() {
    x = (x == 0 -> 5 : x - 1);
    y = (x > 3 -> -x : x);
    assert((y < 0 -> y >= -5 : y < 5))
}
