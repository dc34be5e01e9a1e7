/* expect: states=250 transitions=591 verdict=fails plain_states=250 plain_transitions=591 */
#define N 3
chan q[N] = [N] of { byte };
byte leaders;
proctype Node(byte me; byte id) {
    byte x;
    bool over;
    q[(me + 1) % N]!id;
    do
    :: !over -> q[me]?x;
        if
        :: x > id -> q[(me + 1) % N]!x
        :: x == id -> leaders++;
            over = true
        :: else
        fi
    :: over -> break
    od;
    end: 0
}
init {
    atomic {
        run Node(0, 2);
        run Node(1, 3);
        run Node(2, 1)
    };
    end: leaders > 1 -> assert(false)
}
