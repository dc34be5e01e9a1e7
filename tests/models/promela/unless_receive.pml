/* expect: states=14 transitions=17 verdict=holds plain_states=20 plain_transitions=21 */
chan q = [1] of { byte };
chan stop = [0] of { bit };
byte n;
active proctype P() {
    byte x;
    {
        do
        :: q?x -> n++
        od
    } unless { stop?_ }
}
active proctype S() {
    q!1;
    q!2;
    stop!1
}
