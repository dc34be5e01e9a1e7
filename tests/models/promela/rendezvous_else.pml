/* expect: states=14 transitions=14 verdict=holds plain_states=15 plain_transitions=15 */
chan c = [0] of { byte };
byte n;
active proctype S() {
    byte i;
    do
    :: i < 3 -> if
        :: c!i -> n = n + 1
        :: else -> skip
        fi;
        i++
    :: i == 3 -> break
    od;
    assert(n <= 2)
}
active proctype R() {
    byte x;
    c?x;
    c?x;
    end: 0
}
