/* expect: states=7 transitions=7 verdict=fails plain_states=7 plain_transitions=7 */
byte n;
active proctype L() priority 1 {
    n = n + 1;
    n = n * 2
}
active proctype H() priority 5 {
    n = 3;
    n == 8;
    n = 4
}
active proctype M() priority 3 {
    n++;
    n++
}
