/* expect: states=13 transitions=19 verdict=holds plain_states=13 plain_transitions=19 */
byte x;
active [2] proctype A() {
    atomic {
        x++;
        atomic {
            x++;
            d_step {
                x++;
                x = x - 3
            }
        };
        x++
    };
    x--
}
