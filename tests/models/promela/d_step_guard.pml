/* expect: states=12 transitions=18 verdict=holds plain_states=12 plain_transitions=18 */
bool go;
byte n;
active [2] proctype S() {
    d_step {
        go -> n++;
        go = (n < 2)
    }
}
active proctype G() {
    go = true
}
