/* expect: states=15 transitions=21 verdict=holds plain_states=15 plain_transitions=21 */
byte w;
active [2] proctype P() {
    do
    :: atomic { w < 2 -> w++ }
    :: atomic {
            else -> w = 0;
            break
        }
    od
}
