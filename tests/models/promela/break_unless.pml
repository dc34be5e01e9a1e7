/* expect: states=40 transitions=54 verdict=holds plain_states=40 plain_transitions=54 */
byte n;
bool e;
active proctype P() {
    do
    :: {
            n++;
            if
            :: n > 2 -> break
            :: else
            fi
        } unless { e -> break }
    od;
    assert(n < 9)
}
active proctype E() {
    e = 1
}
