/* expect: states=4 transitions=5 verdict=holds plain_states=4 plain_transitions=5 */
byte x;
active proctype P() {
    accept: do
    :: x = 1 - x;
        progress: skip
    od
}
