/* expect: states=39 transitions=61 verdict=holds plain_states=74 plain_transitions=125 */
chan q = [2] of { byte };
active proctype S() {
    xs q;
    byte i;
    do
    :: i < 3 -> q!i;
        i++
    :: else -> break
    od
}
active proctype R() {
    xr q;
    byte x, n;
    do
    :: n < 3 -> q?x;
        n++
    :: else -> break
    od
}
