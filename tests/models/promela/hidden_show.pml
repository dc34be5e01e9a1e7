/* expect: states=7 transitions=7 verdict=holds plain_states=8 plain_transitions=8 */
hidden byte h;
show byte s;
local byte l;
active proctype P() {
    h = 1;
    s = 2;
    l = 3;
    l++;
    h = h + 1;
    assert(s == 2 && l == 4)
}
