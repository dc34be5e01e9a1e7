/* expect: states=15 transitions=21 verdict=holds plain_states=15 plain_transitions=21 */
byte x, y;
active proctype P() {
    (x > 0 && y > 0) -> assert(x + y >= 2)
}
active proctype Q() {
    x = 1;
    y++;
    y == 1;
    (x)
}
