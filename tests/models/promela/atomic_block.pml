/* expect: states=16 transitions=22 verdict=holds plain_states=16 plain_transitions=22 */
byte x;
bool go;
active proctype A() {
    atomic {
        x = 1;
        go == true;
        x = 2
    };
    assert(x == 2 || x == 3)
}
active proctype B() {
    x = 3;
    go = true
}
