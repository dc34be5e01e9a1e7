/* expect: states=12 transitions=12 verdict=holds plain_states=12 plain_transitions=12 */
byte x = 2;
byte y;
active proctype P() {
    if
    :: x > 0 -> x--
    :: skip
    fi;
    if
    :: x == 2 -> y = 6 / x
    :: else -> y = 3
    fi;
    assert(y == 3)
}
