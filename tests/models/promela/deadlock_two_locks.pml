/* expect: states=25 transitions=33 verdict=fails plain_states=25 plain_transitions=33 */
bool a, b;
active proctype P() {
    atomic { !a -> a = true };
    atomic { !b -> b = true };
    b = false;
    a = false
}
active proctype Q() {
    atomic { !b -> b = true };
    atomic { !a -> a = true };
    a = false;
    b = false
}
