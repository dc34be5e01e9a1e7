/* expect: states=10 transitions=10 verdict=holds plain_states=10 plain_transitions=10 */
byte n;
active proctype P() {
    start: if
    :: n < 3 -> n++;
        goto start
    :: n >= 3 -> goto fin
    fi;
    assert(false);
    fin: skip
}
