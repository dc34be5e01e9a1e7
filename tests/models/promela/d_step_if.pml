/* expect: states=15 transitions=25 verdict=holds plain_states=15 plain_transitions=25 */
byte n;
active [3] proctype S() {
    d_step {
        if
        :: n == 0 -> n = 1
        :: n == 1 -> n = 2
        :: else -> n = 0
        fi;
        n = n
    }
}
