/* expect: states=39 transitions=55 verdict=holds plain_states=39 plain_transitions=55 */
byte n;
bool e;
active proctype P() {
    {
        if
        :: n == 1 -> n = 2
        :: else -> n = 3
        fi;
        n = 4
    } unless {
        if
        :: e -> n = 7
        :: n == 4 -> n = 8
        fi
    }
}
active proctype E() {
    n = 1;
    e = 1
}
