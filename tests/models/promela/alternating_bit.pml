/* expect: states=62 transitions=81 verdict=holds plain_states=80 plain_transitions=105 */
mtype = { msg, ack };
chan to = [1] of { mtype, bit, byte };
chan fro = [1] of { mtype, bit };
active proctype S() {
    bit b;
    byte n;
    do
    :: to!msg,b,n;
        if
        :: fro?ack,eval(b) -> b = 1 - b;
            n = (n + 1) % 3
        :: fro?ack,eval(1 - b)
        fi
    od
}
active proctype R() {
    bit e;
    byte x, last = 2;
    do
    :: to?msg,eval(e),x -> assert(x == (last + 1) % 3);
        last = x;
        fro!ack,e;
        e = 1 - e
    :: to?msg,eval(1 - e),_ -> fro!ack,1 - e
    od
}
