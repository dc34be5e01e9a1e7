/* expect: states=5 transitions=5 verdict=holds plain_states=5 plain_transitions=5 */
chan q = [1] of { byte };
active proctype Server() {
    byte x;
    end: do
    :: q?x
    od
}
active proctype Client() {
    q!1;
    q!2;
    endhere: false
}
