/* expect: states=43 transitions=86 verdict=holds plain_states=90 plain_transitions=165 */
byte x;
active [2] proctype P() {
    if
    :: skip;
        skip;
        skip;
        x++
    :: true;
        skip;
        x = 0
    fi;
    skip;
    skip
}
