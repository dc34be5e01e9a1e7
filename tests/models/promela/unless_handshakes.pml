/* expect: states=212 transitions=559 verdict=holds plain_states=354 plain_transitions=884 */
/* A message that the escape takes is not left to what may be escaped; one that it does not take is. */
byte x, y;
chan z = [0] of { byte };

active [2] proctype receiver() {
    byte l;
    l = _pid + 1;
end:
    do
    :: { z?l } unless { atomic { z?eval(l) -> y = 3 } }
    :: z?2
    od
}

active [2] proctype sender() {
    x = 1;
end1: z!1;
end2: z!2;
    x = 0
}
