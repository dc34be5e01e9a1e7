/* expect: states=40 transitions=82 verdict=holds plain_states=40 plain_transitions=82 */
byte d;
active [3] proctype P() {
    d++;
    d--
}
