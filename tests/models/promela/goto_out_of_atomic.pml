/* expect: states=16 transitions=25 verdict=holds plain_states=16 plain_transitions=25 */
byte n;
active [2] proctype P() {
    again: atomic {
        if
        :: n < 3 -> n++;
            goto again
        :: else -> goto out
        fi
    };
    out: n = n
}
