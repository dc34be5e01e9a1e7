/* expect: states=19 transitions=29 verdict=holds plain_states=19 plain_transitions=29 */
byte n;
proctype W(byte k) {
    n = n + k
}
init {
    byte i;
    atomic {
        i = 1;
        do
        :: i <= 3 -> run W(i);
            i++
        :: else -> break
        od
    };
    (_nr_pr == 1) -> assert(n == 6 || n < 6)
}
