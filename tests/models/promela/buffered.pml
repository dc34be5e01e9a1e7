/* expect: states=101 transitions=173 verdict=holds plain_states=128 plain_transitions=223 */
chan q = [2] of { byte };
active proctype P() {
    byte i;
    do
    :: i < 4 -> q!i;
        i++
    :: i == 4 -> break
    od
}
active proctype C() {
    byte j, k;
    do
    :: k < 4 -> q?j;
        assert(j == k);
        k++
    :: else -> break
    od
}
