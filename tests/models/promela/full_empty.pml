/* expect: states=17 transitions=23 verdict=holds plain_states=17 plain_transitions=23 */
chan q = [2] of { bit };
byte n;
active proctype P() {
    do
    :: nfull(q) -> q!1;
        n++
    :: full(q) -> break
    od;
    assert(n == 2 && full(q))
}
active proctype W() {
    full(q) && nempty(q);
    assert(!0);
    end: nfull(q) || empty(q)
}
