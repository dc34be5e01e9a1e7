/* expect: states=3 transitions=3 verdict=holds plain_states=3 plain_transitions=3 */
chan a = [0] of { byte };
byte w;
active proctype P() {
    {
        atomic {
            w = 1;
            w = 2;
            a!3;
            w = 5
        }
    } unless { w == 2 -> w = 9 }
}
active proctype Q() {
    byte z;
    end: a?z
}
