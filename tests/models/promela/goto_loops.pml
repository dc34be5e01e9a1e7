/* expect: states=11 transitions=13 verdict=holds plain_states=11 plain_transitions=13 */
byte n;
active proctype P() {
    again: do
    :: n < 2 -> n++;
        if
        :: goto again
        :: skip
        fi
    :: n == 2 -> goto out
    od;
    out: atomic {
        n = 0;
        goto fin
    };
    n = 5;
    fin: n = 1
}
