/* expect: states=5620 transitions=7161 verdict=holds plain_states=5629 plain_transitions=7176 */
chan q = [1] of { byte };
byte n;
active proctype P() {
    do
    :: q!1
    :: else -> break
    od
}
active proctype C() {
    byte x;
    do
    :: q?x -> n++
    :: else -> if
        :: n < 2 -> skip
        :: else -> break
        fi
    od
}
