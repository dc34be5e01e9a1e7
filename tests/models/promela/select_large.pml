/* expect: states=205 transitions=205 verdict=holds plain_states=205 plain_transitions=205 */
byte k;
active proctype P() {
    select (k : 0 .. 40);
    assert(k <= 40)
}
