/* expect: states=7 transitions=8 verdict=fails plain_states=7 plain_transitions=8 */
chan q = [1] of { byte };
active proctype Server() {
    byte x;
    do
    :: q?x
    od
}
active proctype Client() {
    q!1;
    q!2
}
