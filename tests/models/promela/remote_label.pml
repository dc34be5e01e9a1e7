/* expect: states=28 transitions=41 verdict=fails plain_states=28 plain_transitions=41 */
byte n;
active proctype A() {
    skip;
    work: n = 1;
    skip;
    rest: n = 2
}
active proctype B() {
    A@work -> skip;
    assert(n <= 2);
    if
    :: A[0]@rest -> n = n
    :: else
    fi
}
