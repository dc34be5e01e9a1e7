/* expect: states=43 transitions=70 verdict=holds plain_states=43 plain_transitions=70 */
byte x;
bool stop;
active proctype P() {
    {
        do
        :: x < 3 -> x++
        :: x > 0 -> x--
        od
    } unless { stop -> x = 9 };
    assert(stop)
}
active proctype S() {
    stop = true
}
