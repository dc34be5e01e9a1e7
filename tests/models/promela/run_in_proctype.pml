/* expect: states=16 transitions=16 verdict=holds plain_states=16 plain_transitions=16 */
byte made;
proctype Child(byte n) {
    made++;
    if
    :: n > 0 -> run Child(n - 1)
    :: else
    fi
}
init {
    run Child(2);
    (_nr_pr == 1);
    assert(made == 3)
}
