/* expect: states=7 transitions=8 verdict=holds plain_states=7 plain_transitions=8 */
byte x;
active proctype P() {
    l0: x = 1;
    end1: l1: x == 1;
    if
    :: goto l2
    :: x = 2;
        goto l0
    fi;
    l2:
}
