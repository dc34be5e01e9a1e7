/* expect: states=12 transitions=15 verdict=holds plain_states=12 plain_transitions=15 */
byte w;
active [2] proctype P() {
    atomic {
        w++;
        (w == 5) -> w = 0
    } unless { timeout -> w = 5 }
}
