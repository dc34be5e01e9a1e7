/* expect: states=13 transitions=19 verdict=holds plain_states=13 plain_transitions=19 */
byte w;
active [2] proctype P() {
    atomic {
        w++;
        d_step {
            w = w + 2;
            w = w - 1
        };
        w-- ;
        d_step {
            w++ ;
            w--
        }
    } ;
    w--
}
