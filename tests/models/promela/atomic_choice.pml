/* expect: states=10 transitions=14 verdict=holds plain_states=10 plain_transitions=14 */
byte x;
active [2] proctype A() {
    atomic {
        if
        :: x < 2 -> x++
        :: x > 0 -> x--
        fi;
        x = x
    }
}
