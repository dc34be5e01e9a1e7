/* expect: states=17 transitions=17 verdict=holds plain_states=22 plain_transitions=22 */
byte n;
inline loop(k) {
    byte i = 0;
    again: if
    :: i < k -> i++;
        n++;
        goto again
    :: else
    fi
}
active proctype P() {
    loop(2);
    loop(3);
    assert(n == 5)
}
