/* expect: states=10 transitions=10 verdict=holds plain_states=10 plain_transitions=10 */
byte x = 2;
byte y;
active proctype P() {
    if
    :: if
        :: x == 1 -> y = 1
        :: x == 2 -> y = 2
        fi;
        y++
    :: x == 2 -> y = 7
    fi;
    assert(y == 3 || y == 7)
}
