/* expect: states=8 transitions=15 verdict=holds plain_states=8 plain_transitions=15 */
byte readers;
bool writing;
active [2] proctype R() {
    do
    :: atomic { !writing -> readers++ };
        readers--
    od
}
active [2] proctype W() {
    do
    :: atomic {
            !writing && readers == 0 -> writing = 1
        };
        assert(readers == 0);
        writing = 0
    od
}
