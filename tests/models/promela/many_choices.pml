/* expect: states=836 transitions=3052 orbits=11 verdict=holds plain_states=836 plain_transitions=3052 */
/* Cells are filled in more ways than anybody wants to write down: who is there is settled before. */
#define N 9
bool busy[N];

proctype cell(byte me) {
end: do
    :: busy[me] -> busy[me] = false
    od
}

inline fill() {
    if
    :: busy[0] = true :: busy[1] = true :: busy[2] = true
    :: busy[3] = true :: busy[4] = true :: busy[5] = true
    :: busy[6] = true :: busy[7] = true :: busy[8] = true
    fi
}

init {
    byte k;
    atomic {
        do
        :: k < N -> run cell(k); k++
        :: else -> break
        od;
        fill();
        fill();
        fill()
    }
}
