/* expect: states=16 transitions=20 verdict=holds plain_states=16 plain_transitions=20 */
proctype A() {
    end: 0
}
proctype B() {
    skip
}
init {
    if
    :: run A()
    :: run B()
    fi;
    run B()
}
