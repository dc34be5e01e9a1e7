/* expect: states=17 transitions=20 verdict=holds plain_states=17 plain_transitions=20 */
byte low = 1;
byte hi_x = 3;
active proctype P() {
    byte v_1;
    select (v_1 : low .. hi_x + 1);
    assert(v_1 <= 4 && v_1 >= low)
}
