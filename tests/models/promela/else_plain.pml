/* expect: states=51 transitions=81 verdict=holds plain_states=51 plain_transitions=81 */
byte x;
active [2] proctype P() {
    if
    :: x == 0 -> x = 1
    :: x == 1 -> x = 2
    :: else -> x = 0
    fi;
    if
    :: else -> skip
    :: x > 2 -> assert(false)
    fi
}
