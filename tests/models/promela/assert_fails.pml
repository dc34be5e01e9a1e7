/* expect: states=22 transitions=29 verdict=fails plain_states=22 plain_transitions=29 */
byte x;
active [2] proctype P() {
    byte t;
    t = x;
    t++;
    x = t
}
active proctype Q() {
    (_nr_pr == 1) -> assert(x == 2)
}
