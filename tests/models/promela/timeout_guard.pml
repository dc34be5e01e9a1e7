/* expect: states=14 transitions=15 verdict=holds plain_states=14 plain_transitions=15 */
byte x;
bool t;
active [2] proctype P() {
    (x == 3 || timeout) -> atomic {
        x++;
        t = true
    }
}
active proctype Q() {
    !t -> x = 0
}
