/* expect: states=9 transitions=10 verdict=holds plain_states=9 plain_transitions=10 */
mtype = { idle, busy, done };
mtype st = idle;
active proctype A() {
    do
    :: st == idle -> st = busy
    :: st == busy -> if
        :: st = done
        :: st = idle
        fi
    :: st == done -> break
    od;
    assert(st == done);
    printm(st)
}
